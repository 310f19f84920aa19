"""What the disk keeps before anybody is told: short form, planted bugs, hand-made traces."""

import re
from pathlib import Path

import pytest

from proof import syncs

ACKS = 200
LONG = pytest.mark.long
GOOD = """
7 pwrite64(4</a.db-wal>, "<head>", 24, 32) = 24
7 pwrite64(4</a.db-wal>, "…0.0.1.abcd…", 4096, 56) = 4096
7 pwrite64(4</a.db-wal>, "<last>", 24, 4152) = 24
7 pwrite64(4</a.db-wal>, "…", 4096, 4176) = 4096
7 fdatasync(4</a.db-wal> <unfinished ...>
9 sendto(6<socket:[1]>, "{"type":"public"}", 9, 0, NULL, 0) = 9
7 <... fdatasync resumed>) = 0
9 sendto(6<socket:[1]>, "{"type":"ack","key":"0.1.abcd","seq":2}", 9, 0, NULL, 0) = 9
"""


def judged(text: str) -> tuple[int, list[str]]:
    """The number of acknowledgements in a readable trace, and its faults."""

    def as_traced(found: re.Match[str]) -> str:
        marks = {"<head>": bytes(24), "<last>": bytes([0, 0, 0, 2, 0, 0, 0, 9, *bytes(16)])}
        data = marks.get(found[1], found[1].encode())
        return '"' + "".join(f"\\x{byte:02x}" for byte in data) + '"'

    def path_traced(found: re.Match[str]) -> str:
        return found[1] + "".join(f"\\x{byte:02x}" for byte in found[2].encode()) + ">"

    lines = [re.sub(r'"(.*)"', as_traced, line) for line in text.strip().splitlines()]
    lines = [re.sub(r"(\(\d<)([^>]*)>", path_traced, line) for line in lines]
    outcome = syncs.judge(syncs.calls(lines))
    return outcome.done, list(outcome.faults)


def test_an_acknowledgement_after_its_sync_is_fine() -> None:
    assert judged(GOOD) == (1, [])


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("7 fdatasync(4</a.db-wal> <unfinished ...>", "", "synced"),
        ("7 <... fdatasync resumed>) = 0", "", "synced"),
        ("resumed>) = 0", "resumed>) = -1 EIO (Input/output error)", "synced"),
        ("fdatasync(4</a.db-wal>", "fdatasync(4</a.db>", "synced"),
        ("0.0.1.abcd", "0.0.1.other", "written"),
    ],
)
def test_one_without_is_told(old: str, new: str, fault: str) -> None:
    assert old in GOOD
    assert judged(GOOD.replace(old, new)) == (
        1,
        [f"acknowledged before it was {fault}: 0.1.abcd"],
    )


def test_a_sync_in_the_middle_of_a_commit_is_none() -> None:
    lines = GOOD.strip().splitlines()
    early = [*lines[:2], lines[4], lines[6], *lines[2:4], lines[7]]
    assert judged("\n".join(early))[1] == ["acknowledged before it was synced: 0.1.abcd"]


@LONG
def test_every_acknowledgement_leaves_after_the_sync_of_its_commit(
    tmp_path: Path, seed: int
) -> None:
    outcome = syncs.run(tmp_path, ACKS, seed)
    assert not outcome.faults, outcome
    assert outcome.done >= ACKS


@LONG
@pytest.mark.parametrize(
    ("mutant", "fault"),
    [
        pytest.param(name, fault, marks=pytest.mark.catches(name))
        for name, fault in [
            ("synchronous=NORMAL", "acknowledged before it was synced"),
            ("acknowledge first", "acknowledged before it was written"),
        ]
    ],
)
def test_the_trace_shows_what_a_kill_cannot(
    tmp_path: Path, seed: int, mutant: str, fault: str
) -> None:
    outcome = syncs.run(tmp_path, 10, seed, mutant)
    assert any(found.startswith(fault) for found in outcome.faults), outcome
