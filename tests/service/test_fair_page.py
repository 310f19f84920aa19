"""The lines of docs/fair.md with which anybody checks a deal, run as anybody would run them."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sideboards.core.fair import deal_key, seat_commitment, server_commitment, shuffle
from tests.service.processes import serving
from tests.service.stranger import play
from tests.service.uncompiled import PROGRAM
from tests.test_fair import SEATS, SERVER, TAMPERED, VECTOR, proof, written

pytestmark = pytest.mark.long
PAGE = Path(__file__).parents[2] / "docs" / "fair.md"
Claims = dict[str, Any]


def lines() -> str:
    (found,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return str(found)


def checked(claims: bytes, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "check.py").write_text(lines())
    (folder / "proof.json").write_bytes(claims)
    return subprocess.run(
        [sys.executable, "-I", "-S", "-O", "check.py", "proof.json"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=20,
    )


def refused(done: subprocess.CompletedProcess[str]) -> bool:
    """Whether it says no, or cannot even read what was changed."""
    return done.returncode != 0 and "proven" not in done.stdout


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Claims:
    """The proof of a real game against bots."""
    folder = tmp_path_factory.mktemp("game")
    quick = ("--test-mode", "--bot-beat", "0", "--processes", "1")
    database = ("--database", str(folder / "games.db"))
    with serving(PROGRAM, *quick, *database, cwd=folder) as server:
        play(server.address, folder)
    claims: Claims = json.loads((folder / "proof.json").read_bytes())
    return claims


def test_there_are_at_most_thirty_lines_of_the_standard_library() -> None:
    assert len(lines().splitlines()) <= 30
    assert re.findall(r"import (.*)", lines()) == ["hashlib, hmac, json, sys"]


def test_a_real_game_is_proven(real: Claims, tmp_path: Path) -> None:
    done = checked(json.dumps(real).encode(), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "The deal is proven. Seats without a seed: [1, 2]\n"


@pytest.mark.parametrize("objectives", [None, (3, 8, 19)])
def test_chosen_objectives_are_proven_too(
    objectives: tuple[int, int, int] | None, tmp_path: Path
) -> None:
    done = checked(written(proof(objectives=objectives)), tmp_path)
    assert (done.returncode, done.stdout) == (
        0,
        "The deal is proven. Seats without a seed: []\n",
    )


def claims_of(table: str, rules: str, seeds: tuple[str, ...]) -> Claims:
    """What a server would publish that keeps to its numbers, whatever the rules string says."""
    key = deal_key(table, rules, SERVER, seeds)
    kinds = {"color": range(1, 8), "handle": range(8, 15), "row": range(15, 31)}
    return {
        "table": table,
        "rules": rules,
        "server_seed": SERVER,
        "server_commit": server_commitment(table, rules, SERVER),
        "seat_seeds": seeds,
        "seat_commits": [seat_commitment(table, seat, seed) for seat, seed in enumerate(seeds)],
        "deck": shuffle(key, "deck", range(60)),
        "objectives": [shuffle(key, f"objectives-{x}", kinds[x])[0] for x in kinds],
        "refill": shuffle(key, "reshuffle-1", range(60)),
    }


def test_the_published_vector(tmp_path: Path) -> None:
    table, rules = VECTOR
    claims = claims_of(table, rules, SEATS)
    text = PAGE.read_text()
    assert f"`{table}`" in text
    assert f"`{rules}`" in text
    assert f"the deck with {' '.join(map(str, claims['deck'][:6]))}." in text
    assert f"begins with `{claims['server_commit'][:12]}`" in text
    assert claims["deck"][:6] == [50, 15, 55, 31, 21, 12]
    assert checked(json.dumps(claims).encode(), tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("table", "seeds"), [("T1", SEATS[:3]), ("T1", (*SEATS, "5" * 64)), ("T1|x", SEATS)]
)
def test_a_server_that_commits_to_other_seats_is_refused(
    table: str, seeds: tuple[str, ...], tmp_path: Path
) -> None:
    claims = claims_of(table, VECTOR[1], seeds)
    done = checked(json.dumps(claims).encode(), tmp_path)
    assert done.stderr == "NOT PROVEN: other seats than agreed\n"


def swap(name: str, i: int) -> Callable[[Claims], None]:
    def change(claims: Claims) -> None:
        order = claims[name]
        order[i], order[i - 1] = order[i - 1], order[i]

    return change


def digit(name: str, i: int, place: int | None = None) -> Callable[[Claims], None]:
    def change(claims: Claims) -> None:
        text = claims[name] if place is None else claims[name][place]
        changed = text[:i] + ("1" if text[i] == "0" else "0") + text[i + 1 :]
        if place is None:
            claims[name] = changed
        else:
            claims[name][place] = changed

    return change


def put(name: str, value: Callable[[Any], Any]) -> Callable[[Claims], None]:
    return lambda claims: claims.update({name: value(claims[name])})


def another(name: str, i: int) -> Callable[[Claims], None]:
    def change(claims: Claims) -> None:
        claims[name][i] += 1

    return change


CHANGES = [
    *[swap(name, i) for name in ("deck", "refill") for i in (0, 1, 17, 30, 44, 59)],
    *[digit(name, i) for name in ("server_seed", "server_commit") for i in (0, 13, 31, 63)],
    *[digit("seat_seeds", i, 0) for i in (0, 31, 63)],
    *[digit("seat_commits", i, 0) for i in (0, 31, 63)],
    put("seat_seeds", lambda seeds: ["", *seeds[1:]]),
    put("seat_seeds", lambda seeds: [*seeds[:2], "5" * 64]),
    put("seat_seeds", lambda seeds: seeds[1:] + seeds[:1]),
    put("seat_seeds", lambda seeds: seeds[:2]),
    put("seat_commits", lambda commits: commits[:2]),
    put("table", lambda table: table + "x"),
    put("table", lambda table: f"{table}|x"),
    put("rules", lambda rules: rules.replace("standard", "variant")),
    put("rules", lambda rules: rules.replace("n=3", "n=4")),
    put("rules", lambda rules: rules.replace("random", "3,8,19")),
    *[another("objectives", i) for i in range(3)],
]


def test_a_real_proof_that_was_changed_is_refused(real: Claims, tmp_path: Path) -> None:
    assert len(CHANGES) >= 35
    for number, change in enumerate(CHANGES):
        claims: Claims = json.loads(json.dumps(real))
        change(claims)
        assert claims != real, number
        assert refused(checked(json.dumps(claims).encode(), tmp_path)), number


def test_what_the_program_refuses_is_refused_here_too(tmp_path: Path) -> None:
    for number, claimed in enumerate(TAMPERED):
        assert refused(checked(written(claimed), tmp_path)), number
