"""What the disk keeps before anybody is told: short form, planted bugs, hand-made traces."""

import asyncio
import re
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

from proof import syncs
from proof.power import Disk
from proof.traces import Call, calls
from sideboards.service.ring import open_ring
from tests.tools import needed

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


def traced(text: str) -> list[Call]:
    """The calls of a readable trace."""

    def as_traced(found: re.Match[str]) -> str:
        marks = {"<head>": bytes(24), "<last>": bytes([0, 0, 0, 2, 0, 0, 0, 9, *bytes(16)])}
        data = marks.get(found[1], found[1].encode())
        return '"' + "".join(f"\\x{byte:02x}" for byte in data) + '"'

    def path_traced(found: re.Match[str]) -> str:
        return found[1] + "".join(f"\\x{byte:02x}" for byte in found[2].encode()) + ">"

    lines = [re.sub(r'"(.*)"', as_traced, line) for line in text.strip().splitlines()]
    return calls(re.sub(r"(\(\d<)([^>]*)>", path_traced, line) for line in lines)


def judged(text: str) -> tuple[int, list[str]]:
    """The number of acknowledgements in a readable trace, and its faults."""
    outcome = syncs.judge(traced(text))
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


THROUGH_A_RING = """
7 io_uring_register(9<other ring>, IORING_REGISTER_EVENTFD, [2<other bell>], 1) = 0
7 io_uring_register(8<ring>, IORING_REGISTER_EVENTFD, [3<bell>], 1) = 0
7 pwrite64(4</a.db-wal>, "<head>", 24, 32) = 24
7 pwrite64(4</a.db-wal>, "…0.0.1.abcd…", 4096, 56) = 4096
7 pwrite64(4</a.db-wal>, "<last>", 24, 4152) = 24
7 pwrite64(4</a.db-wal>, "…", 4096, 4176) = 4096
7 io_uring_enter(8<ring>, 1, 0, 0, NULL, 8) = 1
7 sendto(6<socket:[1]>, "{"type":"public"}", 9, 0, NULL, 0) = 9
7 read(3<bell>, "1", 1024) = 8
7 sendto(6<socket:[1]>, "{"type":"ack","key":"0.1.abcd","seq":2}", 9, 0, NULL, 0) = 9
"""


def test_an_acknowledgement_after_a_sync_through_the_ring_is_fine() -> None:
    assert judged(THROUGH_A_RING) == (1, [])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("7 io_uring_enter(8<ring>, 1,", "7 io_uring_enter(8<ring>, 0,"),
        ("7 io_uring_enter(8<ring>", "7 io_uring_enter(9<of the loop>"),
        ('7 read(3<bell>, "1", 1024) = 8', ""),
        ("7 read(3<bell>", "7 read(5<of the loop>"),
        ('7 read(3<bell>, "1", 1024) = 8', "7 read(3<bell>, 1024) = -1 EAGAIN (again)"),
        ('7 read(3<bell>, "1", 1024) = 8', '7 read(2<other bell>, "1", 1024) = 8'),
    ],
)
def test_one_that_was_not_asked_for_or_not_awaited_is_told(old: str, new: str) -> None:
    assert old in THROUGH_A_RING
    faults = judged(THROUGH_A_RING.replace(old, new))[1]
    assert faults == ["acknowledged before it was synced: 0.1.abcd"]


def test_a_sync_in_the_middle_of_a_commit_is_none() -> None:
    lines = GOOD.strip().splitlines()
    early = [*lines[:2], lines[4], lines[6], *lines[2:4], lines[7]]
    assert judged("\n".join(early))[1] == ["acknowledged before it was synced: 0.1.abcd"]


WRITTEN = """
7 pwrite64(4</f/a.db>, "old", 3, 0) = 3
7 fdatasync(4</f/a.db>) = 0
7 pwrite64(5</f/a.db-wal>, "log", 3, 4094) = 3
7 fdatasync(9</f>) = 0
7 fdatasync(5</f/a.db-wal> <unfinished ...>
8 pwrite64(4</f/a.db>, "new", 3, 0) = 3
7 <... fdatasync resumed>) = 0
8 ftruncate(4</f/a.db>, 2) = 0
8 fdatasync(4</f/a.db>) = 0
8 unlink("/f/a.db-wal") = 0
7 fdatasync(9</f>) = 0
"""
"""A file, its log, and a checkpoint, as a readable trace."""


