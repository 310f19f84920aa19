"""Planted bugs in what strangers may do."""

from collections.abc import Callable

MUTANTS: dict[str, Callable[[], None]] = {}
