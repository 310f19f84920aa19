"""Secrets in what somebody got: any eight bytes in a row, as they are, in hexadecimal or base64."""

import re
from base64 import b64encode
from collections.abc import Mapping

WINDOW = 8
_HEX_SIGNS, _BASE64_SIGNS = 2 * WINDOW, WINDOW * 8 // 6
"""How many signs surely stand for eight bytes in a row, wherever they begin."""
_RUNS = re.compile(rb"[0-9A-Za-z+/_=-]{%d,}" % _BASE64_SIGNS)
_CHUNK = 4
"""Any eight bytes in a row hold a whole chunk of so many that begins at a multiple of it."""


class Needles:
    """Searches for some secrets."""

    def __init__(self, secrets: Mapping[str, bytes]) -> None:
        self._chunks: list[tuple[bytes, str, bytes]] = []
        self._signs: dict[bytes, str] = {}
        for name, secret in secrets.items():
            for start in range(0, len(secret) - _CHUNK + 1, _CHUNK):
                self._chunks.append((secret[start : start + _CHUNK], name, secret))
            spelled = secret.hex().encode()
            self._keep(spelled, _HEX_SIGNS, name)
            for before in range(3):  # a sign stands for six bits: there are three ways to begin
                padded = b64encode(bytes(before) + secret).rstrip(b"=")
                inner = padded[(before * 8 + 5) // 6 :]
                self._keep(inner, _BASE64_SIGNS, name)

    def _keep(self, spelled: bytes, size: int, name: str) -> None:
        for start in range(len(spelled) - size + 1):
            self._signs[spelled[start : start + size]] = name

    def hits(self, heard: bytes) -> list[str]:
        """Which secrets are in some bytes, each with the way in which it is."""
        found = set()
        for chunk, name, secret in self._chunks:
            place = heard.find(chunk)
            while place >= 0:
                near = heard[max(0, place - WINDOW) : place + 2 * WINDOW]
                if any(secret[i : i + WINDOW] in near for i in range(len(secret) - WINDOW + 1)):
                    found.add(f"{name} as it is")
                place = heard.find(chunk, place + 1)
        for run in _RUNS.findall(heard):
            for text, how, size in (
                (run.lower(), "in hexadecimal", _HEX_SIGNS),
                (run.replace(b"-", b"+").replace(b"_", b"/"), "in base64", _BASE64_SIGNS),
            ):
                for start in range(len(text) - size + 1):
                    if (known := self._signs.get(text[start : start + size])) is not None:
                        found.add(f"{known} {how}")
        return sorted(found)
