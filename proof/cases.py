"""Cases: what was sent over the one connection that something went wrong with, to be sent again.

A fault of a run with hostile input names its file. Those in `tests/proof/cases` are sent again in
every run. `python -m proof.cases FILE…` sends some to a new server.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Literal

import msgspec

from proof.history import FAILURES
from sideboards.core.refusal import Refusal

Role = Literal["stranger", "spectator", "seat", "flooder", "bytes"]
KEPT = Path(__file__).parents[1] / "tests" / "proof" / "cases"
"""Where cases are that are sent again in every run."""
LAST = 300
"""Messages of a case; those before the last ones are left out."""


class Batch(msgspec.Struct, frozen=True):
    """Messages that were sent at once: a character is a byte, so that any bytes can be kept."""

    kind: str
    texts: list[str]

    @classmethod
    def of(cls, kind: str, messages: list[bytes]) -> "Batch":
        """The batch of some messages."""
        return cls(kind, [data.decode("latin-1") for data in messages])

    @property
    def messages(self) -> list[bytes]:
        """The bytes that were sent."""
        return [text.encode("latin-1") for text in self.texts]


class Case(msgspec.Struct):
    """What somebody sent over one connection."""

    seed: int
    """That of the run that it comes from."""
    role: Role
    batches: list[Batch] = []
    fault: str = ""
    """What went wrong at that time."""

    def add(self, batch: Batch) -> None:
        """Keep what is sent next, and of all that at least the last messages."""
        self.batches.append(batch)
        while sum(len(each.texts) for each in self.batches[1:]) >= LAST:
            del self.batches[0]

    def save(self, folder: Path) -> Path:
        """Write it as JSON under a name that is free."""
        folder.mkdir(parents=True, exist_ok=True)
        number = 1
        while (path := folder / f"fuzz-{self.seed}-{number}.json").exists():
            number += 1
        path.write_bytes(msgspec.json.format(msgspec.json.encode(self), indent=1))
        return path

    @classmethod
    def load(cls, path: Path) -> "Case":
        """The case in a file; a file that is none is refused."""
        try:
            return msgspec.json.decode(path.read_bytes(), type=cls)
        except (OSError, msgspec.MsgspecError) as error:
            raise Refusal(f"{path}: {error}; expected a case as a fault names it") from error


def again(path: Path) -> str:
    """The command that sends a case again."""
    short = path.relative_to(FAILURES.parent) if path.is_relative_to(FAILURES.parent) else path
    return f"python -m proof.cases {short}"


def kept() -> list[Case]:
    """The cases that are sent again in every run."""
    return [Case.load(path) for path in sorted(KEPT.glob("*.json"))]


def main(arguments: list[str] | None = None) -> int:
    """Send cases again and say what went wrong; the exit code is 1 after a fault."""
    from proof.fuzz import replay  # noqa: PLC0415 (which keeps its cases with this module)

    parser = argparse.ArgumentParser("python -m proof.cases", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="cases as faults name them")
    parser.add_argument("--mutant", default="", help="a planted bug, see proof/mutants")
    asked = parser.parse_args(arguments)
    try:
        cases = [Case.load(file) for file in asked.files]
    except Refusal as refusal:
        print(f"proof: {refusal}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="sideboards-proof-") as folder:
        outcome = replay(Path(folder), cases, asked.mutant)
    print(f"{len(cases)} cases, {outcome.done} messages, {len(outcome.faults)} faults")
    for fault in outcome.faults:
        print(f"  fault: {fault}")
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
