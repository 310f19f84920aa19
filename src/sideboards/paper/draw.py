"""Pictures of the game: the sprite of the page, and cards, boards and the icon on their own.

`sprite` is meant to stand once in a page, before anything that uses it. Its gradients and patterns
are not found in parts of a page that are not displayed, so it must not be put into a `hidden`
element: it takes no room itself, and the class `sprite` takes it out of the flow. `objectives` are
kept apart, because a page shows three of them: sixty pictures would cost its first paint the most.
"""

from functools import cache, lru_cache

from sideboards.core.edition import Edition
from sideboards.core.objective import Objective
from sideboards.paper.board_picture import board_svg, card_svg, icon_svg
from sideboards.paper.drawer import drawer_symbols, material_symbols
from sideboards.paper.furniture import furniture_symbols
from sideboards.paper.handle import handle_definitions
from sideboards.paper.objective_picture import LARGE, SMALL, objective_picture
from sideboards.paper.paint import definitions

__all__ = ["board_svg", "card_svg", "icon_svg", "objectives", "sprite"]


@cache
def sprite() -> str:
    """Everything that the page draws boards with, as one `<svg>` of symbols.

    Drawers `d-COLOR-HANDLE` (any size; HANDLE may be `none`), handles `h-SHAPE-METAL` and signs
    `i-SHAPE` round (0, 0) for a square of 24, `any`, `blank`, `logo`, `vase`, `lamp`, `back`.
    """
    return (
        '<svg class="sprite" width="0" height="0" aria-hidden="true" focusable="false"><defs>'
        f"{definitions()}{handle_definitions()}{drawer_symbols()}{material_symbols()}"
        f"{furniture_symbols()}</defs></svg>"
    )


@lru_cache(maxsize=8)
def objectives(edition: Edition) -> str:
    """For each objective `objective-N` (100 x 44) and `objective-N-large` (200 x 140), likewise."""
    found: tuple[Objective, ...] = (*edition.patterns, *edition.rows)
    symbols = "".join(
        f'<symbol id="objective-{objective.number}{end}" viewBox="0 0 {paper.w:g} {paper.h:g}">'
        f"{objective_picture(objective, paper)}</symbol>"
        for objective in found
        for end, paper in (("", SMALL), ("-large", LARGE))
    )
    return f"<svg><defs>{symbols}</defs></svg>"
