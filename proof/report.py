"""The page of a soak: goal by goal what was asked and reached, faults, and figures over time."""

import time
from collections.abc import Sequence
from html import escape
from pathlib import Path

from proof.goals import Goal
from proof.ledger import Entry, Ledger, Point

WIDTH, HEIGHT = 320.0, 96.0
STYLE = """
:root { color-scheme: light dark; --page: #faf8f5; --card: #fff; --ink: #26221e; --soft: #6d655c;
  --line: #e4ded6; --mark: #2f6f5e; --good: #2f6f5e; --bad: #b3261e; --bad-page: #fdeceb; }
@media (prefers-color-scheme: dark) { :root { --page: #1a1815; --card: #24211d; --ink: #ece7e0;
  --soft: #a79e93; --line: #3a352f; --mark: #7cc4ae; --good: #7cc4ae; --bad: #ff8a80;
  --bad-page: #3b1f1d; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 72rem; background: var(--page);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { margin: 0 0 .25rem; font-size: 1.7rem; letter-spacing: -.01em; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.15rem; }
p { margin: .25rem 0; color: var(--soft); }
.verdict { display: inline-block; margin: 1rem 0 .5rem; padding: .35rem .9rem; border-radius: 2rem;
  font-weight: 600; color: var(--card); background: var(--good); }
.verdict.bad { background: var(--bad); }
.sheet { overflow-x: auto; border: 1px solid var(--line); border-radius: .75rem;
  background: var(--card); }
table { width: 100%; border-collapse: collapse; }
th { padding: .6rem .8rem; text-align: left; font-size: .8rem; font-weight: 600;
  color: var(--soft); border-bottom: 1px solid var(--line); }
td { padding: .7rem .8rem; vertical-align: top; border-bottom: 1px solid var(--line); }
tr:last-child td { border-bottom: 0; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td small, figcaption small { color: var(--soft); }
.bar { height: .4rem; min-width: 7rem; margin-top: .4rem; border-radius: 1rem;
  background: var(--line); overflow: hidden; }
.bar i { display: block; height: 100%; border-radius: 1rem; background: var(--good); }
.bad-text { color: var(--bad); font-weight: 600; }
.fault { margin: .6rem 0; padding: .7rem .9rem; border-radius: .6rem; background: var(--bad-page);
  overflow-wrap: anywhere; }
code { font: .85rem/1.4 ui-monospace, monospace; }
.plots { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); }
figure { margin: 0; padding: .8rem .9rem .6rem; border: 1px solid var(--line);
  border-radius: .75rem; background: var(--card); }
figcaption { display: flex; justify-content: space-between; gap: .75rem; font-size: .88rem; }
figcaption b { font-variant-numeric: tabular-nums; white-space: nowrap; }
svg { display: block; width: 100%; height: auto; margin-top: .4rem; }
svg .rule { stroke: var(--line); stroke-width: 1; }
svg .curve { fill: none; stroke: var(--mark); stroke-width: 1.75; stroke-linejoin: round; }
svg .dot { fill: var(--mark); }
svg text { font: 10px system-ui, sans-serif; fill: var(--soft); }
"""
HEAD = (
    '<div class="sheet"><table><thead><tr><th>Goal<th>Asked<th>Reached<th>Faults'
    "<th>Last figures</tr></thead><tbody>"
)


def write_report(file: Path, ledger: Ledger, goals: Sequence[Goal]) -> None:
    """Write the page so that it is there whole or as before."""
    unfinished = file.with_name(f".{file.name}.unfinished")
    unfinished.write_text(page(ledger, goals))
    unfinished.replace(file)


