"""The wheel, as people get it: built, installed into an empty environment, played to the end."""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import psutil
import pytest

from tests.service.processes import LIMIT, eventually, serving

pytestmark = pytest.mark.long
ROOT = Path(__file__).parents[2]
STRANGER = Path(__file__).with_name("stranger.py")
UV = Path(sys.executable).with_name("uv")


def copy_of_the_sources(folder: Path) -> Path:
    """What is committed or about to be, elsewhere: other times, other places."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).exists():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, target)
            target.chmod(0o700 if os.access(ROOT / name, os.X_OK) else 0o600)
    return folder


def build(source: Path, target: Path) -> Path:
    """The one wheel that is built, as `make wheel` does."""
    subprocess.run(["scripts/web"], cwd=source, check=True, capture_output=True, timeout=LIMIT)
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "-d", str(target)]
    subprocess.run(command, cwd=source, check=True, capture_output=True, timeout=LIMIT)
    (wheel,) = target.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("dist"))


def install(wheel: Path, home: Path, extras: str = "") -> Path:
    """The folder of programs of a new environment with the wheel and what is pinned for it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True, timeout=LIMIT)
    wanted = home / "wanted.txt"
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    wanted.write_text(f"sideboards{extras} @ {wheel.as_uri()} --hash=sha256:{digest}\n")
    pinned = ROOT / "requirements" / "play.txt"
    subprocess.run(
        [UV, "pip", "install", "--quiet", "--require-hashes", "-r", wanted, "-c", pinned],
        env=os.environ | {"VIRTUAL_ENV": str(home)},
        check=True,
        timeout=LIMIT,
    )
    return home / "bin"


def check_the_page(address: str) -> None:
    """The page of the browser client comes with its script and its drawings; no Node.js is here."""
    page = httpx.get(f"{address}/", timeout=LIMIT).text
    (script,) = re.findall(r'<script type="module"[^>]* src="([^"]+)"', page)
    program = httpx.get(f"{address}{script}", timeout=LIMIT)
    assert program.headers["content-type"].startswith("text/javascript")
    assert len(program.text) > 10_000
    assert '<symbol id="d-red-flower">' in page
    assert httpx.get(f"{address}/icon-192.png", timeout=LIMIT).content.startswith(b"\x89PNG")


def written(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if not file.is_dir()}


def test_a_wheel_built_elsewhere_is_the_same_to_the_byte(wheel: Path, tmp_path: Path) -> None:
    elsewhere = copy_of_the_sources(tmp_path / "elsewhere")
    for linked in (".venv", "web/node_modules"):
        (elsewhere / linked).symlink_to(ROOT / linked)
    again = build(elsewhere, tmp_path / "dist")
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


def test_the_wheel_holds_every_file_of_the_package_and_none_to_be_made(wheel: Path) -> None:
    package = ROOT / "src"
    wanted = {name for name in written(package) if "__pycache__" not in name and ".nbc" not in name}
    with zipfile.ZipFile(wheel) as packed:
        held = {name for name in packed.namelist() if ".dist-info/" not in name}
    assert held == wanted
    static = "sideboards/service/static"
    assert {f"{static}/index.html", f"{static}/sw.js", f"{static}/offline.js"} <= held
    assert any(name.startswith(f"{static}/assets/") and name.endswith(".js.br") for name in held)
    assert {name.partition("/")[0] for name in held} == {"sideboards"}


def test_a_whole_game_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    programs = install(wheel, tmp_path / "environment", "[serve]")
    assert not list(tmp_path.glob("environment/lib/*/site-packages/numba"))
    empty = tmp_path / "empty"
    for name in ("home", "here", "tmp"):
        (empty / name).mkdir(parents=True)
    environment = {
        "HOME": str(empty / "home"),
        "TMPDIR": str(empty / "tmp"),
        "PATH": f"{programs}:/usr/bin:/bin",
        "LC_ALL": "C.UTF-8",
    }
    played = tmp_path / "played"
    played.mkdir()
    with serving(programs / "sideboards", cwd=empty / "here", env=environment) as server:
        done = subprocess.run(
            [sys.executable, "-I", "-S", STRANGER, server.address, played],
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT,
        )
        assert done.returncode == 0, done.stderr
        check_the_page(server.address)
        children = psutil.Process(server.process.pid).children(recursive=True)
        assert children, "bots think in processes of their own"
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(LIMIT) == 0
        assert not [child for child in children if child.is_running()]
    seen = json.loads(done.stdout)
    assert seen["rounds"] == 7
    assert "Secure" not in seen["cookie"]
    data = "home/.local/share/sideboards/sideboards.db"
    assert written(empty) == {data, f"{data}.lock"}
    assert (empty / data).stat().st_mode & 0o777 == 0o600
    checked = subprocess.run(
        [programs / "sideboards", "verify", "proof.json", "record.txt"],
        cwd=played,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "seats without a seed of their own: 1, 2" in checked.stdout
    refused = subprocess.run(
        [programs / "sideboards", "serve", "--database", "postgresql://localhost/games"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT,
    )
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        "sideboards: postgres: asyncpg is not installed; "
        "expected the extra postgres: pip install 'sideboards[postgres]'\n"
    )


def test_without_the_extra_the_server_names_it(wheel: Path, tmp_path: Path) -> None:
    programs = install(wheel, tmp_path / "environment")
    for command in (["serve"], ["backup", "games.dump"], ["restore", "games.dump"]):
        done = subprocess.run(
            [programs / "sideboards", *command],
            env={"HOME": str(tmp_path), "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT,
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.count("\n") == 1
        assert done.stderr.endswith(
            "is not installed; expected the extra serve: pip install 'sideboards[serve]'\n"
        )


def test_make_play_opens_the_browser_on_a_new_checkout(tmp_path: Path) -> None:
    checkout = copy_of_the_sources(tmp_path / "checkout")
    browser = tmp_path / "xdg-open"
    browser.write_text(f'#!/bin/sh\necho "$1" >{tmp_path}/opened\n')
    browser.chmod(0o755)
    environment = os.environ | {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "npm_config_prefer_offline": "true",
    }
    arguments = "--json --host 127.0.0.1 --port 0 --processes 1"
    with serving("make", "play", f"ARGS={arguments}", cwd=checkout, env=environment) as server:
        (running,) = psutil.Process(server.process.pid).children()
        opened = tmp_path / "opened"
        eventually(lambda: opened.exists() and opened.read_text().strip() == server.address)
        for extra in ("numba", "litestar"):
            assert list(checkout.glob(f".venv/lib/*/site-packages/{extra}"))
        running.terminate()
        assert server.process.wait(LIMIT) == 0
