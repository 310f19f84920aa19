"""Writes the measured ladder: `sideboards strength --json` in, data/ladder.json and a table out.

Example: sideboards strength --json > strength.json; python -m scripts.make_ladder strength.json
"""

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FILE = ROOT / "src" / "sideboards" / "data" / "ladder.json"
PAGE = ROOT / "docs" / "bots.md"
BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"


def ladder(strength: dict[str, Any]) -> dict[str, Any]:
    """What `sideboards bots` shows: solo points and CPU time of every bot."""
    solo = [line for line in strength["lines"] if line["section"] == "Solo" and line["ms_per_move"]]
    return {
        "deals": strength["deals"],
        "seed": strength["seed"],
        "bots": {
            line["what"]: {
                "solo": round(line["value"], 2),
                "stderr": round(line["stderr"], 2),
                "ms": round(line["ms_per_move"], 2),
            }
            for line in solo
        },
    }


def table(strength: dict[str, Any]) -> str:
    """All lines as a table of the page."""
    rows = ["| table | what | measured | floor | | CPU per move |", "|---|---|---|---|---|---|"]
    for line in strength["lines"]:
        error = "" if line["stderr"] is None else f" ± {line['stderr']:.2f}"
        verdict = {True: "holds", False: "**missed**", None: ""}[line["holds"]]
        time = f"{line['ms_per_move']:.1f} ms" if line["ms_per_move"] else ""
        rows.append(
            f"| {line['section']} | {line['what']} | {line['value']:.2f}{error} {line['unit']} "
            f"| {line['floor'] or ''} | {verdict} | {time} |"
        )
    return "\n".join(rows) + "\n"


def main() -> None:
    """Read the measured strength and write both files."""
    strength = json.loads(Path(sys.argv[1]).read_text())
    FILE.write_text(json.dumps(ladder(strength), indent=1) + "\n")
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + BEGIN + table(strength) + END + after)


if __name__ == "__main__":
    main()
