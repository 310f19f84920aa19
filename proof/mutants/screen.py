"""Planted bugs in what a browser shows too early."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from proof.mutants.secrecy import stable_hidden_ids
from sideboards.service import shell, web

_web: Any = web
MARKING = b"""{const read=JSON.parse;JSON.parse=(...given)=>{const found=read(...given);
const backs=found?.view?.backs;if(backs)document.body.dataset.backs=JSON.stringify(backs);
return found}}
"""


class _Marking(type(Path())):  # type: ignore[misc]  # the path of this system
    """A path whose scripts mark what they hear of hidden cards."""

    def read_bytes(self) -> bytes:
        """The content, with a few lines more before a script."""
        data: bytes = super().read_bytes()
        return MARKING + data if self.suffix == ".js" else data


def page_marks_hidden_cards() -> None:
    """Hidden cards have ids, and the page writes them into an attribute that nobody sees."""
    stable_hidden_ids()
    _web.STATIC, _web.ENCODINGS = _Marking(shell.STATIC), ()


MUTANTS: dict[str, Callable[[], None]] = {"page marks hidden cards": page_marks_hidden_cards}
