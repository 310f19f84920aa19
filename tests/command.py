"""The `sideboards` command: as a process of its own, or called within the process of the tests."""

import os
import subprocess
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, Protocol

import pytest

from sideboards.cli import main

COMMAND = Path(sys.executable).with_name("sideboards")
Done = subprocess.CompletedProcess[bytes]


class Way(Protocol):
    """How the command comes to run."""

    def __call__(
        self,
        *arguments: str | Path,
        stdin: bytes = b"",
        cwd: Path | None = None,
        **environment: str,
    ) -> Done:
        """What it printed, and its exit code."""


def run(
    *arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None, **environment: str
) -> Done:
    """Run it as people do: a process of its own."""
    return subprocess.run(
        [COMMAND, *arguments],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env=os.environ | {"LC_ALL": "C.UTF-8"} | environment,
        timeout=300,  # a busy machine may compile kernels first
        check=False,
    )


def called(
    *arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None, **environment: str
) -> Done:
    """Run it in this process, with streams of its own: no interpreter has to start."""
    words = [str(COMMAND), *map(str, arguments)]
    given, printed, complained = (
        TextIOWrapper(BytesIO(data), encoding="utf-8") for data in (stdin, b"", b"")
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", words)
        patch.setattr(sys, "path", [*sys.path])
        patch.setattr(sys, "stdin", given)
        patch.setattr(sys, "stdout", printed)
        patch.setattr(sys, "stderr", complained)
        for name, value in ({"LC_ALL": "C.UTF-8"} | environment).items():
            patch.setenv(name, value)
        if cwd:
            patch.chdir(cwd)
        with pytest.raises(SystemExit) as ended:
            main()
    texts = []
    for stream in (printed, complained):
        stream.seek(0)
        texts.append(stream.buffer.read())
    assert isinstance(ended.value.code, int)
    return Done(words, ended.value.code, *texts)


def output(
    *arguments: str | Path,
    by: Way = run,
    **options: Any,  # noqa: ANN401
) -> str:
    """What it prints when all is well."""
    done = by(*arguments, **options)
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    return done.stdout.decode()


def refused(
    *arguments: str | Path, by: Way = run, stdin: bytes = b"", cwd: Path | None = None
) -> str:
    """The one line on stderr with which bad input is refused."""
    done = by(*arguments, stdin=stdin, cwd=cwd)
    assert done.returncode == 2
    assert done.stdout == b""
    line = done.stderr.decode()
    assert line.startswith("sideboards: ")
    assert line.endswith("\n")
    assert line.count("\n") == 1
    assert "Traceback" not in line
    return line
