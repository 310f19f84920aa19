"""The time that all servers of a PostgreSQL database share; it goes on when its clock jumps.

It is the database's clock and a correction, which stands in `settings`. A server knows by its own
clock, which never jumps, how late it should be. Nothing is stored with a time that is far from
that: the first server that is refused corrects the time, and the others find it as they expect it.
"""

import time

from sideboards.service.log import SERVER_ALIVE
from sideboards.service.postgres_database import Pooled

JUMP = 5_000
"""Milliseconds from the expected time at which it must be a jump."""
SOON = 1_000
"""Milliseconds in which an answer tells the time well enough to go by it."""
CORRECTION = """
    coalesce((SELECT convert_from(value, 'UTF8')::bigint FROM settings WHERE name = 'clock'), 0)"""
TIME = f"(milliseconds() + {CORRECTION})"
NOW = f"SELECT {TIME}"
CORRECT = f"""
    INSERT INTO settings (name, value)
    SELECT 'clock', convert_to(({CORRECTION} - $1::bigint)::text, 'UTF8')
    ON CONFLICT (name) DO UPDATE SET value = excluded.value"""
UNCORRECTED = "DELETE FROM settings WHERE name = 'clock'"
"""For a first server: all deadlines move by the time since the last heartbeat anyway."""
BEATS = "SELECT beat FROM servers WHERE running AND id <> $1"


def near(expected: str) -> str:
    """The time, or none if it is far from an expected one; columns for times refuse that."""
    return f"""(
        SELECT CASE WHEN abs(now - {expected}::bigint) >= {JUMP} THEN NULL ELSE now END
        FROM (SELECT {TIME} AS now) AS clock)"""  # noqa: S608 (ours)


def monotonic() -> int:
    """Milliseconds of a clock that never jumps."""
    return int(time.monotonic() * 1000)


class SharedTime:
    """What one server expects the time to be."""

    def __init__(self) -> None:
        self._ahead: int | None = None
        """Of `monotonic`; None: not yet known."""

    def expected(self) -> int | None:
        """What the time should be now."""
        return None if self._ahead is None else monotonic() + self._ahead

    def is_expected(self, now: int, begun: int) -> bool:
        """Whether a time that was told since `begun` is no jump; then it is gone by."""
        if abs(self._off(now, begun)) >= JUMP:
            return False
        self.go_by(now, begun)
        return True

    def go_by(self, now: int, begun: int) -> None:
        """Expect the time to go on from the one that was told since `begun`."""
        if monotonic() - begun < SOON:
            self._ahead = now - monotonic()

    async def settle(self, connection: Pooled, server: str) -> None:
        """Correct the time after a jump, unless it was this server that stood still.

        Called by one server after the other. Heartbeats of others that are as late as the
        database say so: after a jump nobody stores one before it is corrected.
        """
        begun = monotonic()
        now = int(await connection.fetchval(NOW))
        off = self._off(now, begun)
        if abs(off) < JUMP:
            self.go_by(now, begun)
            return
        beats = await connection.fetch(BEATS, server)
        if any(abs(now - row["beat"]) < SERVER_ALIVE for row in beats):
            self._ahead = None
            self.go_by(now, begun)
        else:
            await connection.execute(CORRECT, off)

    def _off(self, now: int, begun: int) -> int:
        """How far the time that was told at some moment since `begun` is from the expected."""
        if (latest := self.expected()) is None:
            return 0
        earliest = latest - (monotonic() - begun)
        return now - min(max(now, earliest), latest)
