"""Planted bugs in how fast, how large and how equal things are."""

from collections.abc import Callable

from sideboards.core.edition import Edition, Numbers


def other_scoring() -> None:
    """The fast engine pays a point more for every color combination."""
    from sideboards.fast import engine, playout  # noqa: PLC0415 (numba, only where it is used)

    def material(edition: Edition, numbers: Numbers) -> engine.Material:
        right = engine.material(edition, numbers)
        pays = right.pays.copy()
        pays[0] += 1
        return right._replace(pays=pays)

    playout.material = material  # type: ignore[attr-defined,assignment]


MUTANTS: dict[str, Callable[[], None]] = {"other scoring": other_scoring}
