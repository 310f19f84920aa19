"""The `sideboards` command: one module for each family of commands."""

import os
import sys
from io import TextIOWrapper
from typing import NoReturn

import click

from sideboards.cli.boards import edition_group, replay, score, verify
from sideboards.cli.coaching import coach
from sideboards.cli.databases import backup, migrate, restore
from sideboards.cli.games import play, simulate
from sideboards.cli.ladder import bots, par, train
from sideboards.cli.load import load
from sideboards.cli.minds import arena, strength
from sideboards.cli.network import bot
from sideboards.cli.options import BAD_INPUT, INTERRUPTED, NOT_WRITTEN, complain
from sideboards.cli.serving import serve
from sideboards.core.refusal import Refusal


def main() -> NoReturn:
    """Run the command; bad input is answered with one line and exit code 2."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal without our signs shows ? for them
            stream.reconfigure(errors="replace")
    sys.path.insert(0, "")  # a bot of your own is named as module:function from where you stand
    try:
        code = app.main(sys.argv[1:] or ["--help"], "sideboards", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except Refusal as refusal:
        code = complain(str(refusal), BAD_INPUT)
    except click.ClickException as error:
        code = complain(f"{error.format_message()} (see --help)", BAD_INPUT)
    except (KeyboardInterrupt, click.Abort):
        code = complain("stopped", INTERRUPTED)
    except BrokenPipeError:  # whoever read our output has seen enough
        code = NOT_WRITTEN
    except OSError as error:
        code = complain(f"output: {error.strerror}; expected a place to write", NOT_WRITTEN)
    if (
        code == NOT_WRITTEN and sys.stdout is not None
    ):  # the rest of the output has nowhere to go, not even at the exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code or 0)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: sideboards play --players 4 --lang de",
)
@click.version_option(package_name="sideboards", message="%(version)s")
def app() -> None:
    """Sideboards: play, score and replay the card game (unofficial)."""


COMMANDS = (
    play,
    serve,
    score,
    simulate,
    replay,
    verify,
    bots,
    bot,
    load,
    par,
    arena,
    strength,
    train,
    edition_group,
    backup,
    restore,
    migrate,
)
for command in COMMANDS:
    app.add_command(command)
app.add_command(coach)
