from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sideboards import Card, Drawer, Edition, Refusal, parse_card
from sideboards.core.card import COLORS, HANDLES

COLOR_ORDERS = st.sampled_from(list(permutations(COLORS)))
HANDLE_ORDERS = st.sampled_from(list(permutations([*HANDLES, None, None])))


@st.composite
def cards(draw: st.DrawFn) -> Card:
    """Any card that R1 allows, in the edition or not."""
    colors, handles = draw(COLOR_ORDERS), draw(HANDLE_ORDERS)
    return Card(tuple(Drawer(color, handle) for color, handle in zip(colors, handles, strict=True)))


def test_r1_every_card_has_each_color_and_each_handle_once(edition: Edition) -> None:
    assert len(edition.cards) == 60
    for card in edition.cards:
        assert {drawer.color for drawer in card.drawers} == set(COLORS)
        shown = [drawer.handle for drawer in card.drawers if drawer.handle]
        assert sorted(shown) == sorted(HANDLES)


def test_r4_the_deck_is_balanced_as_the_rules_say(edition: Edition) -> None:
    orders = {tuple(drawer.color for drawer in card.drawers) for card in edition.cards}
    assert {min(order, order[::-1]) for order in orders} == {
        min(order, order[::-1]) for order in permutations(COLORS)
    }
    placements = [tuple(drawer.handle for drawer in card.drawers) for card in edition.cards]
    assert sorted(map(str, placements)) == sorted(
        {str(placement) for placement in permutations([*HANDLES, None, None])}
    )
    for color in COLORS:
        for handle in HANDLES:
            assert sum(Drawer(color, handle) in card.drawers for card in edition.cards) == 12


@given(cards())
def test_a_card_is_read_back_as_it_was_written(card: Card) -> None:
    assert parse_card(str(card)) == card


@given(cards())
def test_turning_a_card_twice_changes_nothing(card: Card) -> None:
    assert card.turn().turn() == card
    assert card.turn().upright == card.turned


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "has 0 drawers"),
        ("RfTPsOBbR", "has 6 drawers"),
        ("RfTPsO", "has 4 drawers"),
        ("RfRPsOBb", "shows red, red, pink, orange, black"),
        ("RfTfPsOBb", "has 2 flower handles"),
        ("RTPsOBb", "has 0 flower handles"),
        ("RfTPsOGb", 'found "G" as sign 7'),
        ("fRTPsOBb", 'found "f" as sign 1'),
        ("RfsTPOBb", 'found "s" as sign 3'),
        ("RfTPsOBb ", 'found " " as sign 9'),
    ],
)
def test_a_card_that_cannot_be_is_refused_with_its_fault(text: str, fault: str) -> None:
    with pytest.raises(Refusal, match="; expected ") as refusal:
        parse_card(text)
    assert fault in str(refusal.value)
