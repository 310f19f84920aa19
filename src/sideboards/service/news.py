"""News of a table: the latest phrases and notices, for those who ask instead of listening."""

from collections.abc import Callable, Iterator

from sideboards.service.protocol import Notice, Said
from sideboards.words import words

KEPT = 20
"""Phrases and notices that are kept."""
Told = Callable[[str], Said | Notice]
"""What was said or noticed, by the language of whoever hears it."""


class News:
    """What was said and noticed at a table; not stored."""

    __slots__ = ("_latest",)

    def __init__(self) -> None:
        self._latest: tuple[tuple[int, Told], ...] = ()

    def keep(self, at: int, told: Told) -> None:
        """Keep something that was said or noticed at a time."""
        self._latest = (*self._latest[1 - KEPT :], (at, told))

    def __iter__(self) -> Iterator[tuple[int, Told]]:
        """When it was, and what."""
        return iter(self._latest)


def noticed(code: str, seat: int | None, places: dict[str, str]) -> Told:
    """Something that happened, as everybody hears it in the own language."""

    def told(language: str) -> Notice:
        return Notice(code=code, seat=seat, sentence=words(language)(f"notice.{code}", **places))

    return told
