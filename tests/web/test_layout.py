"""The smallest phone: six players, every phase, five languages; nothing scrolls, nothing is cut."""

import pytest

from sideboards.words import LANGUAGES
from tests.web.deals import begun
from tests.web.looks import faults, gaps, small
from tests.web.screen import Screen
from tests.web.visitors import DESKTOP, PHONE, House, Visitor

FINGER = 44
SIZES = {
    "smallest phone": PHONE,
    "tall phone": (390, 844),
    "phone on its side": (740, 360),
    "tablet": (820, 1180),
    "small desktop": (1024, 720),
    "desktop": DESKTOP,
}


def six(visitor: Visitor, rounds: int, *, swaps: float = 0.0) -> Screen:
    """A table of six with long names, in a round."""
    record = begun(6, rounds, 3, swaps=swaps)
    visitor.dealt(*["medium"] * 5, practice=record, name="Maximiliane-Charlotte")
    screen = Screen(visitor.page, visitor.language)
    screen.ready(rounds)
    return screen


def is_fine(screen: Screen, phase: str) -> None:
    """Nothing scrolls, is cut off, is too small, is missing."""
    page = screen.page
    found = faults(page, scroll=False) + small(page, scroll=False) + gaps(page)
    assert not found, "\n".join([phase, *found])
    for part in (screen.hand_cards, [screen.lock], [screen.turn], [screen.change]):
        for each in part:
            if each.is_visible():
                box = each.bounding_box()
                assert box is not None
                assert box["height"] >= FINGER - 0.5, (phase, each, box)


@pytest.mark.parametrize("language", LANGUAGES)
def test_check_1_six_players_on_the_smallest_phone(site: House, language: str) -> None:
    visitor = site.visit(language=language, touch=True, speed="none")
    screen = six(visitor, 0)
    is_fine(screen, "start, nothing chosen")
    screen.card(0).tap()
    is_fine(screen, "start, one card")
    screen.card(1).tap()
    is_fine(screen, "start, both cards")
    for rounds in (1, 3, 6):
        screen = six(site.visit(language=language, touch=True, speed="none"), rounds, swaps=0.3)
        is_fine(screen, f"round {rounds}, nothing chosen")
        screen.card(1).tap()
        is_fine(screen, f"round {rounds}, chosen")
        if rounds == 1:
            screen.swap.tap()
            is_fine(screen, "asked whether to swap")
            screen.button("web.play.keep").tap()


@pytest.mark.parametrize("language", LANGUAGES)
def test_check_1_waiting_for_others(site: House, language: str) -> None:
    """Two who think and three bots: the sentence, the padlock, and the way back."""
    others = (site.person("Bartholomäus"), site.person("Wilhelmina-Johanna"))
    visitor = site.visit(language=language, touch=True, speed="none")
    visitor.dealt(*["medium"] * 3, people=others, practice=begun(6, 4, 5), name="Ana")
    screen = Screen(visitor.page, language)
    screen.ready(4)
    screen.card(0).tap()
    screen.lock.tap()
    screen.change.wait_for()
    is_fine(screen, "waiting")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seats", [1, 6])
def test_other_screens_and_the_four_cards_of_the_variant(
    site: House, size: str, seats: int
) -> None:
    """German has the longest words."""
    for rounds in (0, 6):
        visitor = site.visit(language="de", size=SIZES[size], speed="none")
        record = begun(seats, rounds, 7, variant=seats > 1)
        visitor.dealt(*["medium"] * (seats - 1), practice=record, variant=seats > 1)
        screen = Screen(visitor.page, "de")
        screen.ready(rounds)
        screen.card(0).click()
        is_fine(screen, f"{size}, round {rounds}")


def test_large_text_on_a_narrow_phone_keeps_hand_and_lock_in_reach(site: House) -> None:
    """320 px wide with text twice as large: strips stack, the hand and Lock in stay."""
    visitor = site.visit(language="de", size=(320, 560), speed="none")
    visitor.context.add_init_script(
        "addEventListener('DOMContentLoaded', () => {"
        " document.documentElement.style.fontSize = '200%'; })"
    )
    screen = six(visitor, 3)
    screen.card(0).click()
    assert faults(screen.page) == []
    for each in (screen.card(0), screen.card(1), screen.lock):
        box = each.bounding_box()
        assert box is not None
        assert box["y"] >= -1
        assert box["y"] + box["height"] <= 561, box
