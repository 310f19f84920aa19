"""The easel: draws previews of tables one after another in a process of their own, and keeps them.

Drawing takes half a second of a core, in which a server could not do anything else.
"""

import asyncio
import subprocess
import sys
from collections import OrderedDict

from sideboards.core.board import Board
from sideboards.core.edition import Edition, Numbers
from sideboards.service import logs
from sideboards.service.pictures import preview_svg

PROGRAM = (sys.executable, "-P", "-m", "sideboards.service.pictures")
LIMIT = 20.0
"""Seconds after which a drawing is given up."""
PATIENCE = 0.4
"""Seconds that somebody waits for a picture; it is finished all the same."""
MOST_KEPT, MOST_WAITING = 100, 10
Motif = tuple[Numbers | None, tuple[Board, ...]]
"""What is drawn: objectives and boards."""


class Easel:
    """Where previews are drawn."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Motif, bytes] = OrderedDict()
        self._drawing: dict[Motif, asyncio.Task[None]] = {}
        self._brush = asyncio.Lock()

    async def preview(self, motif: Motif, edition: Edition) -> bytes | None:
        """The picture as PNG; None if it is not ready soon."""
        if motif not in self._kept:
            if motif not in self._drawing and len(self._drawing) < MOST_WAITING:
                self._drawing[motif] = asyncio.create_task(self._draw(motif, edition))
            if task := self._drawing.get(motif):
                await asyncio.wait({task}, timeout=PATIENCE)
        found = self._kept.get(motif)
        if found is not None:
            self._kept.move_to_end(motif)
        return found

    async def _draw(self, motif: Motif, edition: Edition) -> None:
        try:
            async with self._brush:
                drawing = preview_svg(*motif, edition).encode()
                done = await asyncio.to_thread(
                    subprocess.run,
                    PROGRAM,
                    input=drawing,
                    capture_output=True,
                    check=True,
                    timeout=LIMIT,
                )
            self._kept[motif] = done.stdout
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        except (OSError, subprocess.SubprocessError) as error:
            logs.failure_log(error)
        finally:
            del self._drawing[motif]
