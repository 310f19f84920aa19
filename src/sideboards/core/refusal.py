"""Refusals: one sentence that says where, what was wrong and what was expected."""

import json


class Refusal(ValueError):
    """Input that cannot be taken; its text is one line, fit to be shown as it is."""


class IllegalMove(Refusal):
    """A move that the rules forbid now; `code` names the reason for programs and translations."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def quoted(value: object, limit: int = 40) -> str:
    """`value` as it may stand in a refusal: plain ASCII JSON, one line, never long.

    >>> print(quoted("a\\nb"), quoted(True), quoted([1, 2]), quoted(None))
    "a\\nb" true a list of 2 null
    """
    match value:
        case list() | tuple():
            return f"a list of {len(value)}"
        case dict():
            return f"an object of {len(value)}"
        case int() if not isinstance(value, bool) and abs(value) >= 10**limit:
            return "a huge number"
        case _:
            text = json.dumps(value, default=str)
            return text if len(text) <= limit else f"{text[: limit - 1]}…"
