"""A secret is found however eight of its bytes are written."""

from base64 import b64encode, urlsafe_b64encode
from random import Random

import pytest

from proof.needles import Needles

SECRET = Random(3).randbytes(32)
NEEDLES = Needles({"seed": SECRET, "key": Random(4).randbytes(64)})
PARTS = [SECRET[start : start + 8] for start in range(25)]


@pytest.mark.parametrize("around", [b"", b"x", b"ab", b"quite some text"])
def test_eight_bytes_are_found_in_every_spelling(around: bytes) -> None:
    for part in PARTS:
        whole = around + part + around[:1]
        assert NEEDLES.hits(whole) == ["seed as it is"]
        for text in (whole.hex(), whole.hex().upper()):
            assert "seed in hexadecimal" in NEEDLES.hits(f'{{"a":"{text}"}}'.encode())
        for spelled in (b64encode(whole), urlsafe_b64encode(whole).rstrip(b"=")):
            assert "seed in base64" in NEEDLES.hits(b'{"a":"%b"}' % spelled)


def test_fewer_bytes_and_other_bytes_are_none() -> None:
    other = Random(5).randbytes(4000)
    for harmless in (other, other.hex().encode(), b64encode(other), SECRET[:7], SECRET[3:10]):
        assert NEEDLES.hits(harmless) == []
