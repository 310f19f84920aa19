"""The coach: losses, reasons, luck, and that it knows no more than the player did."""

import json
import os
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random

import pexpect
import pytest

from sideboards import (
    Board,
    Edition,
    Laid,
    Mode,
    Move,
    Record,
    State,
    Swap,
    View,
    deal,
    format_record,
    imagine,
    load_edition,
    new_setup,
    parse_move,
    parse_record,
    scores,
    step,
    view,
)
from sideboards.cli.coaching import par_lines
from sideboards.core.board import grid
from sideboards.core.card import COLOR_LETTERS, HANDLE_LETTERS
from sideboards.core.edition import Numbers
from sideboards.core.game import LAST_ROUND, Choice, Played
from sideboards.core.objective import Rows
from sideboards.core.scoring import Points, points, tally
from sideboards.fast.worth import SCALE, board_values
from sideboards.minds.bots import greedy
from sideboards.minds.coach import Advice, advise, hand_luck, review
from sideboards.minds.par import Par
from sideboards.minds.reasons import After, chances, clauses, reason
from sideboards.minds.values import learned_worth
from sideboards.words import LANGUAGES, words
from tests.command import COMMAND, output, refused, run
from tests.games import TABLES, random_game

pytestmark = pytest.mark.long

AGAINST = ("coach.lost", "coach.fewer", "coach.row.closed", "coach.swap.missed")
FEW = 60
"""Samples enough for what holds with any number of them."""


def record_of(state: State) -> Record:
    return Record(state.setup, state.played)


def game(edition: Edition, mode: Mode, seats: int, seed: int, *, swaps: float = 0.3) -> Record:
    states, _ = random_game(edition, mode, seats, Random(seed), swaps=swaps)
    return record_of(states[-1])


def last_round(edition: Edition, seed: int) -> State:
    """A solo game before its last card, the swap card used: nothing is hidden any more."""
    rng = Random(seed)
    state = deal(new_setup(edition, seats=1, rng=rng))
    while state.round < LAST_ROUND:
        if state.round == 1 and state.seats[0].swap:
            state = step(state, 0, Swap())
        state = step(state, 0, greedy(view(state, 0), rng))
    return state


def judged(now: View, move: Move, samples: int = FEW) -> Advice:
    assert isinstance(move, Choice | Swap)
    return advise(now, move, Random(0), samples=samples)


# losses


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_losses_are_never_negative_and_the_best_option_loses_nothing(
    edition: Edition, mode: Mode, seats: int
) -> None:
    record = game(edition, mode, seats, seed=seats)
    found = review(record, samples=FEW)
    assert found.finished
    assert [lesson.seat for lesson in found.lessons] == list(range(seats))
    assert sum(len(lesson.advices) for lesson in found.lessons) == len(record.played)
    for lesson in found.lessons:
        assert [each.move for each in lesson.advices] == [
            move for seat, move in record.played if seat == lesson.seat
        ]
        for advice in lesson.advices:
            expected = [option.expected for option in advice.options]
            assert expected == sorted(expected, reverse=True)
            assert 0 <= advice.loss <= advice.stake
            assert (advice.loss == 0) == (advice.best == advice.chosen)
            assert advice.loss == expected[0] - advice.chosen.expected
            assert 0 <= advice.winning_loss <= 1
        assert 0 <= lesson.accuracy <= 100
        assert lesson.loss == sum(advice.loss for advice in lesson.advices)
        losses = sorted((advice.loss for advice in lesson.advices), reverse=True)
        assert [each.loss for each in lesson.costliest] == [each for each in losses[:3] if each]
        assert lesson.luck == sum(advice.luck for advice in lesson.advices)


def test_accuracy_is_100_for_the_best_options_and_0_for_the_worst(edition: Edition) -> None:
    """The choices are made by the coach's own figures, decision by decision."""
    for place, accuracy in ((0, 100), (-1, 0)):
        state = deal(new_setup(edition, seats=1, rng=Random(5)))
        while not state.over:
            rng = Random(f"coach/0/0/{len(state.played)}")
            one, two, *_ = state.seats[0].hand
            any_move = parse_move(f"{one},{two}" if state.round == 0 else f"L{one}")
            assert isinstance(any_move, Choice)
            options = advise(view(state, 0), any_move, rng, samples=FEW).options
            state = step(state, 0, options[place].move)
        (lesson,) = review(record_of(state), samples=FEW).lessons
        assert lesson.accuracy == pytest.approx(accuracy)
        assert (lesson.loss == 0) == (place == 0)


