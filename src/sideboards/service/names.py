"""Names that people give themselves: kept as they wrote them, or refused, never repaired by guess.

A name is text and nothing else on every screen, in files and in a terminal. What shows `<b>`
shows these three signs; here only that is refused which no screen can show faithfully.
"""

import unicodedata

from sideboards.service.refusals import ServiceRefusal

LONGEST_NAME = 24
"""Code points; so never more than 96 bytes."""
MARKS_IN_A_ROW = 2
_LONGEST_INPUT = 200
_EMOJI_LOOK = "\ufe0f"
_JOINERS = "\u200c\u200d"
_UNSEEN = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\ufffc\U0001d159"
)
"""Letters, marks and symbols that show nothing."""
_LOOKS = (range(0xFE00, 0xFE0F), range(0xE0100, 0xE01F0))
"""Marks that choose among the looks of a sign; of these only that of emoji is taken."""


def clean_name(text: str) -> str:
    """`text` as a name: NFC, trimmed, single blanks, 1 to 24 characters; else raises bad_name.

    >>> clean_name("  Ana   Luísa ")
    'Ana Luísa'
    """
    if len(text) > _LONGEST_INPUT:
        raise ServiceRefusal("bad_name")
    composed = unicodedata.normalize("NFC", text)
    blank = (" " if unicodedata.category(sign) == "Zs" else sign for sign in composed)
    name = " ".join(part for part in "".join(blank).split(" ") if part)
    if not 1 <= len(name) <= LONGEST_NAME or not _is_plain(name):
        raise ServiceRefusal("bad_name")
    return name


def _is_plain(name: str) -> bool:
    """Whether every sign can be seen, or belongs to one that can."""
    marks = 0
    before = " "
    for sign, after in zip(name, name[1:] + " ", strict=True):
        category = unicodedata.category(sign)
        if sign in _JOINERS:
            if not (_joins(before) or before == _EMOJI_LOOK) or not _joins(after):
                return False
        elif category[0] in "CZ" and sign != " ":
            return False  # controls, direction marks, surrogates, private use, unassigned, lines
        elif sign in _UNSEEN or any(ord(sign) in looks for looks in _LOOKS):
            return False
        if category[0] == "M" and (before == " " or before in _JOINERS):
            return False
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks > MARKS_IN_A_ROW:
            return False
        before = sign
    return True


def _joins(sign: str) -> bool:
    """Whether a joiner may stand beside a sign: in words and between emoji."""
    return unicodedata.category(sign)[0] in "LM" or unicodedata.category(sign) in ("So", "Sk")
