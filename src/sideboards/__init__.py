"""Sideboards: exact rules, scoring and notation of the card game, as a library.

Load an edition, make a set-up, deal, ask for the legal moves, step, look at a view, score.
Everything here is a pure function of frozen values; chance comes in as `rng`.
"""

from sideboards.core.board import Board, Laid, picture
from sideboards.core.card import Card, Drawer, parse_card
from sideboards.core.edition import Edition, parse_edition
from sideboards.core.fair import (
    Proof,
    check_proof,
    deal_key,
    fair_setup,
    parse_proof,
    rules_string,
    seat_commitment,
    server_commitment,
)
from sideboards.core.game import (
    Move,
    Place,
    Seat,
    Setup,
    Start,
    State,
    Swap,
    Undo,
    deal,
    legal,
    new_setup,
    replay,
    scores,
    step,
)
from sideboards.core.notation import (
    Record,
    format_board,
    format_record,
    parse_board,
    parse_move,
    parse_record,
)
from sideboards.core.objective import Objectives, Pattern, Rows
from sideboards.core.refusal import IllegalMove, Refusal
from sideboards.core.scoring import (
    Explanation,
    Mode,
    Points,
    Score,
    Tally,
    explain,
    final_scores,
    tally,
    tier,
)
from sideboards.core.view import Option, View, imagine, view
from sideboards.data import load_edition

__all__ = [
    "Board",
    "Card",
    "Drawer",
    "Edition",
    "Explanation",
    "IllegalMove",
    "Laid",
    "Mode",
    "Move",
    "Objectives",
    "Option",
    "Pattern",
    "Place",
    "Points",
    "Proof",
    "Record",
    "Refusal",
    "Rows",
    "Score",
    "Seat",
    "Setup",
    "Start",
    "State",
    "Swap",
    "Tally",
    "Undo",
    "View",
    "check_proof",
    "deal",
    "deal_key",
    "explain",
    "fair_setup",
    "final_scores",
    "format_board",
    "format_record",
    "imagine",
    "legal",
    "load_edition",
    "new_setup",
    "parse_board",
    "parse_card",
    "parse_edition",
    "parse_move",
    "parse_proof",
    "parse_record",
    "picture",
    "replay",
    "rules_string",
    "scores",
    "seat_commitment",
    "server_commitment",
    "step",
    "tally",
    "tier",
    "view",
]
