"""The command as people use it: real files, real exit codes, and processes where they matter."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sideboards import (
    Record,
    Setup,
    check_proof,
    deal,
    format_record,
    legal,
    load_edition,
    parse_record,
    step,
)
from tests import command
from tests.command import COMMAND, called, run
from tests.test_fair import proof, written
from tests.test_notation import EXAMPLE_DECK, example
from tests.test_sheet import BOOKS

EDITION_FILE = Path(__file__).parents[1] / "src" / "sideboards" / "data" / "edition.json"
Data = dict[str, Any]


# Most tests are about what is printed; those that are about processes call `run`.
output = partial(command.output, by=called)
refused = partial(command.refused, by=called)


def request(**changes: object) -> bytes:
    return json.dumps(BOOKS | changes).encode()


# score


def test_score_prints_json() -> None:
    found = json.loads(command.output("score", "-", "--json", stdin=request()))
    assert [player["total"] for player in found["players"]] == [38, 38, 43]
    assert found["winners"] == [2]


def test_score_reads_a_file_and_prints_tables_and_pictures(tmp_path: Path) -> None:
    file = tmp_path / "boards.json"
    file.write_bytes(request())
    text = command.output("score", file)
    assert "Peter wins with 43 points" in text
    assert "Ob    Pf2   O     Rs a= R   = Rs d= R   = Rb  =" in text
    assert "\x1b" not in text, "colors only on a terminal"


@pytest.mark.long
@pytest.mark.parametrize(
    ("language", "verdict"),
    [
        ("de", "Peter gewinnt mit 43 Punkten"),
        ("en", "Peter wins with 43 points"),
        ("fr", "Peter gagne avec 43 points"),
        ("it", "Peter vince con 43 punti"),
        ("pt", "Peter ganha com 43 pontos"),
    ],
)
def test_r32_score_speaks_five_languages(language: str, verdict: str) -> None:
    assert verdict in output("score", "-", "--lang", language, stdin=request())
    assert verdict in output("score", "-", stdin=request(), LC_ALL=f"{language}_XX.UTF-8")


def test_r31_score_names_the_solo_title_in_the_language() -> None:
    player = {"name": "Ana", "board": ""}
    data = request(mode="solo", players=[player])
    found = json.loads(output("score", "-", "--json", "--lang", "en", stdin=data))
    assert found["title"] == {"tier": 5, "text": "Flat pack"}


def test_score_takes_an_edition_beside_the_request(tmp_path: Path) -> None:
    own = json.loads(EDITION_FILE.read_text())
    own["name"] = "My box"
    own["objectives"][2]["points"] = 10
    folder = tmp_path / "box"
    folder.mkdir()
    (folder / "mine.json").write_text(json.dumps(own))
    (folder / "boards.json").write_bytes(request(edition="mine.json"))
    found = json.loads(output("score", "box/boards.json", "--json", cwd=tmp_path))
    assert found["players"][0]["color"]["points"] == 30
    by_pipe = request(edition="box/mine.json")
    assert json.loads(output("score", "-", "--json", stdin=by_pipe, cwd=tmp_path)) == found
    assert refused("score", "-", stdin=request(edition="none.json"), cwd=tmp_path) == (
        "sideboards: standard input: edition: none.json: "
        "No such file or directory; expected a readable file\n"
    )
    assert "standard input: edition: found 3; expected a text" in refused(
        "score", "-", stdin=request(edition=3)
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "standard input: line 1, column 1: this is not JSON"),
        (b"\xff", "standard input: line 1: byte 0 is not UTF-8"),
        (request()[:-5], "standard input: line 1, column"),
        (b"[NaN]", "found NaN"),
        (b'{"mode": "solo", "mode": "solo"}', 'found the field "mode" twice'),
        (b"[" * 200_000, "nested too deeply"),
        (b"1" * 10_000, "a number is far too long"),
        (request(objectives=[3, 8, 10**400]), "objectives[2]: found a huge number"),
        (
            request(objectives=[8, 3, 19]),
            "objectives[0]: found 8; expected a color objective, 1 to 7",
        ),
        (request(players=BOOKS["players"] * 2 + [{"name": "x", "board": ""}]), "found 7 players"),
        (request(players=[{"name": "A", "board": "61"}] * 2), "players[0].board, card 1: found"),
        (request(players=[{"name": "A", "board": "1 1"}] * 2), "1 lies with players[0] already"),
        (request(players=[{"name": "A", "board": "RfTPsOBbR"}] * 2), "has 6 drawers; expected 5"),
        (request(players=[{"name": "A", "board": "RfRPsOBb"}] * 2), "shows red, red"),
        (request(players=[{"name": "A", "board": "1 2 3 4 5 6 7 8 9"}] * 2), "found 9 cards"),
        (request(players=[{"name": "\x1b[2J", "board": ""}] * 2), 'found "\\u001b[2J"'),
    ],
)
def test_score_refuses_bad_input_in_one_line(data: bytes, sentence: str) -> None:
    assert sentence in refused("score", "-", stdin=data)
    assert sentence in refused("score", "-", "--json", stdin=data)


def test_score_refuses_a_missing_file_and_a_folder(tmp_path: Path) -> None:
    assert "none.json: No such file or directory; expected a readable file" in command.refused(
        "score", tmp_path / "none.json"
    )
    assert "Is a directory" in command.refused("score", tmp_path)


# simulate and replay


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "mode", "seats"),
    [
        (["--players", "4"], "standard", 4),
        (["--players", "2", "--variant"], "variant", 2),
        (["--solo"], "solo", 1),
        (["--players", "1"], "solo", 1),
        ([], "standard", 4),
    ],
)
def test_simulated_games_are_replayed(
    tmp_path: Path, options: list[str], mode: str, seats: int
) -> None:
    out = tmp_path / "games"
    words = ["--games", "10", "--seed", "5", "--out", str(out), "--json"]
    told = json.loads(command.output("simulate", *options, *words))
    files = sorted(out.iterdir())
    assert [file.name for file in files] == [f"game-{i:02}.txt" for i in range(1, 11)]
    totals = []
    for file in files:
        found = json.loads(output("replay", file, "--json"))
        assert found["mode"] == mode
        assert len(found["boards"]) == seats
        assert all(len(board.split()) == 8 for board in found["boards"])
        totals.append([player["total"] for player in found["players"]])
    assert [seat["mean"] for seat in told["seats"]] == pytest.approx(
        [sum(column) / 10 for column in zip(*totals, strict=True)]
    )


def test_the_same_seed_gives_the_same_games_and_another_does_not(tmp_path: Path) -> None:
    for name, seed, games in (("a", "1", "3"), ("b", "1", "3"), ("c", "2", "3")):
        command.output("simulate", "--games", games, "--seed", seed, "--bots", "greedy,random",
                       "--objectives", "3,8,19", "--out", tmp_path / name)  # fmt: skip
    texts = {
        name: [(tmp_path / name / f"game-{i}.txt").read_text() for i in (1, 2, 3)] for name in "abc"
    }
    assert texts["a"] == texts["b"]
    assert not set(texts["a"]) & set(texts["c"])
    assert len(set(texts["a"])) == 3


def test_greedy_beats_random(tmp_path: Path) -> None:
    told = json.loads(output("simulate", "--players", "2", "--games", "60", "--bots",
                             "greedy,random", "--out", tmp_path / "g", "--json"))  # fmt: skip
    greedy, random = told["seats"]
    assert greedy["mean"] > random["mean"] + 10
    assert greedy["wins"] > 50


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--players", "7"], "--players: found 7; expected 1 to 6"),
        (["--players", "0"], "--players: found 0; expected 1 to 6"),
        (["--players", "x"], "--players"),
        (["--solo", "--players", "2"], "--players: found 2 with --solo; expected 1"),
        (["--solo", "--variant"], "--variant: the variant is not offered for one player"),
        (["--players", "1", "--variant"], "--variant: the variant is not offered for one player"),
        (["--games", "0"], "--games: found 0; expected 1 to"),
        (["--games", "1e3"], "--games"),
        (
            ["--bots", "nobody"],
            '--bots: found "nobody"; expected random, easy, greedy, medium, hard, master or module',
        ),
        (
            ["--players", "2", "--bots", "greedy,greedy,greedy"],
            "--bots: found 3; expected at most 2",
        ),
        (["--objectives", "8,3,19"], "--objectives: found 8 as the color objective"),
        (["--objectives", "s9"], '--objectives: found "s9"; expected s1 to s4'),
        (["--objectives", "many"], '--objectives: found "many"'),
        (["--edition", "none.json"], "none.json: No such file"),
        (["--nonsense"], "No such option"),
    ],
)
def test_simulate_refuses_what_cannot_be(tmp_path: Path, options: list[str], sentence: str) -> None:
    out = tmp_path / "out"
    assert sentence in refused("simulate", *options, "--out", out, cwd=tmp_path)
    assert not out.exists() or not list(out.iterdir())


def test_simulate_never_writes_into_a_folder_with_files(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert "is not empty; expected a new or empty folder" in refused("simulate", "--out", tmp_path)
    assert "expected a folder" in refused("simulate", "--out", tmp_path / "mine.txt")
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_an_interrupted_simulation_leaves_whole_records_only(tmp_path: Path) -> None:
    out = tmp_path / "games"
    process = subprocess.Popen(
        [COMMAND, "simulate", "--games", "100000", "--out", out],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and (not out.exists() or len(list(out.iterdir())) < 5):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"whole records are in" in stderr
    assert b"Traceback" not in stderr
    for file in out.iterdir():
        parse_record(file.read_bytes(), load_edition())


def test_replay_shows_boards_and_scores_and_reads_a_pipe() -> None:
    record = "\n".join(example(EXAMPLE_DECK)).encode()
    text = output("replay", "-", stdin=record)
    assert "Player 3 wins with 43 points" in text
    found = json.loads(output("replay", "-", "--json", stdin=record))
    assert (found["pile"], found["discards"]) == (33, [37, 15, 47])
    assert found["boards"][0] == "60~ 17 19 9 13~ 11~ 24 2~"


def test_replay_refuses_a_tampered_record_with_the_line(tmp_path: Path) -> None:
    lines = example(EXAMPLE_DECK)
    lines[10] = "0 R12~"
    file = tmp_path / "game.txt"
    file.write_text("\n".join(lines))
    assert f"{file}: line 11: seat 0 does not hold card 12" in refused("replay", file)
    assert "line 1: byte 0 is not UTF-8" in command.refused("replay", "-", stdin=b"\xff\xfe")


# edition, verify, help


def test_edition_check_and_show(tmp_path: Path) -> None:
    assert "good (Reconstruction; 60 cards, 30 objectives, 4 suggestions" in output(
        "edition", "check"
    )
    told = json.loads(output("edition", "check", EDITION_FILE, "--json"))
    assert told["sha256"] == load_edition().sha256
    shown = output("edition", "show")
    assert "Row (#19): the longest row of red drawers, 2 points per drawer" in shown
    assert json.loads(output("edition", "show", "--json"))["name"] == "Reconstruction"
    assert "Reihe (Nr. 19)" in output("edition", "show", "--lang", "de")
    bad = tmp_path / "bad.json"
    data = json.loads(EDITION_FILE.read_text())
    data["cards"]["7"] = "RfRPsOBb"
    bad.write_text(json.dumps(data))
    for verb in ("check", "show"):
        assert f'{bad}: cards.7: card "RfRPsOBb" shows red, red' in refused("edition", verb, bad)


def test_a_missing_edition_is_named_once(tmp_path: Path) -> None:
    for verb in ("check", "show"):
        assert refused("edition", verb, "none.json", cwd=tmp_path) == (
            "sideboards: none.json: No such file or directory; expected a readable file\n"
        )


def test_an_edition_may_come_through_a_pipe() -> None:
    data = EDITION_FILE.read_bytes()
    assert "standard input" not in output("edition", "show", "-", stdin=data)
    assert json.loads(output("edition", "show", "-", "--json", stdin=data))["format"]
    assert "cards.1" in refused("edition", "check", "-", stdin=data.replace(b"RsTfPOBb", b"x"))


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["/bin/bash", "-c", command.replace("sideboards", f"'{COMMAND}'", 1)],
        capture_output=True,
        timeout=60,
        env=os.environ | {"LC_ALL": "C.UTF-8"} | environment,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "code", "sentence"),
    [
        ("sideboards score - <&-", 2, "standard input: closed; expected something to read"),
        ("sideboards play <&-", 2, "standard input: closed; expected somebody to play"),
        ("sideboards edition show >&-", 0, ""),
        ("sideboards edition show >/dev/full", 1, "output: No space left on device; expected"),
        ("sideboards edition show --json >/dev/full", 1, "output: No space left on device"),
        ("sideboards edition show | head -n 1", 0, ""),
        ("sideboards score $'a\\nb'", 2, "a?b: No such file or directory"),
    ],
)
def test_strange_surroundings_are_no_crash(command: str, code: int, sentence: str) -> None:
    done = shell(command)
    assert done.returncode == code
    assert sentence in done.stderr.decode()
    assert done.stderr.count(b"\n") == (1 if sentence else 0)


def test_rubbish_typed_into_the_game_is_no_crash() -> None:
    done = run(
        "play", stdin=b"\xff\xfe\n" + b"9" * 5000 + b"\nq\n", PYTHONIOENCODING="utf-8:strict"
    )
    assert done.returncode == 0
    assert done.stderr == b""


def test_control_signs_in_a_record_do_not_reach_the_screen() -> None:
    lines = example(EXAMPLE_DECK)
    lines[1] = "edition: X \x1b[2J\x1b]0;hi\x07"
    done = run("replay", "-", stdin="\n".join(lines).encode())
    assert done.returncode == 2
    assert b"\x1b" not in done.stderr


def test_verify_checks_a_proof_and_the_record_of_its_game(tmp_path: Path) -> None:
    claimed = proof(seeds=("1" * 64, ""), objectives=(3, 8, 19))
    good = tmp_path / "proof.json"
    good.write_bytes(written(claimed))
    assert "deal verified; seats without a seed of their own: 1" in output("verify", good)
    bad = tmp_path / "bad.json"
    bad.write_bytes(written(claimed, deck=asdict(claimed)["deck"][::-1]))
    assert "deck: not what the seeds decide" in refused("verify", bad)
    other = tmp_path / "game.txt"
    other.write_text("\n".join(example(EXAMPLE_DECK)))
    assert "seats: not the one that was proved" in refused("verify", good, other)
    setup = check_proof(claimed, load_edition())
    played, swapped = tmp_path / "played.txt", tmp_path / "swapped.txt"
    played.write_text(finished_record(setup))
    possible = "deal verified; the record is a possible game with these cards"
    assert f"{possible}; seats without" in output("verify", good, played)
    given_up = tmp_path / "given_up.txt"
    given_up.write_text("\n".join(finished_record(setup).splitlines()[:-1]))
    assert f"{possible}, as far as round 6; seats" in output("verify", good, given_up)
    swapped.write_text(finished_record(replace(setup, deck=setup.deck[::-1])))
    assert "deck: not the one that was proved" in refused("verify", good, swapped)
    swapped.write_text(finished_record(replace(setup, refill=setup.refill[::-1])))
    assert "refill: not the one that was proved" in refused("verify", good, swapped)


def finished_record(setup: Setup) -> str:
    state = deal(setup)
    while not state.over:
        state = step(state, state.waiting[0], legal(state, state.waiting[0])[0])
    return format_record(Record(setup, state.played))


@pytest.mark.long
@pytest.mark.parametrize(
    "command",
    ["", "score", "simulate", "replay", "verify", "play", "load", "edition show", "edition check"],
)
def test_help_has_an_example(command: str) -> None:
    text = output(*command.split(), "--help")
    assert "Usage: sideboards" in text
    example = " ".join(text.partition("Example")[2].split())
    assert f"sideboards {command}" in example


def test_without_a_command_the_help_is_shown() -> None:
    assert "simulate" in output()
    assert "sideboards: Missing command" in refused("edition")
    assert "No such command 'scor'" in command.refused("scor")


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sideboards", "--version"], capture_output=True, check=True
    )
    assert done.stdout == run("--version").stdout
    assert re.fullmatch(rb"\d+\.\d+\.\d+\n", done.stdout)


def test_languages_are_checked() -> None:
    assert 'language: found "xx"; expected de, en, fr, it, pt' in refused(
        "score", "-", "--lang", "xx", stdin=request()
    )


def test_a_terminal_without_our_signs_is_no_crash() -> None:
    done = run("score", "-", stdin=request(), PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


def test_importing_the_package_is_light() -> None:
    code = "import sideboards, sys; print([m for m in ('numpy', 'click') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"[]\n"
