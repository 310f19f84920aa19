"""Programs that tests need: named where they are missing, installed by `make test`."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import tools

ROOT = Path(__file__).parents[1]
INSTALLER = """#!/bin/sh
echo "$@" >>"$0.asked"
"""


def without_programs(folder: Path) -> dict[str, str]:
    """The environment of a machine that has nothing but root and apt-get."""
    (folder / "apt-get").write_text(INSTALLER)
    (folder / "id").write_text("#!/bin/sh\necho 0\n")
    for name in ("apt-get", "id"):
        (folder / name).chmod(0o755)
    return {"PATH": str(folder)}


def test_every_program_that_tests_need_is_installed_by_make_test(tmp_path: Path) -> None:
    done = subprocess.run(
        [shutil.which("sh") or "", ROOT / "scripts" / "system"],
        env=without_programs(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    there = {tool for tool in tools.PACKAGES if shutil.which(tool, path=":".join(tools.MORE))}
    (asked,) = (tmp_path / "apt-get.asked").read_text().splitlines()
    assert {tools.PACKAGES[tool] for tool in tools.PACKAGES if tool not in there} - {"npm"} == (
        {word for word in asked.split() if not word.startswith("-")}
        - {"install", "chromium-headless-shell"}
    )
    assert (done.stdout.startswith("Installing caddy "), done.stderr) == (True, "")


def test_a_missing_program_fails_on_linux_and_is_not_available_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tools, "MORE", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(pytest.fail.Exception) as failed:
        tools.needed("nginx")
    assert str(failed.value) == "nginx is not installed; expected Debian's package nginx-light"
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(pytest.skip.Exception) as skipped:
        tools.needed("nginx")
    assert str(skipped.value) == "not available: nginx"
    (tmp_path / "nginx").touch(mode=0o755)
    assert tools.needed("nginx") == str(tmp_path / "nginx")


def test_skips_are_told_with_their_reasons(tmp_path: Path) -> None:
    file = tmp_path / "test_some.py"
    file.write_text("import pytest\n\ndef test_it():\n    pytest.skip('not available: it')\n")
    options = (
        "-c",
        str(ROOT / "pyproject.toml"),
        f"--rootdir={tmp_path}",
        "-p",
        "no:cacheprovider",
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(file)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "test_some.py:4: not available: it" in done.stdout, done
