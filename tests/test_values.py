"""Values: read and written without loss, reproducible, and worth something."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sideboards import Edition, Refusal, load_edition
from sideboards.data import shipped
from sideboards.minds import values as v
from sideboards.minds.values import Values, format_values, load_values, parse_values, train


def same(one: Values, other: Values) -> bool:
    return (
        (one.edition, one.seed, one.games, one.keep)
        == (other.edition, other.seed, other.games, other.keep)
        and list(one.further) == list(other.further)
        and all(
            np.array_equal(one.further[number], other.further[number]) for number in one.further
        )
    )


def test_values_are_written_and_read_without_loss(edition: Edition) -> None:
    values = load_values(edition)
    assert same(parse_values(format_values(values).encode()), values)
    assert sorted(values.further) == list(range(1, 31))


def test_the_file_is_small() -> None:
    assert len(shipped("values.json")) < 50_000


@pytest.mark.long
def test_the_same_seed_gives_the_same_values_and_another_seed_others(edition: Edition) -> None:
    one, again, other = (train(edition, seed=seed, games=2_000) for seed in (1, 1, 2))
    assert same(one, again)
    assert not same(one, replace(other, seed=1))


@pytest.mark.long
def test_the_shipped_values_are_what_training_makes(edition: Edition) -> None:
    known = load_values(edition)
    assert (known.seed, known.games) == (v.SEED, v.GAMES)
    assert same(train(edition, seed=known.seed, games=known.games), known)


@pytest.mark.long
def test_progress_is_told_until_the_end(edition: Edition) -> None:
    told: list[int] = []
    train(edition, games=1_000, progress=told.append)
    assert sum(told) == 1_000


def test_a_swap_card_is_worth_its_point_at_the_end_and_more_before(edition: Edition) -> None:
    keep = load_values(edition).keep
    assert keep[8] == 256
    assert list(keep[2:]) == sorted(keep[2:], reverse=True)


def another(edition: Edition, folder: Path) -> Edition:
    """The shipped edition with other points for its first objective."""
    text = shipped("edition.json").decode().replace('"points": 2', '"points": 1', 1)
    file = folder / "mine.json"
    file.write_text(text)
    mine = load_edition(file)
    assert mine.sha256 != edition.sha256
    return mine


@pytest.mark.long
def test_an_edition_of_ones_own_is_trained_first(
    edition: Edition, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    mine = another(edition, tmp_path)
    with pytest.raises(Refusal, match="expected them from `sideboards train`"):
        load_values(mine)
    file = v.values_file(mine)
    file.parent.mkdir()
    file.write_text(format_values(train(mine, games=1_000)))
    assert load_values(mine).games == 1_000
    load_values.cache_clear()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("sideboards-values-1", "sideboards-values-2", "format: found"),
        ('"seed": 2024', '"seed": -1', "seed: found -1"),
        ('"1": "', '"1": "??', "further.1: found something else"),
        ('"30"', '"31"', 'unknown field "31"'),
    ],
)
def test_a_broken_file_is_refused(old: str, new: str, expected: str) -> None:
    text = shipped("values.json").decode()
    assert old in text
    with pytest.raises(Refusal, match=expected):
        parse_values(text.replace(old, new, 1).encode())