def left(at: int, rng: Random | None = None) -> dict[str, bytes]:
    """What a power loss leaves of that at a line."""
    return Disk.of(traced(WRITTEN), Path("/f/a.db")).after(at, rng).files


def test_a_power_loss_leaves_what_was_synced_and_nothing_else() -> None:
    log = bytes(4094) + b"log"
    assert left(3) == {}  # nobody has synced the folder
    assert left(4) == {"/f/a.db": b"old", "/f/a.db-wal": b""}
    assert left(6) == {"/f/a.db": b"old", "/f/a.db-wal": b""}  # that sync has not yet ended
    assert left(7) == left(8) == {"/f/a.db": b"old", "/f/a.db-wal": log}
    assert left(9) == left(10) == {"/f/a.db": b"ne", "/f/a.db-wal": log}
    assert left(11) == {"/f/a.db": b"ne"}


def some_of(at: int, file: str) -> set[bytes]:
    return {left(at, Random(n))[file] for n in range(200)}


def test_a_torn_write_may_leave_any_of_its_pages() -> None:
    pages = {b"", bytes(4094) + b"lo", bytes(4096) + b"g", bytes(4094) + b"log"}
    assert some_of(5, "/f/a.db-wal") == pages
    assert some_of(6, "/f/a.db") == {b"old", b"new"}
    assert some_of(8, "/f/a.db") == {b"old", b"new", b"ol", b"ne"}


def test_a_sync_that_fails_keeps_nothing() -> None:
    failed = WRITTEN.replace("resumed>) = 0", "resumed>) = -1 EIO (Input/output error)")
    disk = Disk.of(traced(failed), Path("/f/a.db"))
    assert disk.after(9).files["/f/a.db-wal"] == b""


def test_without_strace_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.tools.MORE", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    (fault,) = syncs.run(tmp_path, ACKS, 0).faults
    assert fault == "strace is not installed; expected Debian's package strace"


def has_ring(folder: Path) -> bool:
    """Whether this machine offers rings."""

    async def tried() -> bool:
        (folder / "tried").touch()
        if (ring := open_ring(folder / "tried")) is not None:
            await ring.close()
        return ring is not None

    return asyncio.run(tried())


@pytest.fixture
def strace() -> None:
    needed("strace")


@LONG
@pytest.mark.usefixtures("strace")
@pytest.mark.parametrize("ring", [True, False])
def test_every_acknowledgement_leaves_after_the_sync_of_its_commit(
    tmp_path: Path, seed: int, *, ring: bool
) -> None:
    outcome = syncs.run(tmp_path, ACKS, seed, ring=ring)
    assert not outcome.faults, outcome
    through = outcome.figures["syncs through a ring"]
    assert through > ACKS / 4 if ring and has_ring(tmp_path) else through == 0, outcome
    assert outcome.done >= ACKS
    assert outcome.figures["power losses"] >= 50
    assert outcome.figures["power losses beside a checkpoint"] >= 15
    assert outcome.figures["acknowledgements looked for after a power loss"] >= ACKS


@LONG
@pytest.mark.usefixtures("strace")
@pytest.mark.parametrize(
    ("mutant", "faults"),
    [
        pytest.param(name, faults, marks=pytest.mark.catches(name))
        for name, faults in [
            ("synchronous=NORMAL", ("acknowledged before it was synced", "acknowledged are lost")),
            ("sync unawaited", ("acknowledged before it was synced",)),
            ("acknowledge first", ("acknowledged before it was written",)),
            ("checkpoint unsynced", ("power lost at line",)),
        ]
    ],
)
def test_the_trace_shows_what_a_kill_cannot(
    tmp_path: Path, seed: int, mutant: str, faults: Iterable[str]
) -> None:
    outcome = syncs.run(tmp_path, 10, seed, mutant)
    for fault in faults:
        assert any(fault in found for found in outcome.faults), outcome