def page(ledger: Ledger, goals: Sequence[Goal]) -> str:
    """The whole page; it needs nothing from elsewhere."""
    reached = sum(_is_reached(goal, ledger.of(goal)) for goal in goals)
    faults = ledger.faults
    verdict = f"{faults:,} fault{'s' * (faults != 1)}" if faults else "no faults"
    hours = f"{ledger.seconds / 3600:.2f} hours in {ledger.runs} run{'s' * (ledger.runs != 1)}"
    targets = f"{reached} of {len(goals)} targets reached"
    written = time.strftime("%Y-%m-%d %H:%M:%S %Z")
    body = [
        "<h1>Sideboards: soak</h1>",
        f"<p>{hours}, seed {ledger.seed}, written {escape(written)}</p>",
        f'<div class="verdict{" bad" * bool(faults)}">{verdict}, {targets}</div>',
        HEAD,
        *(_row(goal, ledger.of(goal)) for goal in goals),
        "</tbody></table></div>",
        *_faults(ledger, goals),
        *_plots(ledger, goals),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Sideboards: soak</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _is_reached(goal: Goal, entry: Entry) -> bool:
    return entry.done >= goal.target and not entry.faults


def _row(goal: Goal, entry: Entry) -> str:
    share = min(1.0, entry.done / goal.target)
    last = [f"{_number(points[-1][1])} {escape(name)}" for name, points in entry.figures.items()]
    faults = f'<span class="bad-text">{entry.faults:,}</span>' if entry.faults else "0"
    return (
        f"<tr><td><b>{escape(goal.name)}</b><br>{escape(goal.title)}"
        f"<td>{escape(goal.asked)}"
        f'<td class="number">{entry.done:,} of {goal.target:,}<br>'
        f"<small>{escape(goal.unit)}, {entry.seconds / 60:,.0f} min</small>"
        f'<div class="bar"><i style="width:{share:.1%}"></i></div>'
        f'<td class="number">{faults}'
        f"<td><small>{'<br>'.join(last) or '-'}</small></tr>"
    )


def _faults(ledger: Ledger, goals: Sequence[Goal]) -> list[str]:
    """Every fault that was kept, with the command that makes it again."""
    found = [(goal, each) for goal in goals for each in ledger.of(goal).sentences]
    if not found:
        return []
    return [
        "<h2>Faults</h2>",
        *(
            f'<div class="fault"><b>{escape(goal.name)}</b> {escape(each["fault"])}<br>'
            f"<code>{escape(each['again'])}</code></div>"
            for goal, each in found
        ),
    ]


def _plots(ledger: Ledger, goals: Sequence[Goal]) -> list[str]:
    """Every figure that was measured more than once, over the hours of the soak."""
    plots = [
        _plot(goal, name, points)
        for goal in goals
        for name, points in ledger.of(goal).figures.items()
        if len(points) > 1
    ]
    if not plots:
        return []
    return ["<h2>Figures over the hours</h2>", '<div class="plots">', *plots, "</div>"]


def _plot(goal: Goal, name: str, points: Sequence[Point]) -> str:
    first, last = points[0][0], points[-1][0]
    top = max(value for _, value in points)
    low = min(0.0, *(value for _, value in points))
    wide, high = (last - first) or 1.0, (top - low) or 1.0
    left, right, up, down = 2.0, WIDTH - 2, 14.0, HEIGHT - 14
    at = [
        (left + (hour - first) / wide * (right - left), down - (value - low) / high * (down - up))
        for hour, value in points
    ]
    curve = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
    x, y = at[-1]
    return (
        f"<figure><figcaption><span><b>{escape(goal.name)}</b> <small>{escape(name)}</small>"
        f"</span><b>{_number(points[-1][1])}</b></figcaption>"
        f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" '
        f'aria-label="{escape(f"{goal.name}, {name}", quote=True)}">'
        f'<line class="rule" x1="0" x2="{WIDTH:g}" y1="{up:g}" y2="{up:g}"/>'
        f'<line class="rule" x1="0" x2="{WIDTH:g}" y1="{down:g}" y2="{down:g}"/>'
        f'<polyline class="curve" points="{curve}"/>'
        f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
        f'<text x="0" y="10">{_number(top)}</text>'
        f'<text x="0" y="{HEIGHT - 2:g}">{_number(low)}</text>'
        f'<text x="{WIDTH:g}" y="{HEIGHT - 2:g}" text-anchor="end">'
        f"{first:.2f} to {last:.2f} h</text></svg></figure>"
    )


def _number(value: float) -> str:
    """A number with as many digits as matter.

    >>> _number(0), _number(0.01234), _number(3.14159), _number(123456.7)
    ('0', '0.0123', '3.14', '123,457')
    """
    if value == 0 or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"