def test_the_same_record_and_seed_give_the_same_review(edition: Edition) -> None:
    record = game(edition, "standard", 3, seed=1)
    once = review(record, samples=FEW)
    assert review(record, samples=FEW) == once
    assert review(record, samples=FEW, seed=1) != once
    assert review(record, samples=FEW, seats=[2]).lessons == once.lessons[2:]


def test_a_start_and_its_mirror_image_are_judged_alike(edition: Edition) -> None:
    now = view(deal(new_setup(edition, seats=2, rng=Random(3))), 0)
    one, two, _ = now.hand
    there, back = (judged(now, parse_move(f"{a},{b}")) for a, b in ((one, two), (two, one)))
    assert there.move != back.move
    assert (there.chosen, there.options) == (back.chosen, back.options)


def test_before_the_last_card_of_solo_losses_are_exact(edition: Edition) -> None:
    for seed in range(8):
        state = last_round(edition, seed)
        now = view(state, 0)
        totals = {
            option.move: scores(step(state, 0, option.move))[0].points.total
            for option in now.options
        }
        for move, total in totals.items():
            advice = judged(now, move)
            assert advice.loss == max(totals.values()) - total
            assert advice.chosen.expected == total


# reasons


def difference(advice: Advice) -> Points:
    return Points(*(a - b for a, b in zip(advice.chosen.now, advice.best.now, strict=True)))


def blunder(edition: Edition, parts: set[str]) -> Advice:
    """A last choice that gives up points in exactly these parts of the score."""
    for seed in range(300):
        now = view(last_round(edition, seed), 0)
        for option in now.options:
            advice = judged(now, option.move, samples=1)
            lost = difference(advice)._asdict()
            if (
                {part for part, points in lost.items() if points < 0}
                == parts
                == {part for part, points in lost.items() if points}
            ):
                return advice
    raise AssertionError(f"no game found for {parts}")


@pytest.mark.parametrize(
    ("part", "named"),
    [
        (
            "color",
            {
                "de": "{} Punkte bei den Farben verschenkt: −{},0",
                "en": "gave up {} of color: −{}.0",
                "fr": "{} points de couleur abandonnés\u202f: −{},0",
                "it": "{} punti di colore persi: −{},0",
                "pt": "{} pontos de cor perdidos: −{},0",
            },
        ),
        (
            "handle",
            {
                "de": "{} Punkte bei den Griffen verschenkt: −{},0",
                "en": "gave up {} of handle: −{}.0",
                "fr": "{} points de poignée abandonnés\u202f: −{},0",
                "it": "{} punti di maniglia persi: −{},0",
                "pt": "{} pontos de puxador perdidos: −{},0",
            },
        ),
        (
            "row",
            {
                "de": "{} Punkte bei der Reihe verschenkt: −{},0",
                "en": "gave up {} of row: −{}.0",
                "fr": "{} points de rangée abandonnés\u202f: −{},0",
                "it": "{} punti di fila persi: −{},0",
                "pt": "{} pontos de fila perdidos: −{},0",
            },
        ),
    ],
)
def test_r32_a_blunder_is_named_by_its_part_in_five_languages(
    edition: Edition, part: str, named: dict[str, str]
) -> None:
    advice = blunder(edition, {part})
    lost = -getattr(difference(advice), part)
    assert advice.loss == lost > 1
    for language in LANGUAGES:
        expected = named[language].format(lost, lost)
        assert advice.sentence(words(language)) == expected


def test_a_row_that_also_costs_its_bonus_names_both(edition: Edition) -> None:
    advice = blunder(edition, {"row", "bonus"})
    sentence = advice.sentence(words("en"))
    assert f"gave up {-difference(advice).row} of row" in sentence
    assert f"gave up {-difference(advice).bonus} of row bonus" in sentence


