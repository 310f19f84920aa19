"""Learning agents in twin worlds: what their environments tell them, see `proof.environment`."""

import asyncio
import sys

import msgspec

ENOUGH = 0.95
"""The share of pairs that must be seen to differ."""
LIMIT = 300.0
"""Seconds in which all pairs must be played."""


class Told(msgspec.Struct):
    """What was found in all pairs."""

    pairs: int = 0
    compared: int = 0
    """Bytes."""
    changed: int = 0
    """Pairs of which somebody was told something else afterwards."""
    faults: list[str] = []

    def judge(self) -> None:
        """Worlds that never differ would prove nothing."""
        if self.changed < ENOUGH * self.pairs:
            self.faults.append(f"agents: only {self.changed} of {self.pairs} pairs differ later")

    @property
    def figures(self) -> dict[str, float]:
        """What was counted."""
        return {"pairs over environment": self.pairs, "bytes of environment": self.compared}


async def in_a_process(seed: int, count: int, mutant: str) -> Told:
    """What a process of its own finds in so many pairs."""
    if not count:
        return Told()
    command = [sys.executable, "-m", "proof.environment", str(seed), str(count), mutant or "none"]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        async with asyncio.timeout(LIMIT):
            said, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        return Told(faults=[f"agents: their process ended with {process.returncode}"])
    return msgspec.json.decode(said, type=Told)
