"""Writes web/src/protocol.ts, the browser's types, from the types of the service.

Example: python -m scripts.make_types; with --check it only says whether they are fresh.
"""

import sys
from pathlib import Path
from typing import Any, get_args

import msgspec

from sideboards.service import protocol
from sideboards.service.api import routes
from sideboards.service.description import describe
from sideboards.words import LANGUAGES

FILE = Path(__file__).parents[1] / "web" / "src" / "protocol.ts"
HEAD = """// Made of the types of the service by `python -m scripts.make_types`; not edited by hand.

export const PROTOCOL = {protocol};
export const LANGUAGES = [{languages}] as const;
export type Language = (typeof LANGUAGES)[number];
export const PHRASES = [{phrases}] as const;
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


def main() -> None:
    """Write the file, or with --check only compare."""
    text = types()
    if "--check" in sys.argv:
        if not FILE.exists() or FILE.read_text() != text:
            sys.exit("web/src/protocol.ts is not fresh: run python -m scripts.make_types")
    else:
        FILE.parent.mkdir(parents=True, exist_ok=True)
        FILE.write_text(text)


if __name__ == "__main__":
    main()
