import hashlib
import hmac
import json
from dataclasses import asdict, replace
from random import Random
from typing import Any

import pytest

from sideboards import (
    Edition,
    Mode,
    Proof,
    Refusal,
    check_proof,
    deal_key,
    fair_setup,
    load_edition,
    parse_proof,
    rules_string,
    seat_commitment,
    server_commitment,
)
from sideboards.core.fair import shuffle

EDITION = load_edition()
SERVER = "00" * 32
SEATS = tuple(digit * 64 for digit in "1234")
VECTOR = ("T1", "base;n=4;obj=random")


def proof(
    mode: Mode = "standard",
    seeds: tuple[str, ...] = SEATS,
    objectives: tuple[int, int, int] | None = None,
) -> Proof:
    """An honest proof."""
    rules = rules_string(EDITION, mode, len(seeds), objectives)
    setup = fair_setup(deal_key("T1", rules, SERVER, seeds), EDITION, rules)
    return Proof(
        table="T1",
        rules=rules,
        server_seed=SERVER,
        server_commit=server_commitment("T1", rules, SERVER),
        seat_seeds=seeds,
        seat_commits=tuple(
            seat_commitment("T1", seat, seed) if seed else "" for seat, seed in enumerate(seeds)
        ),
        deck=tuple(card - 1 for card in setup.deck),
        objectives=setup.objectives,
        refill=tuple(card - 1 for card in setup.refill),
    )


def written(claimed: Proof, **changes: object) -> bytes:
    return json.dumps(asdict(claimed) | changes).encode()


def test_the_published_vector() -> None:
    table, rules = VECTOR
    key = deal_key(table, rules, SERVER, SEATS)
    assert shuffle(key, "deck", range(60))[:6] == [50, 15, 55, 31, 21, 12]
    assert server_commitment(table, rules, SERVER).startswith("bd93c7c9207a")


def test_the_published_script_gives_the_same_deal() -> None:
    """The script of the fairness page, written anew from its description."""

    def words(key: bytes, label: str) -> Any:  # noqa: ANN401 (a generator of numbers)
        n = 0
        while True:
            block = hmac.new(key, f"SB1|{label}|{n}".encode(), hashlib.sha512).digest()
            yield from (int.from_bytes(block[i : i + 4], "big") for i in range(0, 64, 4))
            n += 1

    def order(key: bytes, label: str, items: list[int]) -> list[int]:
        stream = words(key, label)
        for i in reversed(range(1, len(items))):
            word = next(stream)
            while word >= 2**32 - 2**32 % (i + 1):
                word = next(stream)
            j = word % (i + 1)
            items[i], items[j] = items[j], items[i]
        return items

    claimed = proof()
    text = "|".join(("SB1", "deal", claimed.table, claimed.rules, *claimed.seat_seeds))
    key = hmac.new(bytes(32), text.encode(), hashlib.sha512).digest()
    assert order(key, "deck", list(range(60))) == list(claimed.deck)
    assert order(key, "reshuffle-1", list(range(60))) == list(claimed.refill)
    assert claimed.objectives == (
        order(key, "objectives-color", list(range(1, 8)))[0],
        order(key, "objectives-handle", list(range(8, 15)))[0],
        order(key, "objectives-row", list(range(15, 31)))[0],
    )


@pytest.mark.parametrize(
    ("mode", "seeds", "objectives"),
    [
        ("standard", SEATS, None),
        ("standard", SEATS, (3, 8, 19)),
        ("variant", SEATS[:2], None),
        ("solo", SEATS[:1], (1, 9, 17)),
        ("standard", (SEATS[0], "", "", SEATS[3]), None),
    ],
)
def test_an_honest_proof_is_read_back_and_holds(
    mode: Mode, seeds: tuple[str, ...], objectives: tuple[int, int, int] | None
) -> None:
    claimed = proof(mode, seeds, objectives)
    assert parse_proof(written(claimed)) == claimed
    setup = check_proof(claimed, EDITION)
    assert (setup.mode, setup.seats) == (mode, len(seeds))
    assert objectives in (None, setup.objectives)
    assert [card - 1 for card in setup.deck] == list(claimed.deck)
    assert claimed.unopened == tuple(seat for seat, seed in enumerate(seeds) if not seed)


def swapped(order: tuple[int, ...], i: int) -> tuple[int, ...]:
    changed = list(order)
    changed[i], changed[i - 1] = changed[i - 1], changed[i]
    return tuple(changed)


def other_digit(text: str, i: int) -> str:
    return text[:i] + ("1" if text[i] == "0" else "0") + text[i + 1 :]


