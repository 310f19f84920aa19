import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sideboards.service.names import clean_name
from sideboards.service.refusals import ServiceRefusal

GOOD = [
    "Ana", "Zoë", "José María", "Łukasz", "Nguyễn Văn An", "O’Brien", "J. R.", "Ana & Bo",
    "x_X_x", "2", "Ольга", "Ἀθηνᾶ", "שָׁלוֹם", "محمد", "می‌خواهم", "हिन्दी", "ज़िंदगी", "தமிழ்",
    "ภาษาไทย", "한국어", "日本語", "クラス", "क्‍ष", "👩‍🚀", "👩🏽‍🚀", "🏳️‍🌈", "🇵🇹", "1️⃣",
    "❤️", "👨‍👩‍👧‍👦", "Sideboards™", "<b>", "¯\\_(ツ)_/¯",
]  # fmt: skip
LITERAL = [
    "<script>alert(1)</script", "<img src=x onerror=a()>", "<svg/onload=alert(1)>",
    "\"><script>a()//", "'><b>x</b>", "javascript:alert(1)", "<a href=//evil>x</a>", "{{7*7}}",
    "${7*7}", "#{7*7}", "<%= 7*7 %>", "{0.__class__}", "{name}", "{}", "%s%s%s%n", "%x%x%x%x",
    "$(reboot)", "`reboot`", "; DROP TABLE guests--", "' OR '1'='1", "\" OR 1=1--", "=1+1",
    "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1+1)", "../../etc/passwd", "..\\..\\windows",
    "C:\\CON", "file:///etc/passwd", "<iframe src=//x>", "<style>*{}</style>", "<!--", "-->",
    "]]>", "<![CDATA[x]]>", "&lt;b&gt;", "&#60;b&#62;", "&#x1b;[31m", "\\u003cb\\u003e",
    "\\x1b[31m", "^[[31m", "%3Cb%3E", "%00", "\\0", "null", "undefined", "NaN", "true",
    "constructor", "__proto__", "onmouseover=alert(1)", "<math><mi//xlink:href=",
    "<p style=x:expression(", "/*", "*/", "//", "<?php echo 1; ?>", "| cat /etc/passwd",
    "😀<script>",
]  # fmt: skip
POISON = [
    "", " ", "\t", "\n", "\u00a0", "\u3000", "\u200b", "\u200d", "\u200c\u200d", "\ufeff",
    "\u2060", "\u00ad", "a\u00adb", "\u2800", "\u3164", "\uffa0", "\u115f", "\u1160", "\u034f",
    "\u180e", "\ufe0f", "\u0301", " \u0301a", "a \u0301", "a\x00b", "a\nb", "a\rb", "a\tb",
    "Ana\n", "\x1b[31mred", "\x1b]0;title\x07", "\x1b[2J", "\x9b31m", "\x90q\x9c", "\x07",
    "\x08\x08\x08Bo", "\x7f", "\x85", "a\u2028b", "a\u2029b", "\u202egpj.exe", "\u202aa",
    "\u202ba", "\u202ca", "\u202da", "\u2066a\u2069", "\u2067a", "\u2068a", "\u200ea", "\u200fa",
    "\u061ca", "\ud800", "a\udfffb", "\ud83d", "\udc00\ud800", "\ue000", "\U000f0000",
    "\U0010fffd", "\uffff", "\ufdd0", "\U0001fffe", "\u0378", "a\u200b", "a\u200bb", "\u200dAna",
    "Ana\u200d", "A\u200d na", "A\u200d\u200dna", "A\u200d\u0301", "1\u200d2",
    "q\u0301\u0302\u0303", "Z" + "\u0335" * 10, "e" + "\u0301" * 10_000, "\U000e0041\U000e0042",
    "a\U000e0001", "a\ufe00", "a\U000e0100", "\u206aa", "\ufff9a\ufffa", "\ufffc", "\U0001d173",
    "a" * 25, "😀" * 25, "a" * 10**6, " " * 10**6, "x" + " " * 300,
]  # fmt: skip


def refused(text: str) -> bool:
    try:
        clean_name(text)
    except ServiceRefusal as refusal:
        return refusal.code == "bad_name"
    return False


@pytest.mark.parametrize("text", GOOD)
def test_names_of_people_are_kept(text: str) -> None:
    assert clean_name(text) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("text", LITERAL)
def test_code_is_only_text(text: str) -> None:
    assert clean_name(text) == text


@pytest.mark.parametrize("text", POISON, ids=range(len(POISON)))
def test_poison_is_refused(text: str) -> None:
    assert refused(text)


def test_the_corpus_is_large() -> None:
    assert len(set(LITERAL)) >= 60
    assert len(set(POISON)) >= 60


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("  Ana  ", "Ana"),
        ("Ana \u00a0\u2003 Bo", "Ana Bo"),
        ("\u3000山田\u3000太郎", "山田 太郎"),
        ("Jose\u0301", "José"),
        ("e\u0301" * 24, "é" * 24),
        ("a" * 24, "a" * 24),
        ("😀" * 24, "😀" * 24),
        ("a\u0332\u0333", "a\u0332\u0333"),
    ],
)
def test_names_are_brought_into_one_form(text: str, name: str) -> None:
    assert clean_name(text) == name


signs = st.characters(codec=None) | st.sampled_from(
    "ab \u00a0\u200b\u200c\u200d\u202e\u2066\ufe0f\u0301\u0327\u093c\u0940\u0902"
    "😀🏽é<>&\x1b\n\ud800\ue000"
)


@given(st.text(signs, max_size=40))
def test_what_is_taken_is_harmless_everywhere(text: str) -> None:
    if refused(text):
        return
    name = clean_name(text)
    assert clean_name(name) == name
    assert unicodedata.is_normalized("NFC", name)
    assert 1 <= len(name) <= 24
    assert len(name.encode()) <= 96
    assert name == name.strip()
    assert "  " not in name
    kinds = [unicodedata.category(sign) for sign in name]
    hidden = {sign for sign, kind in zip(name, kinds, strict=True) if kind[0] == "C"}
    assert hidden <= {"\u200c", "\u200d"}
    assert any(kind[0] in "LNPS" for kind in kinds) or "Mc" in kinds
    assert all(
        not {*kinds[place : place + 3]} <= {"Mn", "Me"} for place in range(len(kinds) - 2)
    ), "three marks in a row"
    assert name.isprintable() or hidden


@given(
    st.text(
        st.characters(categories=["L", "N", "P"], exclude_characters="\u115f\u1160\u3164\uffa0"),
        min_size=1,
        max_size=24,
    )
)
def test_letters_digits_and_punctuation_are_taken_as_they_are(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    if len(composed) <= 24 and not any(unicodedata.category(sign)[0] == "M" for sign in composed):
        assert clean_name(text) == composed
