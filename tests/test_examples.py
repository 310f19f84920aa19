"""The examples, run as people run them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import output

pytestmark = pytest.mark.long  # every test starts processes of its own

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(example: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / example, *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_the_random_agent_plays_in_all_environments() -> None:
    text = run("random_agent.py", "--episodes", "3")
    assert re.search(r"^solo: \d+\.\d points$", text, re.MULTILINE)
    assert len(re.findall(r"^four players, seat_\d: \d+\.\d points$", text, re.MULTILINE)) == 4
    ahead = re.findall(r"^variant for two, seat_\d: (\S+) points ahead$", text, re.MULTILINE)
    assert sum(map(float, ahead)) == 0
    assert len(ahead) == 2
    assert run("random_agent.py", "--episodes", "3") == text, "seeded"


def judged(text: str) -> dict[str, tuple[float, float]]:
    """The means and standard errors that the training prints."""
    found = re.findall(r"^(random|trained) +([\d.]+) ± ([\d.]+) points", text, re.MULTILINE)
    return {name: (float(mean), float(error)) for name, mean, error in found}


def test_without_learning_the_trained_agent_is_the_random_one() -> None:
    """So the improvement below comes from learning, and its test can fail."""
    result = judged(run("train_masked.py", "--episodes", "0", "--judged", "50"))
    assert result["trained"] == result["random"]


@pytest.mark.long
def test_the_masked_agent_learns() -> None:
    result = judged(run("train_masked.py", "--episodes", "2000", "--judged", "200"))
    (before, one), (after, other) = result["random"], result["trained"]
    assert after - before > 6, "about 10 points when this was written"
    assert after - before > 5 * (one + other)


def test_the_bot_plays_on_the_command_line_and_beats_random_play(tmp_path: Path) -> None:
    bots = "--bots", "my_bot:choose,random"
    out = tmp_path / "games"
    text = output(
        "simulate", "--players", "2", "--games", "10", *bots, "--out", out, PYTHONPATH=str(EXAMPLES)
    )
    found = dict(re.findall(r"^(\S+) +mean +([\d.]+)", text, re.MULTILINE))
    assert float(found["my_bot:choose"]) > float(found["random"]) + 10
