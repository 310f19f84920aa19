"""A bot in a seat: looks at the view, chooses, until the game has ended."""

import asyncio
from random import Random

from sideboards.client.refusal import ServerRefusal
from sideboards.client.seat import Seat
from sideboards.core.view import View
from sideboards.minds.bots import Bot


async def play_bot(seat: Seat, bot: Bot, rng: Random) -> View | None:
    """Let a bot play a seat to the end; the last view, or None if no card was dealt.

    It thinks in a thread, so that the connection lives on. Raises what the server refuses, unless
    the round was closed in the meantime.
    """
    while (now := await seat.turn()) is not None:
        asked_at = seat.seq
        move = await asyncio.to_thread(bot, now, rng)
        try:
            await seat.play(move, now)
        except ServerRefusal:
            if seat.over or seat.seq == asked_at:
                raise
    return await seat.ended()