def test_reasons_name_at_most_three_things_the_worst_first(edition: Edition) -> None:
    seen = set()
    for seed in range(3):
        for lesson in review(game(edition, "standard", 3, seed=seed), samples=FEW).lessons:
            for advice in lesson.advices:
                keys = [clause.key for clause in advice.clauses]
                seen |= set(keys)
                assert len(keys) <= 3
                assert (advice.loss > 0) or not keys
                against = [key.startswith(AGAINST) for key in keys]
                if any(against):
                    assert against == sorted(against, reverse=True)
                for clause in advice.clauses:
                    if clause.key.startswith("coach.lost"):
                        part = clause.key.removeprefix("coach.lost.")
                        assert clause.count == -getattr(difference(advice), part)
    assert len(seen) >= 10, "many kinds of reasons"
    assert {"coach.swap.early", "coach.swap.missed", "coach.swap.saved"} <= seen


def end_run(board: Board, row: Rows, edition: Edition) -> int:
    """The longest run at an end of a board that counts for a row objective, drawer by drawer."""
    place, letters = (0, COLOR_LETTERS) if row.of == "color" else (1, HANDLE_LETTERS)
    longest = 0
    for height, drawers in enumerate(grid(board, edition)[:5]):
        signs = [drawer[place] for drawer in drawers]
        for line in (signs, signs[::-1]):
            name = letters.get(line[0])
            if name is None or row.only not in (None, name) or height not in (row.rows or range(5)):
                continue
            length = next((i for i, sign in enumerate(line) if sign != line[0]), len(line))
            longest = max(longest, length)
    return longest


def paid(board: Board, numbers: Numbers, edition: Edition) -> Points:
    objectives = edition.objectives(numbers)
    counted = tally(board, objectives, edition)
    return points(counted, objectives, [counted.row], "solo", swap=False)


def random_board(rng: Random, columns: int) -> Board:
    return tuple(Laid(card, rng.random() < 0.5) for card in rng.sample(range(1, 61), columns))


@pytest.mark.parametrize("row", range(15, 31))
def test_chances_are_what_a_board_is_worth_beyond_its_points(edition: Edition, row: int) -> None:
    rng, numbers = Random(row), (1 + row % 7, 8 + row % 7, row)
    values = learned_worth(edition, numbers)
    for columns in (2, 3, 5, 7):
        for _ in range(20):
            board = random_board(rng, columns)
            now = paid(board, numbers, edition)
            found = chances(board, now, "solo", edition, values)
            worth = board_values([board], edition, values)[0] / SCALE
            assert now.total + found.color + found.handle + found.row == pytest.approx(worth)
            assert found.alive == end_run(board, edition.objectives(numbers)[2], edition)


def test_a_row_is_told_to_be_closed_or_alive_when_it_is(edition: Edition) -> None:
    rng, numbers = Random(1), (1, 8, 17)
    values, row = learned_worth(edition, numbers), edition.objectives(numbers)[2]
    told: set[str] = set()
    for _ in range(400):
        *before, one, other = random_board(rng, 6)
        board = tuple(before)
        boards = ((*board, one), (other, *board))
        chosen, best = (After(parse_move("R1"), b, paid(b, numbers, edition)) for b in boards)
        was, after, instead = (end_run(each, row, edition) for each in (board, *boards))
        found = clauses(board, chosen, best, mode="solo", edition=edition, values=values)
        for clause in found:
            told.add(clause.key)
            if clause.key == "coach.row.closed":
                assert clause.count == was >= 2
                assert after < was <= instead
            if clause.key == "coach.row.alive":
                assert clause.count == after > instead
    assert {"coach.row.closed", "coach.row.alive", "coach.more.row", "coach.fewer.row"} <= told


def test_the_best_choice_is_praised(edition: Edition) -> None:
    now = view(last_round(edition, 0), 0)
    best = judged(now, judged(now, now.options[0].move).options[0].move)
    assert best.loss == 0
    assert best.clauses == ()
    assert "best choice" in best.sentence(words("en"))
    assert reason((), 0, 0.2, words("en")) == "the best choice"
    assert reason((), 0, 1.5, words("en")) == "by far the best choice"
    assert (
        reason((), 0.2, 0.2, words("fr")) == "presque aussi bon que le meilleur choix\u202f: −0,2"
    )


# only what the player knew


