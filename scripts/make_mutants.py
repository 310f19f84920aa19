"""Writes the table of planted bugs in docs/reliability.md: what each breaks, which test catches it.

Example: python -m scripts.make_mutants; with --check it only says whether the page is fresh.
"""

import inspect
import json
import subprocess
import sys
from functools import cache
from pathlib import Path

from proof.mutants import MUTANTS

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reliability.md"
HEAD = (
    "| Planted bug | What it breaks | Caught by (in `tests/proof`, or elsewhere) |\n|---|---|---|\n"
)
COLLECT = """
import json, pytest
found = {}
class Marks:
    def pytest_collection_modifyitems(self, items):
        for item in items:
            for mark in item.iter_markers("catches"):
                path = item.path.relative_to(item.config.rootpath).as_posix()
                found.setdefault(mark.args[0], set()).add(path.removeprefix("tests/proof/"))
pytest.main(["--collect-only", "-qq", "tests/proof", "tests/web/test_twins.py"], plugins=[Marks()])
print(json.dumps({name: sorted(files) for name, files in found.items()}))
"""


@cache
def caught() -> dict[str, list[str]]:
    """The test files that say of a planted bug that they catch it."""
    command = [sys.executable, "-c", COLLECT]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603
    found: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found


def table() -> str:
    """The table as it should be."""
    tests = caught()
    rows = []
    for name, plant in MUTANTS.items():
        breaks = (inspect.getdoc(plant) or "").splitlines()[0].rstrip(".")
        files = ", ".join(f"`{file}`" for file in tests.get(name, []))
        rows.append(f"| {name} | {breaks} | {files} |\n")
    return HEAD + "".join(rows)


def page() -> str:
    """The page with a fresh table."""
    before, _, rest = PAGE.read_text().partition("| Planted bug |")
    return before + table() + "\n" + rest.partition("\n\n")[2]


def main() -> int:
    """Write the page; with --check only compare."""
    text = page()
    if sys.argv[1:] == ["--check"]:
        return 0 if PAGE.read_text() == text else 1
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
