"""The terminal game: as a script hears it, and on a real terminal."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

import pexpect
import pytest

from sideboards import (
    Mode,
    State,
    Swap,
    deal,
    load_edition,
    new_setup,
    parse_board,
    parse_record,
    replay,
    scores,
    step,
    view,
)
from sideboards.core.scoring import explain
from sideboards.minds.bots import BOTS
from sideboards.terminal import Game, Quit, Screen, Teller, listed, marks, plain, width
from sideboards.words import LANGUAGES, words
from tests import command
from tests.command import COMMAND, called, run
from tests.games import TABLES

EDITION = load_edition()
output = partial(command.output, by=called)
refused = partial(command.refused, by=called)


def play(mode: Mode, seats: int, language: str, answers: Iterator[str]) -> State:
    setup = new_setup(EDITION, mode=mode, seats=seats, rng=Random(3))
    bots = [(f"Bot {i}", BOTS["greedy"]) for i in range(1, seats)]
    game = Game(
        Screen(words(language), colors="none"), setup, bots, Random(1), lambda _: next(answers)
    )
    return game.play()


def always(answer: str) -> Iterator[str]:
    while True:
        yield answer


@pytest.mark.parametrize(("mode", "seats"), TABLES)
def test_a_whole_game_at_every_table(
    mode: Mode, seats: int, capsys: pytest.CaptureFixture[str]
) -> None:
    state = play(mode, seats, "en", always("1"))
    text = capsys.readouterr().out
    assert state.over
    for score in scores(state):
        assert str(score.points.total) in text
    assert text.count("combinations ×") + text.count("combination ×") == 2 * seats
    assert "Round 6 of 6" in text
    assert "None" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_r32_a_whole_game_in_every_language(
    language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every key that the game uses exists; English leaks into no other language."""
    play("standard", 3, language, always("2"))
    text = capsys.readouterr().out
    assert words(language)("play.over") in text
    if language != "en":
        assert not re.search(r"\b(your|drawers|points? for|round)\b", text, re.IGNORECASE)


def test_numbers_typed_moves_help_and_refusals(capsys: pytest.CaptureFixture[str]) -> None:
    setup = new_setup(EDITION, seats=2, rng=Random(3))
    first, second, third = setup.deck[:3]
    answers = iter(
        ["", "99", "nonsense", "?", "o", "swap", f"L{first}", f"{first},{first}", "60,59,58"]
        + [f" {first}, {second}~ ", "Swap", "swap", "9" * 5000, "1"]
        + ["1"] * 5
    )
    state = play("standard", 2, "en", answers)
    text = capsys.readouterr().out
    assert text.count("That is not a move. Type a number from 1 to 12") == 4
    assert text.count("That is not a move. Type a number from 1 to 8") == 1
    assert "You can swap only after placing your starting cards" in text
    assert "Start with two cards, for example 12,40~." in text
    assert "That is the same card twice" in text
    assert "You have already used your swap card" in text
    assert text.count("Color (#") >= 2
    assert f"You passed {third} to Bot 1." in text
    assert "Draw pile 52, discard pile 0" in text
    assert "swap discards your hand" in text
    assert str(state.played[0][1]) == f"{first},{second}~"
    assert not state.seats[0].swap


def test_moves_may_be_typed_in_small_letters(capsys: pytest.CaptureFixture[str]) -> None:
    setup = new_setup(EDITION, mode="solo", seats=1, rng=Random(3))
    fourth = setup.deck[3]
    state = play("solo", 1, "en", iter(["1", f"l {fourth}~", *["1"] * 5]))
    assert str(state.played[1][1]) == f"L{fourth}~"
    assert "not a move" not in capsys.readouterr().out


