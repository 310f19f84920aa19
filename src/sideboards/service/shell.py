"""The page of the browser client in one language: put together and compressed once.

Only a few lines in its head differ from page to page, so they are compressed alone and joined with
the rest, which was compressed before.
"""

import hashlib
import json
import struct
import zlib
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from sideboards.core.edition import Edition
from sideboards.core.notation import parse_record
from sideboards.core.objective import Objective, Pattern, forms
from sideboards.core.refusal import Refusal
from sideboards.core.scoring import ROW_POINTS
from sideboards.data import shipped
from sideboards.paper.draw import objectives, sprite
from sideboards.service.thinking import LADDER
from sideboards.words import Words, words

STATIC = Path(str(files("sideboards.service"))) / "static"
INDEX = STATIC / "index.html"
ELSEWHERE = ("coach.", "feed.", "page.", "play.", "reason.", "remote.", "verdict.")
"""Texts that the server or a terminal speaks, never the browser."""
_GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"


@dataclass(frozen=True, slots=True)
class Shell:
    """A page without the lines of its head that differ."""

    language: str
    before: bytes
    after: bytes
    packed: bytes
    """What comes after, compressed."""
    tag: str

    def plain(self, head: str) -> bytes:
        """The whole page."""
        return b"".join((self.before, head.encode(), self.after))

    def gzipped(self, head: str) -> bytes:
        """The whole page, compressed."""
        begin = self.before + head.encode()
        packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
        # A full flush ends at a byte and forgets what came before, so anything may follow.
        packed = packer.compress(begin) + packer.flush(zlib.Z_FULL_FLUSH)
        check = zlib.crc32(self.after, zlib.crc32(begin))
        end = struct.pack("<II", check, len(begin) + len(self.after))
        return b"".join((_GZIP_HEADER, packed, self.packed, end))

    def etag(self, head: str) -> str:
        """What changes whenever the page does, however it is encoded."""
        return f'W/"{self.tag}-{zlib.crc32(head.encode()):08x}"'


def shell(
    language: str, edition: Edition, offered: tuple[str, ...], room: str | None = None
) -> Shell | None:
    """The page in a language, for a server that offers these bots; None if it was not built.

    `room` is the address of the server for others in the same network.
    """
    try:
        stamp = INDEX.stat().st_mtime_ns
    except OSError:
        return None
    return _shell(language, edition, offered, room, stamp)


@lru_cache(maxsize=20)
def _shell(
    language: str, edition: Edition, offered: tuple[str, ...], room: str | None, stamp: int
) -> Shell:
    del stamp  # of the built page: it is read anew when it was built anew
    spoken = words(language)
    text = INDEX.read_text().replace('<html lang="en">', f'<html lang="{language}">')
    before, _, rest = text.partition("<title>")
    after = rest.partition("<!--head-->")[2]
    pictures = f'{sprite()}<template id="objectives">{objectives(edition)}</template>'
    data = _no_script(spoken) + pictures + _boot(spoken, edition, offered, room)
    after = after.replace("<!--page-->", "").replace("<!--data-->", data)
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(after.encode()) + packer.flush()
    tag = hashlib.sha256(f"{before}{after}".encode()).hexdigest()[:16]
    return Shell(language, before.encode(), after.encode(), packed, tag)


def _no_script(spoken: Words) -> str:
    texts = "".join(
        f"<p>{escape(spoken(key))}</p>" for key in ("page.about", "page.script", "page.private")
    )
    title = escape(spoken("term.game"))
    return f'<noscript><main class="page"><h1>{title}</h1>{texts}</main></noscript>'


def _boot(spoken: Words, edition: Edition, offered: tuple[str, ...], room: str | None) -> str:
    """What the program needs before its first picture, as a block that is not executed."""
    texts = spoken.texts.items()
    data = {
        "language": spoken.language,
        "words": {key: text for key, text in texts if not key.startswith(ELSEWHERE)},
        "edition": edition.sha256,
        "cards": [str(card) for card in edition.cards],
        "objectives": [*map(_objective, edition.patterns), *map(_objective, edition.rows)],
        "suggestions": edition.suggestions,
        "bots": [{"name": name, "offered": name in offered} for name in LADDER],
        "practice": practice(edition),
        "room": room,
        "version": version("sideboards"),
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="boot">{text}</script>'


def practice(edition: Edition) -> str:
    """The record of everybody's first deal; empty for cards that it is not made of."""
    record = shipped("practice.txt")
    try:
        parse_record(record, edition, unfinished=True)
    except Refusal:
        return ""
    return record.decode()


def _objective(objective: Objective) -> dict[str, Any]:
    if isinstance(objective, Pattern):
        return {
            "number": objective.number,
            "kind": objective.kind,
            "of": objective.kind,
            "points": objective.points,
            "name": objective.name or None,
            "forms": forms(objective.cells, objective.turns),
            "runs": None,
            "only": None,
            "rows": [],
        }
    return {
        "number": objective.number,
        "kind": "row",
        "of": objective.of,
        "points": ROW_POINTS,
        "name": None,
        "forms": [],
        "runs": objective.runs,
        "only": objective.only,
        "rows": objective.rows,
    }