HONEST = proof()
TAMPERED = [
    *[replace(HONEST, deck=swapped(HONEST.deck, i)) for i in (0, 1, 30, 59)],
    *[replace(HONEST, refill=swapped(HONEST.refill, i)) for i in (0, 1, 30, 59)],
    *[replace(HONEST, server_seed=other_digit(SERVER, i)) for i in (0, 31, 63)],
    *[replace(HONEST, server_commit=other_digit(HONEST.server_commit, i)) for i in (0, 31, 63)],
    *[
        replace(HONEST, seat_seeds=(*SEATS[:i], other_digit(SEATS[i], 5), *SEATS[i + 1 :]))
        for i in range(4)
    ],
    *[replace(HONEST, seat_seeds=(*SEATS[:i], "", *SEATS[i + 1 :])) for i in range(4)],
    *[
        replace(
            HONEST,
            seat_commits=(
                *HONEST.seat_commits[:i],
                other_digit(HONEST.seat_commits[i], 9),
                *HONEST.seat_commits[i + 1 :],
            ),
        )
        for i in range(4)
    ],
    replace(HONEST, seat_seeds=SEATS[::-1]),
    replace(HONEST, seat_seeds=SEATS[:3]),
    replace(HONEST, seat_commits=HONEST.seat_commits[:3]),
    replace(HONEST, seat_seeds=SEATS[:3], seat_commits=HONEST.seat_commits[:3]),
    replace(HONEST, table="T2"),
    replace(HONEST, rules=HONEST.rules.replace("standard", "variant")),
    replace(HONEST, rules=HONEST.rules.replace("n=4", "n=5")),
    replace(HONEST, rules=HONEST.rules.replace("random", "3,8,19")),
    replace(HONEST, rules=other_digit(HONEST.rules, len(HONEST.rules) - 1)),
    replace(HONEST, objectives=(HONEST.objectives[0] % 7 + 1, *HONEST.objectives[1:])),
    replace(HONEST, objectives=(*HONEST.objectives[:2], 15 if HONEST.objectives[2] > 15 else 16)),
]


@pytest.mark.parametrize("claimed", TAMPERED)
def test_a_tampered_proof_is_refused(claimed: Proof) -> None:
    with pytest.raises(Refusal, match="; expected "):
        check_proof(parse_proof(written(claimed)), EDITION)


def test_enough_tampered_proofs() -> None:
    assert len(TAMPERED) >= 35


@pytest.mark.parametrize(
    "rules",
    [
        "base;n=4;obj=random",
        "standard;n=4",
        f"solo;n=4;obj=random;edition={EDITION.sha256}",
        f"standard;n=4;obj=8,3,19;edition={EDITION.sha256}",
        f"standard;n=4;obj=3,8;edition={EDITION.sha256}",
        f"standard;n=4;obj=random;edition={'0' * 64}",
    ],
)
def test_a_server_that_commits_to_bad_rules_is_refused(rules: str) -> None:
    commit = server_commitment("T1", rules, SERVER)
    with pytest.raises(Refusal, match="; expected "):
        check_proof(replace(HONEST, rules=rules, server_commit=commit), EDITION)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"table": "a|b"}, 'table: found the sign "|"'),
        ({"table": 1}, "table: found 1; expected a text"),
        ({"server_seed": "zz" * 32}, "server_seed: found"),
        ({"server_seed": "AA" * 32}, "expected 64 lower-case hexadecimal digits"),
        ({"seat_seeds": ["11"]}, "seat_seeds[0]: found"),
        ({"deck": [0] * 59}, "deck: found 59 indices; expected 60"),
        ({"deck": [60] * 60}, "deck[0]: found 60; expected a whole number from 0 to 59"),
        ({"objectives": [1, 2]}, "objectives: found 2 numbers; expected 3"),
        ({"more": 1}, 'unknown field "more"'),
    ],
)
def test_what_is_no_proof_is_refused_with_its_place(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Refusal) as refusal:
        parse_proof(written(HONEST, **changes))
    assert sentence in str(refusal.value)


def test_the_shuffle_has_no_bias() -> None:
    """24 orders of 4 cards over 12,000 keys: chi-square with 23 degrees of freedom."""
    rng = Random(4)
    seen: dict[tuple[int, ...], int] = {}
    for _ in range(12_000):
        order = tuple(shuffle(rng.randbytes(64), "deck", range(4)))
        seen[order] = seen.get(order, 0) + 1
    assert len(seen) == 24
    assert sum((count - 500) ** 2 / 500 for count in seen.values()) < 49.7  # the 99.9 % limit


def test_labels_give_independent_streams(edition: Edition) -> None:
    key = deal_key(*VECTOR, SERVER, SEATS)
    assert shuffle(key, "deck", range(60)) != shuffle(key, "reshuffle-1", range(60))
    assert edition.sha256 in proof().rules
