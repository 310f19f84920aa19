"""The bench: what is counted, what is divided by what, and the peers' answers."""

import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import psutil
import pytest
import uvloop
from pettingzoo import AECEnv

from bench import beside, envs, service
from bench.beside import Comparison, Peers, PeersMissing, Result
from bench.core import random_games
from bench.echo import ANSWER, NOTE, PAGE
from bench.hosts import Bare
from bench.line import Line
from bench.loops import Measure, Measured, aec_game, timed
from bench.players import CALL, Party
from bench.swarm import PING, Slice, Stuck
from sideboards import Edition, new_setup
from sideboards.minds.batch import BatchedEnv
from tests.test_setup import NEEDED, ROOT

pytestmark = pytest.mark.long


def own() -> Measure:
    return lambda seconds: Measured(1, seconds)


CORE = Comparison("core", own, "rlcard", "rlcard", goal=2, stretch=4)


def rounds(*rates: float) -> tuple[Measured, ...]:
    return tuple(Measured(int(rate * 2), 2.0) for rate in rates)


class Countdown(AECEnv[str, Any, Any]):
    """Two players take 1 to 3 of 20 stones in turn, but never more than there are."""

    def __init__(self) -> None:
        self.possible_agents = ["one", "other"]
        self.decisions = 0

    def reset(self, seed: int | None = None, options: Any = None) -> None:  # noqa: ANN401, ARG002
        self.agents = self.possible_agents[:]
        self.agent_selection = "one"
        self.stones = 20
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> dict[str, Any]:  # noqa: ARG002 - all see the same
        return {"action_mask": np.array([0, *(self.stones >= take for take in (1, 2, 3))], np.int8)}

    def step(self, action: int | None) -> None:
        if action is None:
            self._was_dead_step(action)
            return
        assert 1 <= action <= min(3, self.stones)
        self.stones -= action
        self.decisions += 1
        self.agent_selection = "other" if self.agent_selection == "one" else "one"
        if not self.stones:
            self.terminations = dict.fromkeys(self.agents, True)


def test_a_game_of_turns_counts_decisions_and_not_the_last_steps_of_the_finished() -> None:
    env, rng = Countdown(), Random(1)
    counted = [aec_game(env, rng) for _ in range(50)]
    assert sum(counted) == env.decisions
    assert 7 <= min(counted) < max(counted) <= 20
    assert env.agents == []


def test_a_stepwise_game_has_28_placements_and_at_most_a_swap_of_each_seat(
    edition: Edition,
) -> None:
    rng = Random(2)
    for _ in range(20):
        decisions = random_games([new_setup(edition, seats=4, rng=rng)], rng)
        assert 28 <= decisions <= 28 + 4


def busy(seconds: float) -> None:
    begin = time.process_time()
    while time.process_time() - begin < seconds:
        pass


def test_the_time_of_what_is_prepared_does_not_count() -> None:
    begin = time.process_time()

    def play(_: None) -> int:
        busy(0.01)
        return 5

    found = timed(lambda: busy(0.03), play, seconds=0.035)
    plays = found.decisions // 5
    assert 1 <= plays <= 4
    assert 0.035 <= found.seconds < 0.5 * (time.process_time() - begin)


def test_a_ratio_is_the_median_of_the_rounds_not_the_ratio_of_the_medians() -> None:
    result = Result(CORE, "uno", own=rounds(100, 900, 400), peer=rounds(50, 300, 400))
    assert result.ratios == (2.0, 3.0, 1.0)
    line = beside.row(result)
    assert " ".join(line.split()) == "core 400 rlcard uno 300 2.00 (1.00-3.00) 2 x reached"


def test_without_a_goal_there_is_no_verdict() -> None:
    informative = replace(CORE, goal=None, stretch=None)
    line = beside.row(Result(informative, "uno", own=rounds(100), peer=rounds(50)))
    assert " ".join(line.split()) == "core 100 rlcard uno 50 2.00 (2.00-2.00) -"


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        (1.0, "missed: 0.50 of the goal"),
        (1.99, "missed: 0.99 of the goal"),
        (2.0, "reached"),
        (3.99, "reached"),
        (4.0, "reached, and the stretch of 4 x"),
    ],
)
def test_a_verdict_says_what_was_reached(ratio: float, expected: str) -> None:
    assert beside.verdict(ratio, goal=2, stretch=4) == expected


def test_a_batch_counts_the_decisions_that_were_made() -> None:
    table = BatchedEnv(50, players=4, objectives=(3, 8, 19), observations=False)
    found = envs.batched(table)(0.05)
    assert found.seconds >= 0.05
    games = found.decisions / 4 / 7.5
    assert games > 50
    playing = beside.batch_engine()(0.01)
    assert playing.decisions >= beside.BATCH * 28


def test_without_peers_the_own_rates_are_printed_after_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in NEEDED:  # no Python among them, so the set-up fails as without a network
        (tmp_path / name).symlink_to(shutil.which(name) or "")
    for name in ("scripts", "requirements"):
        shutil.copytree(ROOT / name, tmp_path / "checkout" / name)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(beside, "ROOT", tmp_path / "checkout")
    monkeypatch.setattr(beside, "COMPARISONS", (CORE, replace(CORE, goal=None)))
    beside.main()
    *_, sentence, rate = capsys.readouterr().out.splitlines()
    assert sentence.startswith("The peers could not be installed")
    assert rate.split() == ["core", "2"]


