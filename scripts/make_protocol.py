"""Writes docs/protocol.md and docs/openapi.json from the types of the service.

Example: python -m scripts.make_protocol; with --check it only says whether they are fresh.
"""

import ast
import inspect
import json
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import msgspec

from sideboards.service import limits, protocol
from sideboards.service.api import routes
from sideboards.service.api_tables import MOVES
from sideboards.service.description import describe
from sideboards.service.refusals import CODES, status
from sideboards.service.room import OPENING
from sideboards.service.terms import DAY, LONGEST_CLOCK
from sideboards.words import words

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "protocol.md"
DOCUMENT = ROOT / "docs" / "openapi.json"
REF = "#/{name}"
PLAIN = {"boolean": "true or false", "null": "null", "number": "number"}

INTRODUCTION = """# Protocol

How a client talks to a server: over one WebSocket per seat, and over REST for all that is not
play. This page is made of the types in `service/protocol.py` by `python -m
scripts.make_protocol`; the REST side in full is [openapi.json](openapi.json), also served at
`/openapi.json`.

## The socket

`/ws`, text frames, one JSON message each, keys in any order, nothing unknown, nothing twice. One
socket is one seat, or one spectator. The first message is `hello`: with the seat token that
`POST /api/tables/{table}/seats` gave, or with the id of a table to watch it. The server answers
`welcome`, then `table` and, once cards are dealt, `view`.

- A request is `act` with a `key` (`round.attempt.nonce`); a move counts in that round only. The
  answer is `ack` after it is stored, or `refused` with the true view; if storing takes longer
  than a second, `pending` comes first.
  The same key and action sent again, also after a reconnect, gets the same outcome.
- After a choice the others get `public` only: who has chosen, swaps, the size of the piles. Whole
  views go out when one's own information changes and at the close of a round.
- `view.hash` and `ack.view_hash` are the first 32 hexadecimal digits of the SHA-256 of the view as
  JSON with sorted keys, without blanks, in UTF-8.
- Before the server closes a socket it says why in a `refused` without a key; its code is also the
  reason of the close.
- Clients ping every 2.5 s; after 9 s of silence a connection is dead, on both sides. They come
  back after 0.5 s, doubled up to 5 s, with full jitter, and send again what was not acknowledged.
"""

ACTIONS = (
    ("`12,40~`", "start: the left and the right card; `~` behind a card that is turned"),
    ("`L17~` · `R17`", "add a card at the left or right end"),
    ("`swap`", "discard the hand for two cards from the bottom of the pile, once per game"),
    ("`undo`", "take a choice back, as long as the round is open"),
    ("`start`", "host: fix seats and settings; seeds are opened next"),
    ("`open HEX64`", "open the seat's seed, within the time for it"),
    ("`bot SEAT NAME`", "host, before the start: give a seat to a bot"),
    ("`remove SEAT`", "host, before the start: empty a seat"),
    ("`close`", "host, before the start: end the table; in a game: whoever plays against bots"),
    (
        "`leave`",
        "before the start: stand up (the next one is host then); in a game: a bot plays on",
    ),
    ("`return`", "take one's seat back from the bot"),
    ("`vote SEAT`", "hand the seat of somebody who stays away to a bot, when all others agree"),
    ("`help SEAT`", "let a bot choose in this round for somebody who is away"),
)
CLOSE_CODES = (
    (1002, "a frame that no WebSocket may send"),
    (1007, "not text, or broken into pieces wrongly"),
    (
        1008,
        (
            "a limit (`too_many_messages`, `too_many_sockets`), not introduced in time "
            "(`hello_first`), `too_silent`, `wrong_protocol`, `unknown_table`"
        ),
    ),
    (1009, "a message is too large"),
    (1012, "the server restarts: come back after half a second"),
    (1013, "the server cannot take it now: come back later"),
    (4001, "the seat is played in a newer tab: come back on a click only"),
    (4003, "not your seat"),
)
REST = """## REST

Bodies are JSON and say so with `Content-Type: application/json`; without it they are refused. How
the `commit` of a seat is computed is told in [openapi.json](openapi.json) and by the lines in
[fair deals](fair.md#check-it-yourself). Besides these routes there is `/feeds/SECRET.atom`, whose
address `POST /api/me/feed` gives: an Atom feed of the tables that wait for a guest.
"""


def page() -> str:
    """The page as it should be."""
    schemas = _schemas()
    parts = [INTRODUCTION, "## Actions\n", _table(("action", "what"), ACTIONS)]
    for title, union in (
        ("From the client", protocol.ClientMessage),
        ("From the server", protocol.ServerMessage),
    ):
        kinds = get_args(union)
        parts += [f"## {title}\n", *(_message(kind, schemas) for kind in kinds)]
    named = {kind.__name__ for kind in _messages()}
    held = [name for name in schemas if name not in named]
    parts += ["## What messages hold\n", *(_struct(name, schemas) for name in held)]
    parts += ["## Close codes\n", _table(("code", "why"), CLOSE_CODES)]
    parts += ["## Limits\n", _table(("what", "limit"), _limits())]
    parts += ["## Refusals\n", _table(("code", "status", "sentence"), _refusals())]
    parts += [REST, _table(("", "route", "what", "answers"), _routes())]
    return "\n".join(parts)


def document() -> str:
    """The description of the REST side as it should be."""
    return json.dumps(_description(), indent=1, ensure_ascii=False, default=str) + "\n"


