import re
from itertools import combinations
from pathlib import Path
from string import Formatter

import pytest

import sideboards
from sideboards import Edition, Refusal
from sideboards.core.card import COLORS, HANDLES
from sideboards.core.scoring import Points
from sideboards.minds.bots import BOTS
from sideboards.service.protocol import PHRASES
from sideboards.service.refusals import CODES
from sideboards.words import LANGUAGES, PLURALS, Words, plural, preferred_language, words

SOURCE = Path(sideboards.__file__).parent
OTHERS = [language for language in LANGUAGES if language != "en"]


def places(text: str) -> set[str]:
    """The names of the places in a text that are filled in."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def all_forms(text: str | dict[str, str]) -> list[str]:
    return [text] if isinstance(text, str) else list(text.values())


def test_r32_there_are_five_languages() -> None:
    files = sorted(path.stem for path in (SOURCE / "data" / "lang").glob("*.json"))
    assert files == sorted(LANGUAGES) == ["de", "en", "fr", "it", "pt"]


@pytest.mark.parametrize("language", OTHERS)
def test_r32_every_text_exists_in_every_language_with_the_same_places(language: str) -> None:
    english, other = words("en").texts, words(language).texts
    assert list(other) == list(english)
    for key, text in english.items():
        assert isinstance(other[key], dict) == isinstance(text, dict), key
        expected = set.union(*map(places, all_forms(text)))
        for form in all_forms(other[key]):
            assert places(form) == expected, (key, form)


@pytest.mark.parametrize("language", LANGUAGES)
def test_r32_plural_forms_are_those_of_the_language(language: str) -> None:
    for key, text in words(language).texts.items():
        if isinstance(text, dict):
            assert tuple(text) == PLURALS[language], key


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_clean(language: str) -> None:
    assert b"\r" not in (SOURCE / "data" / "lang" / f"{language}.json").read_bytes()
    for key, text in words(language).texts.items():
        for form in all_forms(text):
            assert form.strip(), key
            assert "  " not in form, key
            assert "'" not in form, f"{key}: typographic apostrophes only"
            assert not form.startswith(" "), key


@pytest.mark.parametrize(("one", "other"), list(combinations(LANGUAGES, 2)))
def test_r32_languages_really_differ(one: str, other: str) -> None:
    """Related languages share single words, but never a whole sentence."""
    texts, others = words(one).texts, words(other).texts
    same = [key for key in texts if texts[key] == others[key]]
    assert len(same) <= 0.05 * len(texts), same
    for key in same:
        for form in all_forms(texts[key]):
            spoken = re.findall(r"[^\W\d_]{2,}", re.sub(r"\{\w+\}", "", form))
            assert len(spoken) < 3, (key, form)


def test_r32_the_vocabulary_of_the_boxes() -> None:
    assert words("fr")("color.turquoise") == "bleu"
    assert words("de")("term.swap_card", count=2) == "Tauschkarten"
    assert words("fr")("term.card", count=2) == "cartes Commode"
    assert words("it")("term.objective_card", count=2) == "carte Obiettivo"
    assert words("pt")("term.bonus_points") == "pontos bónus"
    assert words("pt")("term.round", count=1) == "ronda"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_in_the_material_has_its_word(language: str, edition: Edition) -> None:
    spoken = words(language)
    for color in COLORS:
        assert spoken(f"color.{color}")
        assert spoken(f"drawers.{color}", count=2).startswith("2 ")
        assert spoken(f"objective.only.{color}")
    for handle in HANDLES:
        assert spoken(f"handle.{handle}")
        assert spoken(f"drawers.{handle}", count=1).startswith("1 ")
        assert spoken(f"objective.only.{handle}")
    for pattern in edition.patterns:
        assert spoken(f"pattern.{pattern.name}")


def test_every_refusal_of_a_move_has_its_sentence() -> None:
    assert len(codes()) >= 10
    assert {f"refusal.{code}" for code in codes()} <= set(words("en").texts)


def codes() -> set[str]:
    """The codes with which the engine refuses moves."""
    source = (SOURCE / "core" / "game.py").read_text()
    return set(re.findall(r'_forbid\(\s*"(\w+)"', source))


def test_every_text_is_used(edition: Edition) -> None:
    """Vocabulary (term.*) is for all parts of the product; every other text has its place."""
    source = "".join(path.read_text() for path in SOURCE.rglob("*.py"))
    names = [*COLORS, *HANDLES]
    built = {f"{family}.{name}" for family in ("drawers", "objective.only") for name in names}
    built |= {f"color.{color}" for color in COLORS} | {f"handle.{handle}" for handle in HANDLES}
    built |= {f"pattern.{pattern.name}" for pattern in edition.patterns}
    built |= {f"objective.{kind}" for kind in ("color", "handle")}
    built |= {
        f"objective.{of}.{runs}"
        for of in ("color", "handle")
        for runs in ("two", "longest", "each")
    }
    built |= {f"score.{part}" for part in (*Points._fields, "player", "total", "place")}
    built |= {f"title.{tier}" for tier in range(1, 6)}
    built |= {f"reason.{part}" for part in ("color", "handle")}
    built |= {f"reason.bonus.{place}" for place in range(1, 4)}
    built |= {f"bot.{name}{more}" for name in BOTS for more in ("", ".character")}
    built |= {f"play.help.{part}" for part in ("number", "start", "place", "swap", "keys")}
    built |= {f"refusal.{code}" for code in (*codes(), *CODES)}
    built |= {f"phrase.{phrase}" for phrase in PHRASES}
    notices = ("bot_replaced", "reshuffled", "timeout", "sitting_in")
    built |= {f"notice.{code}" for code in notices}
    browser = browser_source()
    families = tuple(re.findall(r"`([\w.]+\.)\$\{", browser))
    for key in words("en").texts:
        literal = any(f"{sign}{key}{sign}" in source + browser for sign in ("'", '"'))
        of_family = key.startswith("web.") and key.startswith(families)
        assert literal or of_family or key in built or key.startswith("term."), key
    assert built <= set(words("en").texts)


def browser_source() -> str:
    source = SOURCE.parents[1] / "web" / "src"
    paths = [*source.rglob("*.ts"), *source.rglob("*.tsx")]
    return "".join(path.read_text() for path in paths if ".test." not in path.name)


def test_the_browser_finds_every_text_that_it_asks_for() -> None:
    asked = set(re.findall(r'"(web\.[\w.]+)"', browser_source()))
    assert asked
    assert asked <= set(words("en").texts)


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("en", ["other", "one", "other", "other"]),
        ("de", ["other", "one", "other", "other"]),
        ("fr", ["one", "one", "other", "many"]),
        ("it", ["other", "one", "other", "many"]),
        ("pt", ["other", "one", "other", "many"]),
    ],
)
def test_plurals(language: str, forms: list[str]) -> None:
    assert [plural(language, count) for count in (0, 1, 2, 1_000_000)] == forms


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "sv_SE.UTF-8"}, "en"),
        ({"LANG": "de_DE", "LC_MESSAGES": "fr_FR"}, "fr"),
        ({"LANG": "de_DE", "LC_MESSAGES": "fr_FR", "LC_ALL": "pt_PT.UTF-8"}, "pt"),
        ({"LANG": "it_IT", "LC_ALL": ""}, "it"),
    ],
)
def test_the_locale_chooses_the_language(environment: dict[str, str], language: str) -> None:
    assert preferred_language(environment) == language


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(Refusal, match='language: found "xx"; expected de, en, fr, it, pt'):
        words("xx")
    assert isinstance(words("de"), Words)
