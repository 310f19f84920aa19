"""Seat tokens: what was signed is read, and nothing else ever is."""

import re
import time
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sideboards.service.identity import SIGNS, Identity, Sitting
from sideboards.service.log import Store
from sideboards.service.refusals import ServiceRefusal

SECRET = bytes(range(32))
NO_STORE = cast(Store, None)
"""Tokens and ids never ask the store."""
ours = Identity(NO_STORE, SECRET)
GOOD = ours.seat_token("k7mzq4xw2cvbn", 3, "abcdefgh23456789", 2)

ids = st.text(SIGNS.lower(), min_size=1, max_size=20)
sittings = st.builds(Sitting, ids, st.integers(0, 5), ids, st.integers(0, 10**6))


def refused(token: str, by: Identity = ours) -> bool:
    try:
        by.read_seat_token(token)
    except ServiceRefusal as refusal:
        return refusal.code == "not_your_seat"
    return False


@given(sittings)
def test_what_was_signed_is_read(sitting: Sitting) -> None:
    token = ours.seat_token(*sitting)
    assert ours.read_seat_token(token) == sitting
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,120}", token), "fit for a header and a subprotocol"


@given(st.text(max_size=400) | st.text(SIGNS + "._-", max_size=400))
def test_any_other_text_is_refused(text: str) -> None:
    assert refused(text)


@given(st.integers(0, len(GOOD) - 1), st.characters(codec=None))
def test_a_changed_sign_is_refused(place: int, sign: str) -> None:
    assert refused(GOOD[:place] + sign + GOOD[place + 1 :]) or GOOD[place] == sign


def test_every_single_change_within_the_alphabet_is_refused() -> None:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.="
    for place, old in enumerate(GOOD):
        for sign in alphabet:
            assert sign == old or refused(GOOD[:place] + sign + GOOD[place + 1 :])


@given(st.integers(0, len(GOOD)), st.text(max_size=5), st.integers(0, 5))
def test_cut_and_grown_tokens_are_refused(place: int, more: str, gone: int) -> None:
    changed = GOOD[:place] + more + GOOD[place + gone :]
    assert changed == GOOD or refused(changed)


@given(sittings, st.binary(min_size=16, max_size=64))
def test_tokens_of_another_secret_are_refused(sitting: Sitting, secret: bytes) -> None:
    assert secret == SECRET or refused(Identity(NO_STORE, secret).seat_token(*sitting))


@pytest.mark.parametrize(
    "token",
    [
        "", ".", "....", "a.b.c.d.e", "\ud800" * 80, "é" + GOOD[1:], f" {GOOD}", f"{GOOD}\n",
        f"{GOOD}=", GOOD.upper(), GOOD + "A" * 300, "[" * 100_000, "\x00" * 90,
        GOOD.rpartition(".")[0],
    ],
)  # fmt: skip
def test_known_tricks_are_refused(token: str) -> None:
    assert refused(token)


def test_a_token_of_more_than_300_signs_is_refused_even_if_signed() -> None:
    assert refused(ours.seat_token("t" * 300, 0, "g", 0))
    assert not refused(ours.seat_token("t" * 200, 0, "g", 0))


def test_a_token_holds_at_least_128_bit_of_signature() -> None:
    signature = GOOD.rpartition(".")[2]
    assert len(signature) * 6 >= 256


@given(st.integers(0, 2**32))
def test_ids_follow_the_given_chance(seed: int) -> None:
    def fixed(count: int) -> bytes:
        return bytes((seed >> (number % 4) * 8) % 256 for number in range(count))

    one, other = (Identity(NO_STORE, SECRET, random_bytes=fixed) for _ in range(2))
    assert one.new_table_id() == other.new_table_id()
    assert one.new_code() == other.new_code()


def test_ids_are_long_plain_and_all_different() -> None:
    tables = {ours.new_table_id() for _ in range(2000)}
    assert len(tables) == 2000
    assert all(re.fullmatch("[2-9a-hj-np-z]{13}", table) for table in tables), "65 bit"
    codes = [ours.new_code() for _ in range(2000)]
    assert len(set(codes)) > 1990
    assert all(re.fullmatch("[2-9A-HJ-NP-Z]{6}", code) for code in codes)
    assert set("".join(codes)) == set(SIGNS)
    assert len(SIGNS) == 32


def test_reading_a_token_costs_little() -> None:
    best = min(timed() for _ in range(20))
    assert best < 100e-6, f"{best * 1e6:.1f} µs"


def timed(count: int = 100) -> float:
    """Seconds for one token."""
    begun = time.perf_counter()
    for _ in range(count):
        ours.read_seat_token(GOOD)
    return (time.perf_counter() - begun) / count
