"""Planted bugs in what is stored, when it is told, and what a repeated request does."""

from collections.abc import Callable

MUTANTS: dict[str, Callable[[], None]] = {}