@pytest.mark.parametrize(("mode", "seats"), [("standard", 2), ("standard", 4), ("variant", 3)])
def test_hidden_cards_do_not_matter(edition: Edition, mode: Mode, seats: int) -> None:
    """A twin with other hidden cards, but equal views of seat 1, gets the same advice there."""
    states, moves = random_game(edition, mode, seats, Random(9), swaps=0.2)
    at = max(i for i, (seat, _) in enumerate(moves) if seat == 1 and states[i].round == 4)
    now, move = view(states[at], 1), moves[at][1]
    twin = imagine(now, Random(2))
    assert twin.setup.deck != states[at].setup.deck
    assert twin.seats[0].hands != states[at].seats[0].hands
    assert isinstance(move, Choice | Swap)
    played: tuple[Played, ...] = (*now.played, (1, move))
    one, other = (
        review(Record(setup, played), seats=[1], samples=FEW).lessons[0].advices
        for setup in (states[at].setup, twin.setup)
    )
    assert len(one) >= 5
    assert one == other


# luck


def test_over_all_hands_luck_is_zero(edition: Edition) -> None:
    """At the start, with a swap card and without one: the mean over every possible hand."""
    record = game(edition, "solo", 1, seed=2, swaps=0.0)
    state = deal(record.setup)
    for round_, (seat, move) in enumerate(record.played):
        now = view(state, seat)
        if round_ == 0:
            lucks = [
                hand_luck(replace(now, hands=((hand,),))) for hand in combinations(range(1, 61), 3)
            ]
            assert sum(lucks) / len(lucks) == pytest.approx(0, abs=1e-9)
        if round_ == 5:
            assert mean_luck(now) == pytest.approx(0, abs=1e-9)
            assert mean_luck(replace(now, swaps=(False,))) == pytest.approx(0, abs=1e-9)
        state = step(state, seat, move)


def mean_luck(now: View) -> float:
    *past, last = now.hands[0] or ()
    gone = {card for hand in past for card in hand}
    pool = [card for card in range(1, 61) if card not in gone]
    assert set(last) <= set(pool)
    lucks = [hand_luck(replace(now, hands=((*past, hand),))) for hand in combinations(pool, 2)]
    assert min(lucks) < -0.5 < 0.5 < max(lucks)
    return sum(lucks) / len(lucks)


def test_the_luck_of_a_game_is_that_of_all_its_hands(edition: Edition) -> None:
    record = game(edition, "standard", 2, seed=4)
    (lesson,) = review(record, seats=[1], samples=FEW).lessons
    state, lucks = deal(record.setup), []
    for seat, move in record.played:
        if seat == 1:
            lucks.append(hand_luck(view(state, 1)))
        state = step(state, seat, move)
    assert lesson.luck == sum(lucks)
    assert len(lucks) == len(lesson.advices)


# the command


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("de", "Maximum 61: Deine 48 sind 79\u00a0%"),
        ("en", "Par 61: your 48 are 79%"),
        ("fr", "Maximum 61\u202f: vos 48 en font 79\u202f%"),
        ("it", "Massimo 61: i tuoi 48 sono il 79%"),
        ("pt", "Máximo 61: os teus 48 são 79%"),
    ],
)
def test_r32_par_is_told_in_five_languages(language: str, line: str) -> None:
    par = Par(61, (parse_move("9,13~"), parse_move("R11")))
    first, second = par_lines(par, 48, words(language))
    assert first == line
    assert second.endswith(": 9,13~ R11")


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("de", ["Genauigkeit ", "Glück beim Ziehen", "Die teuersten Momente", "besser "]),
        ("en", ["Accuracy ", "Luck of the draw", "The costliest moments", "better "]),
        (
            "fr",
            [
                "Précision de ",
                "Chance à la pioche",
                "Les moments les plus coûteux",
                "mieux\u202f: ",
            ],
        ),
        ("it", ["Precisione del ", "Fortuna nel pescare", "I momenti più costosi", "meglio "]),
        ("pt", ["Precisão de ", "Sorte com as cartas", "Os momentos que custaram", "melhor "]),
    ],
)
def test_r32_the_command_speaks_five_languages(
    edition: Edition, language: str, said: list[str]
) -> None:
    data = format_record(game(edition, "solo", 1, seed=1, swaps=0.0)).encode()
    text = output("coach", "-", "--lang", language, stdin=data)
    assert all(each in text for each in said), text
    assert "\x1b" not in text, "colors only on a terminal"
    assert "−" in text
    assert ("." in text) == (language == "en"), "the others write 2,1"


