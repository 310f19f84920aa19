"""Words: every text that a player reads, in five languages, from `data/lang` (R32)."""

import json
from collections.abc import Mapping
from functools import cache

from sideboards.core.objective import Objective, Pattern, Rows
from sideboards.core.refusal import Refusal, quoted
from sideboards.data import shipped

LANGUAGES = ("de", "en", "fr", "it", "pt")
PLURALS: dict[str, tuple[str, ...]] = {
    "de": ("one", "other"),
    "en": ("one", "other"),
    "fr": ("one", "many", "other"),
    "it": ("one", "many", "other"),
    "pt": ("one", "many", "other"),
}
"""The plural forms that each language needs, as the browser's Intl.PluralRules names them."""
_POINT = ("en",)
"""The languages that write 2.1; the others write 2,1."""


class Words:
    """The texts of one language, each by its key."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.texts: dict[str, str | dict[str, str]] = json.loads(shipped(f"lang/{language}.json"))

    def __call__(self, key: str, **values: object) -> str:
        """The text `key` with its places filled; a text with plural forms goes by `count`."""
        text = self.texts[key]
        if isinstance(text, dict):
            text = text[plural(self.language, int(str(values["count"])))]
        return text.format(**values)

    def decimal(self, value: float, *, signed: bool = False) -> str:
        """A number with one decimal as the language writes it; a minus sign is a real one.

        >>> words("de").decimal(-2.14), words("en").decimal(0.3, signed=True)
        ('−2,1', '+0.3')
        """
        tenths = round(value * 10)
        sign = "−" if tenths < 0 else "+" if signed and tenths > 0 else ""
        mark = "." if self.language in _POINT else ","
        return f"{sign}{abs(tenths) // 10}{mark}{abs(tenths) % 10}"


@cache
def words(language: str) -> Words:
    """The texts of a language: de, en, fr, it or pt."""
    if language not in LANGUAGES:
        expected = ", ".join(LANGUAGES)
        raise Refusal(f"language: found {quoted(language)}; expected {expected}")
    return Words(language)


def describe(objective: Objective, words: Words) -> str:
    """An objective as a sentence."""
    match objective:
        case Pattern(kind, _, points, name=name):
            key = f"pattern.{name}"
            shown = words(key) if key in words.texts else name
            sentence = words(f"objective.{kind}", count=points)
            return f"{sentence} – {shown}" if shown else sentence
        case Rows(only=str(only)):
            return words(f"objective.only.{only}")
        case Rows(of, "longest in each row", rows=(upper, lower)):
            return words(f"objective.{of}.each", upper=upper + 1, lower=lower + 1)
        case Rows(of, runs):
            return words(f"objective.{of}.{runs.split()[0]}")


def plural(language: str, count: int) -> str:
    """The plural form that a whole number takes in a language.

    >>> plural("en", 0), plural("fr", 0), plural("it", 2_000_000)
    ('other', 'one', 'many')
    """
    if count == 1 or (language == "fr" and count == 0):
        return "one"
    if "many" in PLURALS[language] and count and count % 1_000_000 == 0:
        return "many"
    return "other"


def preferred_language(environment: Mapping[str, str]) -> str:
    """The language of the locale in the environment; English when it is none of the five."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if environment.get(name):
            code = environment[name][:2].lower()
            return code if code in LANGUAGES else "en"
    return "en"