def _description() -> Any:  # noqa: ANN401 (JSON)
    return msgspec.to_builtins(describe(routes()))


def _messages() -> tuple[type, ...]:
    return (*get_args(protocol.ClientMessage), *get_args(protocol.ServerMessage))


def _schemas() -> dict[str, Any]:
    _, schemas = msgspec.json.schema_components(_messages(), ref_template=REF)
    return schemas


def _message(kind: type, schemas: dict[str, Any]) -> str:
    tag = schemas[kind.__name__]["properties"]["type"]["enum"][0]
    return f"### `{tag}`\n\n{_body(kind.__name__, schemas)}"


def _struct(name: str, schemas: dict[str, Any]) -> str:
    return f"### {name}\n\n{_body(name, schemas)}"


def _body(name: str, schemas: dict[str, Any]) -> str:
    """What a type is, then its fields."""
    schema = schemas[name]
    said = _field_docs(getattr(protocol, name))
    rows = [
        (
            f"`{field}`" + ("" if field in schema["required"] else " (optional)"),
            _kind(kind),
            said.get(field, ""),
        )
        for field, kind in schema["properties"].items()
        if field != "type"
    ]
    text = " ".join(schema["description"].split()) + "\n"
    return text + ("\n" + _table(("field", "kind", ""), rows) if rows else "")


def _field_docs(kind: type) -> dict[str, str]:
    """What the source says below each field."""
    (tree,) = ast.parse(inspect.getsource(kind)).body
    lines = tree.body if isinstance(tree, ast.ClassDef) else []
    docs = {}
    for field, below in pairwise(lines):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
        ):
            docs[field.target.id] = " ".join(str(below.value.value).split())
    return docs


def _kind(schema: dict[str, Any]) -> str:
    """A JSON schema in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/")
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_kind(each) for each in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    match schema.get("type"):
        case "integer":
            low, high = schema.get("minimum"), schema.get("maximum")
            return "whole number" if low is None else f"whole number, {low} to {high}"
        case "string":
            pattern, longest = schema.get("pattern"), schema.get("maxLength")
            more = f" like `{pattern}`" if pattern else ""
            return f"text{more}" + (f", up to {longest} characters" if longest else "")
        case "array" if schema.get("prefixItems"):
            return "list: " + "; ".join(_kind(each) for each in schema["prefixItems"])
        case "array":
            return f"list of {_kind(schema['items'])}"
        case other:
            return PLAIN[str(other)]


def _limits() -> list[tuple[str, str]]:
    def rate(each: limits.Rate) -> str:
        return f"{each.count} in {each.seconds:g} s"

    return [
        ("a message, a body", f"{protocol.MAX_MESSAGE} bytes"),
        ("a view", f"{protocol.MAX_VIEW} bytes"),
        ("what may wait unread for a socket", f"{protocol.MAX_QUEUE} bytes"),
        ("counted messages of a socket", rate(limits.MESSAGES)),
        ("drafts of a socket", rate(limits.DRAFTS)),
        ("until a connection has introduced itself", f"{limits.HANDSHAKE:g} s"),
        ("sockets of an address", str(limits.SOCKETS_PER_ADDRESS)),
        ("open tables that a guest has made", str(limits.TABLES_PER_GUEST)),
        (
            "the same for practice (a further one ends the longest untouched)",
            str(limits.PRACTICE_PER_GUEST),
        ),
        ("new guests of an address", rate(limits.GUESTS_PER_ADDRESS)),
        ("requests of a guest", rate(limits.CALLS_PER_GUEST)),
        ("requests of an address", rate(limits.CALLS_PER_ADDRESS)),
        ("wrong codes of an address", rate(limits.WRONG_PER_ADDRESS)),
        ("wrong codes of everybody", rate(limits.WRONG_IN_ALL)),
        ("to open the seeds", f"{OPENING / 1000:g} s"),
        ("the clock of a round", f"10 to {LONGEST_CLOCK} s, or 1 to 3 days of {DAY} s"),
    ]


def _refusals() -> list[tuple[str, int, str]]:
    texts = words("en").texts
    codes = dict.fromkeys((*CODES, *MOVES))
    return [(f"`{code}`", status(code), str(texts[f"refusal.{code}"])) for code in codes]


def _routes() -> list[tuple[str, str, str, str]]:
    return [
        (method.upper(), f"`{path}`", operation["summary"], _answers(operation))
        for path, methods in _description()["paths"].items()
        for method, operation in methods.items()
    ]


def _answers(operation: dict[str, Any]) -> str:
    good = [number for number in operation["responses"] if number < "300"]
    return ", ".join(good) + (" (guests only)" if "security" in operation else "")


def _table(heads: tuple[str, ...], rows: Any) -> str:  # noqa: ANN401 (rows of texts and numbers)
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in rows]
    lines = [heads, ["---"] * len(heads), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def main(arguments: list[str]) -> int:
    """Write both files, or with --check compare them; 1 if one is stale."""
    wanted = {PAGE: page(), DOCUMENT: document()}
    if arguments == ["--check"]:
        stale = [
            file.name
            for file, text in wanted.items()
            if not file.exists() or file.read_text() != text
        ]
        for name in stale:
            print(f"docs/{name}: stale; run python -m scripts.make_protocol")
        return 1 if stale else 0
    for file, text in wanted.items():
        file.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
