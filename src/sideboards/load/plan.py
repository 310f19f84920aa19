"""A plan: how many people play how fast for how long, and where that may be done."""

import ipaddress
import shlex
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from sideboards.client import check_server
from sideboards.core.refusal import Refusal, quoted

MOST_PEOPLE = 20_000
MOST_SECONDS = 7 * 86_400.0
MOST_MOVES = 100_000.0
THINKING = 5.0
"""Seconds that a person thinks about a move, where nobody asks for another pace."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How often people do what, in terms of moves; who leaves lets a bot play on."""

    drafts: float = 0.3
    swaps: float = 0.15
    changes_mind: float = 0.06
    reloads: float = 0.02
    goes_away: float = 0.01
    leaves: float = 0.001
    reload: tuple[float, float] = (0.0, 0.2)
    away: tuple[float, float] = (0.5, 3.0)
    """Seconds without a connection: a page that is loaded again, a person in the kitchen."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many people play how fast for how long."""

    url: str
    tables: int = 20
    players: int = 4
    """Seats of a table."""
    bots: int = 0
    """Of these, seats of bots."""
    moves_per_second: float | None = None
    """Of all people together; None: everybody thinks for about 5 seconds."""
    seconds: float = 30.0
    seed: int = 0
    mine: bool = False
    """Whether a server that is not on this machine may be loaded."""
    habits: Habits = Habits()

    def __post_init__(self) -> None:
        """Refuse what cannot be done, or should not be."""
        object.__setattr__(self, "url", check_server(self.url))
        for name, value, least, most in (
            ("--tables", self.tables, 1, MOST_PEOPLE),
            ("--players", self.players, 1, 6),
            ("--bots", self.bots, 0, self.players - 1),
            ("--seconds", self.seconds, 0.1, MOST_SECONDS),
            ("--moves-per-second", self.pace, 0.01, MOST_MOVES),
        ):
            if not least <= value <= most:
                raise Refusal(f"{name}: found {value:g}; expected {least:g} to {most:g}")
        if self.people > MOST_PEOPLE:
            raise Refusal(f"--tables: found {self.people} people; expected at most {MOST_PEOPLE}")
        if not self.mine and not is_loopback(self.url):
            raise Refusal(
                f"server: found {quoted(self.url)}, which is not this machine; expected "
                "http://localhost:port, or --yes-it-is-mine if the server is yours"
            )

    @property
    def people(self) -> int:
        """How many people play at the same time."""
        return self.tables * (self.players - self.bots)

    @property
    def pace(self) -> float:
        """Moves per second of all people together."""
        wanted = self.moves_per_second
        return self.tables * (self.players - self.bots) / THINKING if wanted is None else wanted

    @property
    def again(self) -> str:
        """The command that lets the same people do the same again."""
        command = ["sideboards", "load", self.url]
        for option, value in (
            ("--tables", self.tables),
            ("--players", self.players),
            ("--bots", self.bots),
            ("--moves-per-second", self.moves_per_second),
            ("--seconds", self.seconds),
            ("--seed", self.seed),
        ):
            if value is not None:
                command += [option, repr(value).removesuffix(".0")]
        return shlex.join([*command, "--yes-it-is-mine"] if self.mine else command)

    def check(self, limits: dict[str, Any]) -> None:
        """Refuse what a server does not allow one address; says with which option it would."""
        for name, option in (
            ("sockets_per_address", "--sockets-per-address"),
            ("guests_per_hour", "--guests-per-hour"),
        ):
            allowed = limits.get(name, 0)
            if self.people > allowed:
                raise Refusal(
                    f"{self.url}: allows {allowed} {name.replace('_', ' ')}, found {self.people} "
                    f"people; expected fewer --tables, or a server started with "
                    f"{option} {self.people}"
                )


def is_loopback(url: str) -> bool:
    """Whether an address is that of this machine.

    >>> is_loopback("http://localhost:8000"), is_loopback("http://[::1]:80")
    (True, True)
    >>> is_loopback("https://play.example.org"), is_loopback("http://127.example.org")
    (False, False)
    """
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
