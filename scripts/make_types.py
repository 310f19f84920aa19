"""Writes what the browser shares with the server: types (protocol.ts) and measures (measures.ts).

Example: python -m scripts.make_types; with --check it only says whether they are fresh.
"""

import sys
from pathlib import Path
from typing import Any, get_args

import msgspec

from sideboards.paper.measure import DESK_SIZE, HANDLE_SHARES, MEASURES
from sideboards.service import protocol
from sideboards.service.api import routes
from sideboards.service.description import describe
from sideboards.words import LANGUAGES

WEB = Path(__file__).parents[1] / "web" / "src"
HEAD = """// Made of the types of the service by `python -m scripts.make_types`; not edited by hand.

export const PROTOCOL = {protocol};
export const LANGUAGES = [{languages}] as const;
export type Language = (typeof LANGUAGES)[number];
export const PHRASES = [{phrases}] as const;
"""
SIZES = """// Made of paper/measure.py by `python -m scripts.make_types`; not edited by hand.

/** How far drawers are apart on a desk. */
export const DESK_SIZE = {{ w: {w:g}, h: {h:g} }};

/** Each is so much on a desk, in proportion on other screens, but never less. */
export const MEASURES = {{
{measures}
}} as const;

/** How much of a drawer's width and height a handle takes at most. */
export const HANDLE_SHARES = [{across:g}, {down:g}] as const;
"""
LEFT_OUT = ("Known", "OptionInfo")
"""What the server sends with gaps."""
PLAIN = {"boolean": "boolean", "null": "null", "number": "number", "integer": "number"}


def types() -> str:
    """The file as it should be."""
    kinds = {*get_args(protocol.ClientMessage), *get_args(protocol.ServerMessage)}
    _, schemas = msgspec.json.schema_components(
        sorted(kinds, key=lambda kind: kind.__name__), ref_template="#/{name}"
    )
    answers = msgspec.to_builtins(describe(routes()))["components"]["schemas"]
    parts = [
        HEAD.format(
            protocol=protocol.PROTOCOL,
            languages=", ".join(f'"{each}"' for each in LANGUAGES),
            phrases=", ".join(f'"{each}"' for each in protocol.PHRASES),
        )
    ]
    for name, schema in sorted((answers | schemas).items()):
        if schema.get("type") == "object":
            parts.append(_interface(name, schema))
    for name, union in (
        ("ClientMessage", protocol.ClientMessage),
        ("ServerMessage", protocol.ServerMessage),
    ):
        members = " | ".join(kind.__name__ for kind in get_args(union))
        parts.append(f"export type {name} = {members};\n")
    return "\n".join(parts)


def _interface(name: str, schema: dict[str, Any]) -> str:
    """A type; only what the browser sends, and a few others, may leave fields out."""
    asked = schema.get("additionalProperties") is False and name != "Settings"
    whole = not asked and name not in LEFT_OUT
    required = schema.get("required", [])
    lines = [
        f"  {field}{'' if whole or field in required or field == 'type' else '?'}: {_type(kind)};"
        for field, kind in schema.get("properties", {}).items()
    ]
    said = " ".join(schema.get("description", "").split())
    note = f"/** {said} */\n" if said else ""
    return f"{note}export interface {name} {{\n" + "\n".join(lines) + "\n}\n"


def _type(schema: dict[str, Any]) -> str:
    """A JSON schema as a TypeScript type."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " | ".join(dict.fromkeys(_type(each) for each in schema[several]))
    if schema.get("enum"):
        return " | ".join(
            f'"{each}"' if isinstance(each, str) else str(each) for each in schema["enum"]
        )
    return _plain(schema)


def _plain(schema: dict[str, Any]) -> str:
    match schema.get("type"):
        case "string":
            return "string"
        case "array" if schema.get("prefixItems"):
            return f"[{', '.join(_type(each) for each in schema['prefixItems'])}]"
        case "array":
            inner = _type(schema["items"])
            return f"({inner})[]" if " | " in inner else f"{inner}[]"
        case "object":
            return "Record<string, unknown>"
        case list(several):
            return " | ".join(_plain({**schema, "type": each}) for each in several)
        case None:
            return "unknown"
        case other:
            return PLAIN[str(other)]


def measures() -> str:
    """The file of measures as it should be."""
    lines = (f"  {name}: [{each.desk:g}, {each.least:g}]," for name, each in MEASURES.items())
    (w, h), (across, down) = DESK_SIZE, HANDLE_SHARES
    return SIZES.format(w=w, h=h, measures="\n".join(lines), across=across, down=down)


def stale() -> dict[Path, str]:
    """The files that are not as they should be, with what they should contain."""
    wanted = {WEB / "protocol.ts": types(), WEB / "board" / "measures.ts": measures()}
    return {
        file: text for file, text in wanted.items() if not file.exists() or file.read_text() != text
    }


def main() -> None:
    """Write the files, or with --check only compare."""
    for file, text in stale().items():
        if "--check" in sys.argv:
            sys.exit(f"{file.relative_to(WEB)} is not fresh: run python -m scripts.make_types")
        file.write_text(text)


if __name__ == "__main__":
    main()
