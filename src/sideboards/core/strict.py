"""Strict JSON: what a program should never guess about is refused, with its place.

Python's own reader lets `NaN`, repeated keys and `true` as the number 1 pass; every file that
people hand to this project is read here instead.
"""

import json
from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import NoReturn

from sideboards.core.refusal import Refusal, quoted

MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Node:
    """A JSON value together with the place where it stands, such as ``players[1].board``."""

    value: object
    place: str

    def refuse(self, fault: str, expected: str) -> NoReturn:
        """Raise the refusal of this value."""
        raise Refusal(f"{self.place}: {fault}; expected {expected}")

    def fields(self, required: Set[str], optional: Set[str] = frozenset()) -> "dict[str, Node]":
        """The fields of an object that has all `required` ones and no unknown one."""
        if not isinstance(self.value, dict):
            self.refuse(f"found {quoted(self.value)}", "an object {…}")
        known = ", ".join(sorted(required | optional))
        for name in self.value:
            if name not in required | optional:
                self.refuse(f"unknown field {quoted(name)}", f"only {known}")
        for name in sorted(required):
            if name not in self.value:
                needed = ", ".join(sorted(required))
                self.refuse(f"the field {quoted(name)} is missing", f"the fields {needed}")
        start = "" if self.place == TOP else f"{self.place}."
        return {name: Node(value, start + name) for name, value in self.value.items()}

    def items(self, fewest: int, most: int, what: str) -> "Iterator[Node]":
        """The members of a list of `fewest` to `most` things."""
        count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        if not isinstance(self.value, list):
            self.refuse(f"found {quoted(self.value)}", f"a list of {count} {what}")
        if not fewest <= len(self.value) <= most:
            self.refuse(f"found {len(self.value)} {what}", count)
        return (Node(value, f"{self.place}[{i}]") for i, value in enumerate(self.value))

    def whole(self, lowest: int, highest: int) -> int:
        """A whole number from `lowest` to `highest`."""
        if type(self.value) is not int or not lowest <= self.value <= highest:
            self.refuse(f"found {quoted(self.value)}", f"a whole number from {lowest} to {highest}")
        return self.value

    def choice(self, *choices: str) -> str:
        """One of the given texts."""
        if not isinstance(self.value, str) or self.value not in choices:
            expected = " or ".join(f'"{choice}"' for choice in choices)
            self.refuse(f"found {quoted(self.value)}", expected)
        return self.value

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            self.refuse(f"found {quoted(self.value)}", "true or false")
        return self.value

    def text(self) -> str:
        """Any text."""
        if not isinstance(self.value, str):
            self.refuse(f"found {quoted(self.value)}", "a text")
        return self.value

    def line(self, longest: int) -> str:
        """A text of 1 to `longest` printable characters: nothing that could disturb a screen."""
        text = self.text()
        if not is_line(text, longest):
            self.refuse(f"found {quoted(text)}", f"1 to {longest} printable characters")
        return text

    def hexadecimal(self, digits: int) -> str:
        """A text of exactly so many lower-case hexadecimal digits."""
        text = self.text()
        if len(text) != digits or not set(text) <= set("0123456789abcdef"):
            self.refuse(f"found {quoted(text)}", f"{digits} lower-case hexadecimal digits")
        return text


TOP = "the document"
_JOINERS = str.maketrans("", "", "\u200c\u200d")
"""Signs without a shape of their own that some scripts and emoji need within a word."""


def is_line(text: str, longest: int) -> bool:
    """Whether a text is 1 to `longest` printable characters, and not only blanks."""
    shown = text.translate(_JOINERS)
    return bool(shown.strip()) and len(text) <= longest and shown.isprintable()


def read_json(data: bytes) -> Node:
    """The JSON document in `data`; refuses all that is not plain, unambiguous JSON in UTF-8."""
    text = read_text(data)
    try:
        node = Node(json.loads(text, object_pairs_hook=_fields, parse_constant=_Fault), TOP)
        _refuse_faults(node)
    except json.JSONDecodeError as error:
        raise Refusal(
            f"line {error.lineno}, column {error.colno}: this is not JSON ({error.msg}); "
            "expected a complete JSON document"
        ) from None
    except RecursionError:
        raise Refusal(f"{TOP}: nested too deeply; expected a few levels") from None
    except Refusal:
        raise
    except ValueError:  # more digits than Python converts
        raise Refusal(f"{TOP}: a number is far too long; expected a shorter one") from None
    return node


def read_text(data: bytes) -> str:
    """`data` as text; refuses what is not UTF-8 and what is far larger than any of our files."""
    if len(data) > MAX_BYTES:
        raise Refusal(f"{TOP}: {len(data)} bytes; expected at most {MAX_BYTES}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Refusal(f"line {line}: byte {error.start} is not UTF-8; expected UTF-8") from None


@dataclass(frozen=True, slots=True)
class _Fault:
    """Stands in a document for something that is no JSON, until its place is known."""

    found: str


def _fields(pairs: list[tuple[str, object]]) -> dict[str, object] | _Fault:
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            return _Fault(f"the field {quoted(name)} twice in one object")
        seen.add(name)
    return dict(pairs)


def _refuse_faults(node: Node) -> None:
    match node.value:
        case _Fault(found):
            node.refuse(f"found {found}", "plain JSON")
        case dict() as fields:
            start = "" if node.place == TOP else f"{node.place}."
            for name, value in fields.items():
                shown = name if name.isidentifier() or name.isalnum() else quoted(name)
                _refuse_faults(Node(value, f"{start}{shown}"))
        case list() as items:
            start = "" if node.place == TOP else node.place
            for i, value in enumerate(items):
                _refuse_faults(Node(value, f"{start}[{i}]"))
