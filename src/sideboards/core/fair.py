"""Provably fair deals ("SB1"): seeds and commitments turn into the order of the deck, and back.

The server publishes a commitment to its seed before it sees the seats' seeds; every seat does
the same; all are opened at the start and mixed. So nobody can choose the cards, and everybody
can check afterwards that nobody did.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sideboards.core.edition import CARDS, NUMBERS, Edition, Numbers
from sideboards.core.game import Setup, check_seats
from sideboards.core.notation import parse_objectives
from sideboards.core.refusal import Refusal, quoted
from sideboards.core.scoring import MODES, Mode
from sideboards.core.strict import Node, read_json

SCHEME = "SB1"
SEED_DIGITS = 64
"""A seed is 32 bytes, written as 64 lower-case hexadecimal digits."""

_RULES = re.compile(
    r"(?P<mode>[a-z]+);n=(?P<seats>[1-9]);obj=(?P<objectives>random|[0-9,]+);edition=(?P<sha256>[0-9a-f]{64})"
)
_SEED = re.compile(f"[0-9a-f]{{{SEED_DIGITS}}}")


def is_seed(text: str) -> bool:
    """Whether a text can be a seed.

    >>> is_seed("0" * 64), is_seed("0" * 63 + "|")
    (True, False)
    """
    return _SEED.fullmatch(text) is not None


def rules_string(edition: Edition, mode: Mode, seats: int, objectives: Numbers | None) -> str:
    """What is agreed before the deal: ``standard;n=4;obj=random;edition=…``."""
    chosen = ",".join(map(str, objectives)) if objectives else "random"
    return f"{mode};n={seats};obj={chosen};edition={edition.sha256}"


def server_commitment(table: str, rules: str, server_seed: str) -> str:
    """What the server publishes before anybody sits down."""
    return _sha256("server", table, rules, server_seed)


def seat_commitment(table: str, seat: int, seat_seed: str) -> str:
    """What a seat publishes before the seeds are opened."""
    return _sha256("seat", table, str(seat), seat_seed)


def deal_key(table: str, rules: str, server_seed: str, seat_seeds: Sequence[str]) -> bytes:
    """The key of all random streams of one game; a seat that opened no seed counts as ""."""
    return _mac(bytes.fromhex(server_seed), "deal", table, rules, *seat_seeds)


def shuffle(key: bytes, label: str, items: Iterable[int]) -> list[int]:
    """`items` in the order of the stream `label`: Fisher-Yates, without modulo bias."""
    words, shuffled = _words(key, label), list(items)
    for i in range(len(shuffled) - 1, 0, -1):
        j = place(words, i + 1)
        shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
    return shuffled


def place(words: Iterator[int], places: int) -> int:
    """One of so many places, all equally likely: a word that would prefer some is skipped.

    >>> place(iter([2**32 - 1, 7]), places=5)
    2
    """
    limit = 2**32 - 2**32 % places
    return next(word for word in words if word < limit) % places


def fair_setup(key: bytes, edition: Edition, rules: str) -> Setup:
    """The set-up that a key and a rules string decide."""
    mode, seats, objectives = _parse_rules(rules, edition)
    if objectives is None:
        color, handle, row = (
            shuffle(key, f"objectives-{kind}", numbers)[0] for kind, numbers in NUMBERS.items()
        )
        objectives = (color, handle, row)
    return Setup(
        edition=edition,
        mode=mode,
        seats=seats,
        objectives=objectives,
        deck=tuple(index + 1 for index in shuffle(key, "deck", range(CARDS))),
        refill=tuple(index + 1 for index in shuffle(key, "reshuffle-1", range(CARDS))),
    )


@dataclass(frozen=True, slots=True)
class Proof:
    """What is published when a game is over: all seeds, their commitments, and the deal.

    `deck` and `refill` hold indices: index i means the card with number i + 1.
    """

    table: str
    rules: str
    server_seed: str
    server_commit: str
    seat_seeds: tuple[str, ...]
    seat_commits: tuple[str, ...]
    deck: tuple[int, ...]
    objectives: Numbers
    refill: tuple[int, ...]

    @property
    def unopened(self) -> tuple[int, ...]:
        """The seats without a seed of their own: bots, and whoever did not open it in time."""
        return tuple(seat for seat, seed in enumerate(self.seat_seeds) if not seed)


def parse_proof(data: bytes) -> Proof:
    """The proof in the bytes of a proof file; its claims are not yet checked."""
    names = {"table", "rules", "server_seed", "server_commit", "seat_seeds", "seat_commits"}
    fields = read_json(data).fields(names | {"deck", "objectives", "refill"})
    for name in ("table", "rules"):
        if "|" in fields[name].line(200):
            fields[name].refuse('found the sign "|"', "a text without it")
    color, handle, row = (node.whole(1, 30) for node in fields["objectives"].items(3, 3, "numbers"))
    deck, refill = (
        tuple(node.whole(0, CARDS - 1) for node in fields[name].items(CARDS, CARDS, "indices"))
        for name in ("deck", "refill")
    )
    return Proof(
        table=fields["table"].text(),
        rules=fields["rules"].text(),
        server_seed=fields["server_seed"].hexadecimal(SEED_DIGITS),
        server_commit=fields["server_commit"].hexadecimal(SEED_DIGITS),
        seat_seeds=_parse_seeds(fields["seat_seeds"]),
        seat_commits=_parse_seeds(fields["seat_commits"]),
        deck=deck,
        objectives=(color, handle, row),
        refill=refill,
    )


def check_proof(proof: Proof, edition: Edition) -> Setup:
    """The set-up that a proof proves; refuses a proof in which anything was changed."""
    if server_commitment(proof.table, proof.rules, proof.server_seed) != proof.server_commit:
        raise Refusal("server_seed: does not fit server_commit; expected the committed seed")
    if len(proof.seat_seeds) != len(proof.seat_commits):
        raise Refusal(
            f"seat_commits: found {len(proof.seat_commits)}; expected {len(proof.seat_seeds)}"
        )
    for seat, (seed, commit) in enumerate(zip(proof.seat_seeds, proof.seat_commits, strict=True)):
        if seed and seat_commitment(proof.table, seat, seed) != commit:
            raise Refusal(
                f"seat_seeds[{seat}]: does not fit its commit; expected the committed seed"
            )
    key = deal_key(proof.table, proof.rules, proof.server_seed, proof.seat_seeds)
    setup = fair_setup(key, edition, proof.rules)
    if len(proof.seat_seeds) != setup.seats:
        raise Refusal(f"seat_seeds: found {len(proof.seat_seeds)}; expected {setup.seats}")
    for name, found, dealt in (
        ("objectives", proof.objectives, setup.objectives),
        ("deck", tuple(index + 1 for index in proof.deck), setup.deck),
        ("refill", tuple(index + 1 for index in proof.refill), setup.refill),
    ):
        if found != dealt:
            raise Refusal(f"{name}: not what the seeds decide; expected {quoted(list(dealt))}")
    return setup


def _parse_rules(rules: str, edition: Edition) -> tuple[Mode, int, Numbers | None]:
    match = _RULES.fullmatch(rules)
    mode: Mode | None = next((m for m in MODES if match and match["mode"] == m), None)
    if match is None or mode is None:
        expected = "standard;n=4;obj=random;edition=… (or variant, solo; obj=3,8,19)"
        raise Refusal(f"rules: found {quoted(rules)}; expected {expected}")
    if match["sha256"] != edition.sha256:
        raise Refusal(
            f"rules: edition {match['sha256'][:12]}… is not {quoted(edition.name)} "
            f"({edition.sha256[:12]}…); expected the edition's own file"
        )
    check_seats(int(match["seats"]), mode)
    if match["objectives"] == "random":
        return mode, int(match["seats"]), None
    try:
        return mode, int(match["seats"]), parse_objectives(match["objectives"])
    except Refusal as refusal:
        raise Refusal(f"rules: {refusal}") from None


def _parse_seeds(node: Node) -> tuple[str, ...]:
    return tuple(
        "" if item.value == "" else item.hexadecimal(SEED_DIGITS)
        for item in node.items(1, 6, "seats")
    )


def _sha256(*parts: str) -> str:
    return hashlib.sha256("|".join((SCHEME, *parts)).encode()).hexdigest()


def _mac(key: bytes, *parts: str) -> bytes:
    return hmac.digest(key, "|".join((SCHEME, *parts)).encode(), "sha512")


def _words(key: bytes, label: str) -> Iterator[int]:
    """An endless stream of 32-bit words: blocks in counter mode."""
    counter = 0
    while True:
        block = _mac(key, label, str(counter))
        counter += 1
        for i in range(0, len(block), 4):
            yield int.from_bytes(block[i : i + 4], "big")
