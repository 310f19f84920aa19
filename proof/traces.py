"""A trace of system calls: what a process wrote where, what it synced, when each call ended.

What is asked for through a ring (io_uring) lies in memory, so a trace shows only when something was
asked for and when the end was heard of. Ours is used for syncs of SQLite's log and nothing else;
that it syncs the file for which it was opened is tested on its own (`tests/service/test_ring.py`).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

CALLS = (
    "fdatasync,fsync,sendto,write,writev,sendmsg,pwrite64,ftruncate,unlink,"
    "io_uring_enter,io_uring_register,read"
)
TRACE = ("strace", "-f", "-y", "-xx", "-s", "40000", "--seccomp-bpf", "-e", f"trace={CALLS}", "-o")
BEGIN = re.compile(r'(\d+) +(\w+)\((?:\d+<([^>]*)>|"([^"]*)")(.*)')
RESUMED = re.compile(r"(\d+) +<\.\.\. (\w+) resumed>.* = (-?\d+)")
ENDED = re.compile(r".* = (-?\d+)( \w+ \(.*\))?$")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
NUMBERS = re.compile(r"(?:, (\d+))")
BELL = re.compile(r"\d+ +io_uring_register\((\d+)<[^>]*>, IORING_REGISTER_EVENTFD, \[(\d+)<")
ASKED = re.compile(r"\d+ +io_uring_enter\((\d+)<[^>]*>, 1, 0, 0,")
HEARD = re.compile(r"\d+ +read\((\d+)<[^>]*>, .*(?: = 8|<unfinished \.\.\.>)$")
RING = "io_uring"
LOG = "-wal"
"""How the name of SQLite's log ends."""


@dataclass(slots=True)
class Call:
    """A system call: the lines where it began and ended, its file and the bytes it was given."""

    name: str
    file: str
    data: bytes
    begun: int
    ended: int | None = None
    """None if it never came back."""
    result: int = -1
    numbers: tuple[int, ...] = ()
    """What it was given after the bytes: their number, and their place in a file; or a size."""

    @property
    def is_sync(self) -> bool:
        """Whether it makes what was written durable."""
        return self.name in ("fdatasync", "fsync", RING)


def calls(lines: Iterable[str]) -> list[Call]:
    """The calls of a trace, in the order in which they began."""
    found: list[Call] = []
    under_way: dict[str, Call] = {}
    rings = Rings()
    for number, line in enumerate(lines):
        if rings.takes(number, line.rstrip(), found):
            continue
        if begin := BEGIN.match(line):
            process, name, file, path, rest = begin.groups()
            data = b"".join(map(_plain, TEXT.findall(rest)))
            call = Call(name, _plain(file or path).decode(), data, number)
            given = rest.rpartition('"')[2].partition(")")[0]
            call.numbers = tuple(map(int, NUMBERS.findall(given)))
            found.append(call)
            if end := ENDED.match(rest.rstrip()):
                call.ended, call.result = number, int(end[1])
            else:
                under_way[process] = call
        elif (resumed := RESUMED.match(line)) and resumed[1] in under_way:
            call = under_way.pop(resumed[1])
            call.ended, call.result = number, int(resumed[3])
    return found


@dataclass(slots=True)
class Rings:
    """The rings of the server that is traced, each with one sync at a time, and their bells."""

    bells: dict[str, str] = field(default_factory=dict)
    """By the number of a ring that of what rings when its sync ends."""
    syncs: dict[str, Call] = field(default_factory=dict)
    """Those that are under way, by the bell."""

    def takes(self, number: int, line: str, found: list[Call]) -> bool:
        """Whether a line is about a ring or a bell; a sync is added to the calls."""
        if registered := BELL.match(line):
            self.bells[registered[1]] = registered[2]
        elif asked := ASKED.match(line):
            if (bell := self.bells.get(asked[1])) is not None:
                logs = (call.file for call in reversed(found) if call.file.endswith(LOG))
                self.syncs[bell] = Call(RING, next(logs, ""), b"", number)
                found.append(self.syncs[bell])
        elif heard := HEARD.match(line):
            if (sync := self.syncs.pop(heard[1], None)) is not None:
                sync.ended, sync.result = number, 0
        else:
            return " read(" in line or "io_uring_" in line
        return True


def _plain(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))
