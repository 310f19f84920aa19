"""A trace of system calls: what a process wrote where, what it synced, when each call ended."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

CALLS = "fdatasync,fsync,sendto,write,writev,sendmsg,pwrite64,ftruncate,unlink"
TRACE = ("strace", "-f", "-y", "-xx", "-s", "40000", "--seccomp-bpf", "-e", f"trace={CALLS}", "-o")
BEGIN = re.compile(r'(\d+) +(\w+)\((?:\d+<([^>]*)>|"([^"]*)")(.*)')
RESUMED = re.compile(r"(\d+) +<\.\.\. (\w+) resumed>.* = (-?\d+)")
ENDED = re.compile(r".* = (-?\d+)( \w+ \(.*\))?$")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
NUMBERS = re.compile(r"(?:, (\d+))")


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
        return self.name in ("fdatasync", "fsync")


def calls(lines: Iterable[str]) -> list[Call]:
    """The calls of a trace, in the order in which they began."""
    found: list[Call] = []
    under_way: dict[str, Call] = {}
    for number, line in enumerate(lines):
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


def _plain(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))