@pytest.mark.long
def test_every_decision_is_shown_with_its_options(edition: Edition, tmp_path: Path) -> None:
    record = game(edition, "standard", 2, seed=1, swaps=0.0)
    file = tmp_path / "game.txt"
    file.write_text(format_record(replace(record, names=("Ana", "Ben"))))
    text = output("coach", file, "--seat", "1", "--all", "--lang", "en")
    assert text.startswith("Ben (")
    assert "Ana" not in text
    assert text.count("Option ") == 7
    assert text.count("      > ") == 7, "the chosen options are marked"
    assert text.count("\n        ") == 11 + 6 * 8, "and the others stand below"
    assert text == output("coach", file, "--seat", "1", "--all", "--lang", "en")


@pytest.mark.long
def test_the_json_is_complete(edition: Edition) -> None:
    record = game(edition, "standard", 2, seed=1, swaps=0.0)
    unfinished = format_record(record).splitlines()[:-3]
    found = json.loads(output("coach", "-", "--json", stdin="\n".join(unfinished).encode()))
    assert found["finished"] is False
    assert found["mode"] == "standard"
    assert found["objectives"] == list(record.setup.objectives)
    assert found["par"] is None
    assert [player["name"] for player in found["players"]] == ["Player 1", "Player 2"]
    assert [len(player["decisions"]) for player in found["players"]] == [6, 5]
    whole = review(parse_record("\n".join(unfinished).encode(), edition, unfinished=True))
    for player, lesson in zip(found["players"], whole.lessons, strict=True):
        assert player["accuracy"] == round(lesson.accuracy, 1)
        assert player["luck"] == round(lesson.luck, 3)
        for at, costly in zip(player["costliest"], lesson.costliest, strict=True):
            assert player["decisions"][at]["loss"] == round(costly.loss, 3)
        for decision, advice in zip(player["decisions"], lesson.advices, strict=True):
            assert decision["move"] == str(advice.move)
            assert decision["best"] == str(advice.best.move)
            assert decision["sentence"] == advice.sentence(words("en"))
            assert len(decision["options"]) == (12 if decision["round"] == 0 else 9)
            best = decision["options"][0]
            assert set(best) == {"move", "expected", "winning", "now"}
            assert set(best["now"]) == {*Points._fields, "total"}


@pytest.mark.long
def test_a_terminal_shows_a_bar_and_stands_out_headings(edition: Edition, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text(format_record(game(edition, "solo", 1, seed=1, swaps=0.0)))
    environment = os.environ | {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "NO_COLOR": ""}
    terminal = pexpect.spawn(
        str(COMMAND), ["coach", str(file)], env=environment, encoding="utf-8", timeout=60
    )
    terminal.expect("decisions .* 100%")
    terminal.expect(re.escape("\x1b[1mPlayer 1"))
    terminal.expect(pexpect.EOF)


def test_an_unfinished_record_is_read_as_far_as_it_goes(edition: Edition) -> None:
    record = game(edition, "standard", 3, seed=1)
    lines = format_record(record).splitlines()
    header = len(lines) - len(record.played)
    for end in range(header, len(lines) + 1):
        data = "\n".join(lines[:end]).encode()
        assert parse_record(data, edition, unfinished=True).played == record.played[: end - header]
    assert review(replace(record, played=()), samples=FEW).lessons[0].accuracy == 100


def test_what_the_command_refuses(tmp_path: Path) -> None:
    data = format_record(game(load_edition(), "standard", 2, seed=1)).encode()
    assert refused("coach", "-", "--seat", "2", stdin=data) == (
        "sideboards: --seat: found 2; expected 0 to 1\n"
    )
    assert "standard input: line 1: found" in refused("coach", "-", stdin=b"no record\n")
    assert "No such file or directory" in refused("coach", tmp_path / "none.txt")
    assert "language: found" in refused("coach", "-", "--lang", "xx", stdin=data)


def test_without_numba_the_command_says_what_is_missing(tmp_path: Path) -> None:
    """A module of that name which cannot be found stands before the installed one."""
    missing = 'raise ModuleNotFoundError("No module named \'numba\'", name="numba")\n'
    (tmp_path / "numba.py").write_text(missing)
    data = format_record(game(load_edition(), "solo", 1, seed=1)).encode()
    done = run("coach", "-", stdin=data, PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == (
        "sideboards: coach: numba is not installed; "
        "expected the extra fast (pip install 'sideboards[fast]')\n"
    )
