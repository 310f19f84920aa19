"""The numbered steps that lead from one version of the database to another, both ways.

Beside this file, `sqlite/` and `postgres/` hold `0001_name.up.sql` and `0001_name.down.sql`:
the first leads from version 0 (an empty database) to 1, the second back.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sideboards.core.refusal import Refusal

Dialect = Literal["sqlite", "postgres"]
SHIPPED = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Step:
    """One script, and the version that the database has after it."""

    version: int
    sql: str


def newest(dialect: Dialect, folder: Path = SHIPPED) -> int:
    """The version that this program works with."""
    return len(list((folder / dialect).glob("*.up.sql")))


def steps(dialect: Dialect, have: int, to: int | None, folder: Path = SHIPPED) -> list[Step]:
    """The scripts from version `have` to version `to` (None: the newest), in order."""
    last = newest(dialect, folder)
    if have > last:
        raise Refusal(
            f"the database has version {have}, made by a newer Sideboards; expected at most {last}"
        )
    to = last if to is None else to
    if not 0 <= to <= last:
        raise Refusal(f"version: found {to}; expected 0 to {last}")
    if have <= to:
        return [Step(n, _script(folder / dialect, n, "up")) for n in range(have + 1, to + 1)]
    return [Step(n - 1, _script(folder / dialect, n, "down")) for n in range(have, to, -1)]


def _script(folder: Path, number: int, way: str) -> str:
    (file,) = folder.glob(f"{number:04}_*.{way}.sql")
    return file.read_text(encoding="utf-8")