PEERS_COUNT = """
import statistics, random, pyspiel
from bench import peers

for order in ("random", "descending"):
    game = pyspiel.load_game("goofspiel", peers.GOOFSPIEL | {"points_order": order})
    state, decisions = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(random.choice(state.legal_actions()))
            continue
        options = [state.legal_actions(player) for player in range(4)]
        assert min(map(len, options)) > 1
        state.apply_actions([random.choice(each) for each in options])
        decisions += len(options)
    assert decisions == peers.GOOFSPIEL_DECISIONS, decisions

def spread(rollouts):
    return statistics.stdev(
        peers.goofspiel_search("random", rollouts, seed)().total_reward for seed in range(300)
    )
print(spread(1) / spread(100))
try:
    import sideboards
except ModuleNotFoundError:
    print("alone")
"""


@pytest.mark.long
def test_the_peers_answer_every_comparison_and_their_decisions_are_counted_right() -> None:
    try:
        started = Peers()  # the first use makes .venv-peers
    except PeersMissing as missing:
        pytest.fail(f"{missing} This test needs a network once.")
    again = subprocess.run(["scripts/venv", "peers"], cwd=ROOT, capture_output=True, check=False)
    assert (again.returncode, again.stdout, again.stderr) == (0, b"", b"")
    with started as peers:
        assert set(peers.versions) == {"python", "open_spiel", "pettingzoo", "rlcard", "numpy"}
        for comparison in beside.COMPARISONS:
            result = beside.compare(comparison, peers, repeats=2, seconds=0.05)
            assert len(result.peer) == 2
            assert all(each.decisions > 0 and each.seconds >= 0.05 for each in result.peer)
            assert beside.row(result).startswith(comparison.name)
        assert "expected one of goofspiel, " in peers.ask("chess 1")["refused"]
        for seconds in ("", "soon", "0", "-1", "nan", "inf"):
            assert "expected CPU seconds" in peers.ask(f"goofspiel {seconds}")["refused"]
    assert peers.process.returncode == 0
    python = ROOT / ".venv-peers" / "bin" / "python"
    counted = subprocess.run(
        [python, "-c", PEERS_COUNT], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert counted.returncode == 0, counted.stderr
    fewer_to_more, alone = counted.stdout.split()
    assert 8 < float(fewer_to_more) < 12.5  # the mean of 100 games varies a tenth of one game
    assert alone == "alone"


def call(kind: str, folder: Path, count: int, rate: float | None = None) -> tuple[Slice, int]:
    """What so many calls of 8 sockets gave, and how many bytes they brought."""

    async def run(bare: Bare) -> tuple[Slice, int]:
        crowd = await service.callers(bare, 8, fan=kind == "fan")
        done = await crowd.run(rate, requests=count)
        await crowd.close()
        return done, crowd.bytes

    with service.more_files(), Bare(kind, folder) as bare:
        return uvloop.run(run(bare))


@pytest.mark.parametrize("rate", [None, 400])
def test_a_bare_server_answers_just_as_many_calls_as_were_asked_for(
    tmp_path: Path, rate: float | None
) -> None:
    done, size = call("echo", tmp_path, 100, rate)
    assert done.answered == len(done.waits) == 100
    pings = size - 100 * len(CALL)  # of a machine so busy that it took seconds
    assert pings in [count * len(PING) for count in range(40)]
    if rate:
        assert done.seconds >= 100 / rate


def test_the_floor_answers_one_and_tells_three(tmp_path: Path) -> None:
    done, size = call("fan", tmp_path, 60)
    assert done.answered == 60
    assert size == 60 * (len(ANSWER) + 3 * len(NOTE))


def test_the_server_that_stores_writes_a_page_for_every_answer(tmp_path: Path) -> None:
    async def run(bare: Bare) -> int:
        crowd = await service.callers(bare, 8)
        before = psutil.Process(bare.pid).io_counters().write_chars
        done = await crowd.run(requests=60)
        assert done.answered == 60
        await crowd.close()
        return psutil.Process(bare.pid).io_counters().write_chars - before

    with Bare("stored", tmp_path) as bare:
        assert uvloop.run(run(bare)) >= 60 * len(PAGE)


def test_a_server_that_goes_away_ends_the_measurement(tmp_path: Path) -> None:
    async def run(bare: Bare) -> None:
        crowd = await service.callers(bare, 4)
        psutil.Process(bare.pid).kill()
        await crowd.run(100, seconds=5)

    with Bare("echo", tmp_path) as bare, pytest.raises(Stuck, match="closed"):
        uvloop.run(run(bare))


def test_a_round_is_seen_when_the_last_of_the_table_sees_it() -> None:
    party = Party(3)
    party.closing = 10.0
    assert [party.see(at) for at in (11.0, 11.5, 11.25)] == [None, None, 1.5]
    party.closing = 20.0
    assert [party.see(at) for at in (20.5, 20.25, 20.75)] == [None, None, 0.75]


def test_a_quantile_is_a_value_that_was_measured() -> None:
    waits = [number / 1000 for number in range(200, 0, -1)]
    assert service.quantile(waits, 0.5) == 100
    assert service.quantile(waits, 0.99) == 198
    assert service.quantile([0.007], 0.99) == 7


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ((90.0, 110.0, 95.0), "reached, and the stretch of 100"),
        ((90.0, 150.0, 300.0), "reached"),
        ((90.0, 300.0, 400.0), "missed: 1.50 x"),
    ],
)
def test_a_line_of_the_service_goes_by_its_median(
    figures: tuple[float, ...], expected: str
) -> None:
    line = Line("CPU", figures, goal=200, stretch=100)
    assert line.verdict == expected
    assert str(line).endswith(f"200  {expected}")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--tables", "0"], "--tables: found 0; expected 1 or more"),
        (["--seconds", "7"], "--seconds: found 7; expected up to 6"),
    ],
)
def test_options_that_cannot_be_measured_are_refused(
    options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        service.main(options)
    assert sentence in capsys.readouterr().err
