"""Planted bugs in what somebody may know too early."""

from collections.abc import Callable

MUTANTS: dict[str, Callable[[], None]] = {}