def test_cards_come_from_the_right_and_go_to_the_left(capsys: pytest.CaptureFixture[str]) -> None:
    state = play("standard", 3, "en", always("1"))
    text = capsys.readouterr().out
    passed_by_last = next(
        card for card in state.seats[2].hands[0] if card in state.seats[0].hands[1]
    )
    assert f"Bot 2 passed you {passed_by_last}." in text
    assert "to Bot 1. Bot 2 passed you" in text


@pytest.mark.parametrize(("mode", "seats"), [("standard", 3), ("solo", 1)])
def test_after_a_swap_the_cards_come_from_where_they_came(
    mode: Mode, seats: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever comes back in mid-round sees it told anew; the swap has other cards on the hand."""
    state = deal(new_setup(EDITION, mode=mode, seats=seats, rng=Random(3)))
    for seat in range(seats):
        state = step(state, seat, view(state, seat).legal[0])
    swapped = step(state, 0, Swap())
    assert swapped.seats[0].hand != state.seats[0].hand
    teller = Teller(Screen(words("en"), colors="none"), ["You", "Ben", "Carla"][:seats], input)
    told = []
    for each in (state, swapped):
        teller.show_round(view(each, 0))
        lines = capsys.readouterr().out.splitlines()
        told.append(next(line for line in lines if re.match("You (passed|discarded)", line)))
    assert told[0] == told[1]


def test_play_begins_with_a_suggestion() -> None:
    for seed in ("1", "2", "3"):
        text = output("play", "--seed", seed, "--lang", "en", stdin=b"q\n")
        shown = tuple(int(number) for number in re.findall(r"\(#(\d+)\)", text))
        assert shown in EDITION.suggestions


def test_leaving_is_possible_at_any_time() -> None:
    with pytest.raises(Quit):
        play("standard", 2, "en", iter(["1", "q"]))


def test_r9_mirrored_starts_are_listed_once() -> None:
    standard = deal(new_setup(EDITION, mode="standard", seats=2, rng=Random(1)))
    variant = deal(new_setup(EDITION, mode="variant", seats=2, rng=Random(1)))
    assert len(listed(view(standard, 0))) == 12
    assert len(listed(view(variant, 0))) == 24


def test_marks_name_every_scoring_drawer() -> None:
    board = parse_board("60~ 17 19 9 13~ 11~ 24 2~")
    found = marks(explain(board, EDITION.objectives((3, 8, 19)), EDITION))
    assert found[(0, 2)] == "1  "
    assert found[(3, 4)] == " a="
    assert sum("=" in sign for sign in found.values()) == 5
    assert sum(sign[0] != " " for sign in found.values()) == 9
    assert sum(sign[1] != " " for sign in found.values()) == 10
    two_runs = explain(board, EDITION.objectives((3, 8, 15)), EDITION)
    marked = [cell for cell, sign in marks(two_runs).items() if "=" in sign]
    assert sorted(marked) == sorted(cell for run in two_runs.row for cell in run)
    assert len(two_runs.row) == 2


def test_no_text_of_somebody_else_steers_the_terminal() -> None:
    assert plain("a\x1b[2Jb\r\n\u202e") == "a?[2Jb???"
    for language in LANGUAGES:
        sentence = words(language)("notice.bot_replaced", name="Ana")
        assert plain(sentence) == sentence, "also with the no-break spaces of French"


def test_columns_are_straight_with_names_of_any_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert [width(text) for text in ("Ana", "李四", "e\u0301", "👩\u200d👧")] == [3, 4, 1, 4]
    Screen(words("en"), colors="none").table([["李四", "7"], ["Ana", "12"]])
    assert capsys.readouterr().out == "李四   7\nAna   12\n"


def test_a_person_plays_on_a_real_terminal_in_color(tmp_path: Path) -> None:
    record = tmp_path / "game.txt"
    arguments = ["play", "--seed", "5", "--players", "2", "--lang", "fr", "--record", str(record)]
    child = pexpect.spawn(
        str(COMMAND), arguments, encoding="utf-8", timeout=30, dimensions=(60, 120)
    )
    for _ in range(7):
        child.expect("Votre choix")
        child.sendline("1")
    child.expect("La partie est terminée")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    game = parse_record(record.read_bytes(), EDITION)
    assert replay(game.setup, game.played).over
    assert game.names == ("Vous", "Ana (gourmand)")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_line_of_text_is_broken_in_the_middle_of_a_word(lang: str) -> None:
    child = pexpect.spawn(
        str(COMMAND), ["play", "--seed", "5", "--lang", lang],
        encoding="utf-8", timeout=30, dimensions=(60, 40),
    )  # fmt: skip
    spoken = words(lang)
    prompt = spoken("play.prompt").strip()[:10]
    child.expect_exact(prompt)
    shown = str(child.before)
    child.sendline("?")
    child.expect_exact(prompt)
    shown += str(child.before)
    child.close()
    lines = [re.sub(r"\x1b\[\d+m", "", line) for line in shown.splitlines()]
    assert not [line for line in lines if width(line) > 40 and "  " not in line]
    for part in ("start", "place", "swap"):
        text = spoken(f"play.help.{part}")
        assert len(text) > 40
        assert " ".join(text.split()) in " ".join(shown.split())


def test_colors_are_there_on_a_terminal_and_can_be_forbidden() -> None:
    for environment, sign in (
        ({}, "48;5;124"),
        ({"COLORTERM": "truecolor"}, "48;2;163;32;15"),
        ({"NO_COLOR": "1"}, None),
        ({"TERM": "dumb"}, None),
    ):
        child = pexpect.spawn(
            str(COMMAND), ["edition", "show"], encoding="utf-8", timeout=30,
            env={"PATH": "/bin", "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"} | environment,
        )  # fmt: skip
        text = child.read()
        child.close()
        assert ("\x1b[" in text) == (sign is not None)
        assert sign is None or sign in text


def test_control_c_ends_the_game_quietly() -> None:
    child = pexpect.spawn(str(COMMAND), ["play", "--lang", "de"], encoding="utf-8", timeout=30)
    child.expect("Deine Wahl")
    child.expect("Zug\\)")  # what is typed while the line editor starts may be lost
    for _ in range(10):
        child.sendintr()
        if child.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=3) == 0:
            break
    child.close()
    assert child.exitstatus == 130
    said = str(child.before)
    assert "Du hast das Spiel verlassen." in said
    assert "Traceback" not in said
    assert "stopped" not in said


def test_the_end_of_input_leaves_the_game() -> None:
    done = run("play", "--lang", "it", stdin=b"1\n")
    assert done.returncode == 0
    assert "Hai abbandonato la partita." in done.stdout.decode()


@pytest.mark.long
def test_six_seats_solo_and_variant_from_the_command_line() -> None:
    answers = b"1\n" * 7
    assert "Dario (random)" in output("play", "--players", "6", "--bots", "greedy,random",
                                      "--seed", "1", "--lang", "en", stdin=answers)  # fmt: skip
    assert "points: " in output("play", "--solo", "--seed", "1", "--lang", "en", stdin=answers)
    variant = output("play", "--variant", "--seed", "1", "--lang", "en", stdin=answers)
    assert "wins with" in variant
    assert "wap" not in variant, "the variant has no swap cards"


@pytest.mark.long
def test_play_refuses_what_cannot_be(tmp_path: Path) -> None:
    taken = tmp_path / "taken.txt"
    taken.write_text("mine")
    assert "expected a new file" in refused("play", "--record", taken)
    assert "expected a place to write" in refused("play", "--record", tmp_path / "no" / "game.txt")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["taken.txt"]
    assert '--bots: found "nobody"' in refused("play", "--solo", "--bots", "nobody")
    assert taken.read_text() == "mine"
    assert "expected 1 to 6" in refused("play", "--players", "7")
    assert "or module:function" in refused("play", "--bots", "clever")
