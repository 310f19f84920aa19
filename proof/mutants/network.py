"""Planted bugs in what happens between servers, in stops and in the pile."""

from collections.abc import Callable

MUTANTS: dict[str, Callable[[], None]] = {}
