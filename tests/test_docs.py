"""The documentation, executed and checked: docs fail the build when they lag."""

import ast
import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import tomllib
from itertools import chain
from pathlib import Path

import pytest

import sideboards
from scripts import make_picture
from sideboards.core.scoring import TIERS
from sideboards.words import words
from tests.command import COMMAND

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
RULINGS = sorted({*range(1, 33), 34})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_work(page: Path) -> None:
    assert doctest.testfile(str(page), module_relative=False).failed == 0


def test_the_readme_has_examples_to_execute() -> None:
    assert (ROOT / "README.md").read_text().count(">>> ") >= 10


def modules() -> list[str]:
    return [name for _, name, _ in pkgutil.walk_packages(sideboards.__path__, "sideboards.")]


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings_work(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def console_examples() -> list[tuple[str, str]]:
    """The commands in the pages' console blocks, each with what it prints."""
    examples = []
    for page in PAGES:
        for block in re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, printed = part.partition("\n")
                examples.append((command, printed))
    return examples


@pytest.mark.long
@pytest.mark.parametrize(("command", "printed"), console_examples())
def test_console_examples_print_what_they_show(command: str, printed: str, tmp_path: Path) -> None:
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=tmp_path,
        env=os.environ | {"PATH": path, "LC_ALL": "C.UTF-8"},
        check=False,
    )
    assert done.stdout.decode() == printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert "://" not in target, "nothing here needs another host"
        assert (page.parent / target).exists(), target


def test_every_ruling_has_a_test_that_names_it() -> None:
    named = set()
    for file in (ROOT / "tests").glob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef) and (
                found := re.match(r"test_r(\d+)_", node.name)
            ):
                named.add(int(found[1]))
    assert sorted(set(RULINGS) - named) == []


def test_the_rules_page_has_every_ruling() -> None:
    text = (ROOT / "docs" / "rules.md").read_text()
    headings = [int(number) for number in re.findall(r"^\*\*R(\d+) · ", text, re.MULTILINE)]
    assert headings == list(range(1, 35))
    for rank in range(1, 6):
        assert words("en")(f"title.{rank}") in text
    for least in TIERS:
        assert f"| {least} " in text


def test_every_dependency_has_its_reason() -> None:
    decisions = (ROOT / "docs" / "decisions.md").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"] | project["project"]["optional-dependencies"]
    wanted = [*project["project"]["dependencies"], *chain.from_iterable(groups.values())]
    names = {re.split(r"[^a-z-]", each)[0] for each in wanted} - {"sideboards"}
    assert "click" in names
    for name in {*names, "uv"}:
        assert re.search(rf"^\|.*\b{name}\b.*\|", decisions, re.MULTILINE), name


def test_the_picture_in_the_readme_is_fresh() -> None:
    assert make_picture.FILE.read_text() == make_picture.picture()


def test_tracked_files_name_no_machine_and_no_index() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    hosts = ("py" + "pi.org", "python" + "hosted.org", "npm" + "js.org")
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).exists():
            content = (ROOT / name).read_bytes()
            assert str(ROOT).encode() not in content, name
            assert not any(host.encode() in content for host in hosts), name


def test_modules_stay_small() -> None:
    for file in [*(ROOT / "src").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]:
        assert len(file.read_text().splitlines()) <= 600, file
