"""Messages that nobody should send, made by chance, and a second reader that says what they are.

The reader here shares no code with the server's: what the two do not agree on is a fault.
"""

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Literal, NamedTuple

LARGEST = 8 * 1024
LONE = re.compile("[\ud800-\udfff]")
KEY = re.compile(r"[0-9]{1,2}\.[0-9]{1,4}\.[A-Za-z0-9_-]{4,24}")
LANGUAGES = ("de", "en", "fr", "it", "pt")
CANARY = "kanarienvogel"
"""Stands in what is sent, and so must not stand in any log."""

What = Literal["not text", "too large", "nothing", "hello", "act", "draft", "say", "ping", "resync"]
Kind = Literal["random", "grammar", "altered"]


class Judged(NamedTuple):
    """What a message is, and its fields if it is one."""

    what: What
    fields: dict[str, object]


# ---- the second reader -------------------------------------------------------------------------


class _Bad(Exception):
    """Not plain, unambiguous JSON."""


def judge(data: bytes) -> Judged:
    """What bytes are by the letter of the protocol.

    >>> judge(b'{"type":"ping","active":true}').what, judge(b'{"type":"ping","active":1}').what
    ('ping', 'nothing')
    """
    if len(data) > LARGEST:
        return Judged("too large", {})
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return Judged("not text", {})
    try:
        fields = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError, _Bad):
        return Judged("nothing", {})
    if not isinstance(fields, dict) or LONE.search("".join(_texts(fields))):
        return Judged("nothing", {})
    kind = fields.pop("type", None)
    if not isinstance(kind, str) or kind not in CHECKS:
        return Judged("nothing", {})
    needed, checks = CHECKS[kind]
    known = set(needed) <= fields.keys() <= checks.keys()
    if not known or not all(checks[name](value) for name, value in fields.items()):
        return Judged("nothing", {})
    return Judged(kind, fields)  # type: ignore[arg-type]


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Bad
    return found


def _no_number(text: str) -> float:
    raise _Bad(text)


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [*value, *(text for each in value.values() for text in _texts(each))]
    return [text for each in value for text in _texts(each)] if isinstance(value, list) else []


def _whole(low: int, high: int | None = None) -> Callable[[object], bool]:
    def check(value: object) -> bool:
        return type(value) is int and value >= low and (high is None or value <= high)

    return check


def _text(longest: int, shortest: int = 0, *, none: bool = False) -> Callable[[object], bool]:
    def check(value: object) -> bool:
        if value is None:
            return none
        return isinstance(value, str) and shortest <= len(value) <= longest

    return check


def _is_key(value: object) -> bool:
    return isinstance(value, str) and KEY.fullmatch(value) is not None


CHECKS: dict[str, tuple[Sequence[str], dict[str, Callable[[object], bool]]]] = {
    "hello": (
        ["protocol"],
        {
            "protocol": lambda value: type(value) is int and len(str(value)) < 4000,
            "token": _text(300, none=True),
            "table": _text(40, none=True),
            "language": lambda value: value in LANGUAGES,
            "assist": lambda value: value is None or _whole(0, 3)(value),
        },
    ),
    "act": (["key", "action"], {"key": _is_key, "action": _text(200, 1)}),
    "draft": (["round", "move"], {"round": _whole(0, 6), "move": _text(12, none=True)}),
    "say": (["phrase"], {"phrase": _text(10**6)}),
    "ping": ([], {"active": lambda value: isinstance(value, bool)}),
    "resync": ([], {}),
}
"""By type, the fields that must be there and how each is checked."""


# ---- messages ----------------------------------------------------------------------------------

Fields = list[tuple[str, str]]
"""Names and values as they are written, so that anything can be written."""

GOOD: list[Fields] = [
    [('"type"', '"hello"'), ('"protocol"', "1"), ('"token"', '"t.0.g.1.s"'), ('"assist"', "2")],
    [('"type"', '"hello"'), ('"protocol"', "1"), ('"table"', '"abc"'), ('"language"', '"de"')],
    [('"type"', '"act"'), ('"key"', '"1.1.abcd"'), ('"action"', '"L17~"')],
    [('"type"', '"act"'), ('"key"', '"0.2.efgh"'), ('"action"', '"12,40~"')],
    [('"type"', '"act"'), ('"key"', '"2.3.ijkl"'), ('"action"', '"swap"')],
    [('"type"', '"draft"'), ('"round"', "1"), ('"move"', '"R17"')],
    [('"type"', '"draft"'), ('"round"', "0"), ('"move"', "null")],
    [('"type"', '"say"'), ('"phrase"', '"nice"')],
    [('"type"', '"ping"'), ('"active"', "true")],
    [('"type"', '"resync"')],
]
STRANGE = [
    "null", "true", "false", "0", "1", "-1", "-0", "1.0", "1e0", "0.5", "1e999", "-1e999", "01",
    "NaN", "Infinity", "-Infinity", "9" * 20, "9" * 400, "9" * 5000, '""', '"1"', '"true"', "[]",
    "{}", "[1]", '{"a":1}', '{"a":1,"a":1}', '"\\ud800"', '"\\udc00\\ud800"', '"\\ud83d\\ude00"',
    '"\\u0000"', '"\x00"', '"\n"', '"\\n"', '"\u202eevil"', '"\\u202eevil"', '"\u2066x"',
    '"\ufeff"',
    '"e' + "\u0301" * 300 + '"', '"' + "a" * 13 + '"', '"' + "a" * 201 + '"',
    '"' + "a" * 7000 + '"', "[" * 200 + "]" * 200, "[" * 3500, '{"a":' * 900, '"' + "\\" * 51 + '"',
    '"<script>alert(1)</script>"', '"\x1b[31m"', '"\\u001b[31m"', '"%s%n{}"', '"L17~\\n"',
    '"1.1.abcd\\n"', '"100.1.abcd"', '"1.1.abc"', '"\u0661.1.abcd"', '"vote \u00b2"', '"sit {}"',
    '"help 0"', '"leave now"', f'"{CANARY}"', "undefined", "'a'", "0x10", "+1", ".5", "1.", "--1",
]  # fmt: skip
"""Values that no field, or hardly any, may have."""
UNKNOWN = [
    ('"seat"', "1"), ('"score"', "99"), ('"guest"', '"x"'), ('"__proto__"', "{}"), ('""', "1"),
    ('"Type"', '"act"'), ('"cards"', "[1,2,3]"), ('"\\u0074ype"', '"ping"'), ('"view"', "{}"),
    ('"type"', '"act"'), ('"constructor"', "null"), ('"\\ud800"', "1"), ('"seq"', "7"),
]  # fmt: skip
SIGNS = [
    b'"', b"{", b"}", b"[", b"]", b",", b":", b"\\", b"null", b"-1", b"1e999", b"\\ud800", b"\x00",
    b" ", b"\t", b"\x0b", b"//", b"/**/", "\ufeff".encode(), "é".encode(), b"'",
]  # fmt: skip
ALPHABETS = (
    '{}[]":,0123456789.eE+-\\u truefalsn',
    "abc \u0000\u0001\u001b\u007f\u0085\u00a0\u200d\u202e\u2066\ufeff\uffff\U0001f600\U0010ffff",
)


def written(fields: Fields) -> bytes:
    """Fields as one message."""
    return ("{" + ",".join(f"{name}:{value}" for name, value in fields) + "}").encode()


def random_message(rng: Random) -> bytes:
    """Any text, and now and then bytes that are none."""
    if rng.random() < 0.01:
        return rng.randbytes(rng.randrange(1, 200))
    size = rng.choice([0, 1, 2, 10, 50, 200, 200, 2000 if rng.random() < 0.1 else 30])
    return "".join(rng.choices(rng.choice(ALPHABETS), k=size)).encode()


def grammar_message(rng: Random) -> bytes:
    """A message of the protocol of which one thing or two are wrong."""
    fields = list(rng.choice(GOOD))
    for _ in range(rng.choice([0, 1, 1, 1, 1, 2])):
        place = rng.randrange(len(fields)) if fields else 0
        match rng.randrange(7) if fields else 2:
            case 0 | 1 | 6:
                fields[place] = (fields[place][0], rng.choice(STRANGE))
            case 2:
                fields.insert(place, rng.choice(UNKNOWN))
            case 3:
                fields.insert(rng.randrange(len(fields) + 1), fields[place])
            case 4:
                del fields[place]
            case _:
                rng.shuffle(fields)
    data = written(fields)
    return _spoiled(data, rng) if rng.random() < 0.25 else data


def altered_message(recorded: Sequence[bytes], rng: Random) -> bytes:
    """A message of a real game: of another seat, another key, an old round, cut or doubled."""
    data = rng.choice(recorded) if recorded else written(GOOD[2])
    match rng.randrange(8):
        case 0 | 1:
            return data  # of somebody else, some time ago
        case 2:
            return re.sub(rb'"key": ?"\d+', b'"key":"%d' % rng.randrange(8), data)
        case 3:
            return data[: rng.randrange(len(data))]
        case 4:
            return data + data
        case 5:
            other = rng.choice(recorded) if recorded else data
            cut = rng.randrange(min(len(data), len(other)))
            return data[:cut] + other[cut:]
        case 6:
            return re.sub(rb"\d+", lambda _: b"%d" % rng.randrange(70), data)
        case _:
            return _spoiled(data, rng)


def _spoiled(data: bytes, rng: Random) -> bytes:
    """The same with some signs put in, changed or left out; still text."""
    text = data.decode()
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(text) + 1)
        text = text[:place] + rng.choice(SIGNS).decode() + text[place + rng.randrange(4) :]
    return text.encode()


def message(kind: Kind, recorded: Sequence[bytes], rng: Random) -> bytes:
    """A message of a kind."""
    if kind == "random":
        return random_message(rng)
    return grammar_message(rng) if kind == "grammar" else altered_message(recorded, rng)


# ---- streams of bytes --------------------------------------------------------------------------

UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
FRAMES = [
    b"\x81\xff\x40\0\0\0\0\0\0\0" + b"\0" * 4,  # 2^62 bytes
    b"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff",  # 2^63 - 1
    b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff",  # more than a length can be
    b"\x81\xfe\0\x01\0\0\0\0x",  # a short length in a long form
    b"\xc1\x80\0\0\0\0", b"\xf1\x80\0\0\0\0",  # reserved bits
    b"\x83\x80\0\0\0\0", b"\x8f\x80\0\0\0\0",  # reserved kinds
    b"\x09\x80\0\0\0\0",  # a control frame in pieces
    b"\x89\xfe\0\x80" + b"\0" * 132,  # a ping of 128 bytes
    b"\x81\x02{}",  # not masked
    b"\x01\x81\0\0\0\0{", b"\x00\x81\0\0\0\0}", b"\x80\x80\0\0\0\0",  # fragments
    b"\x82\x81\0\0\0\0x",  # binary
    b"\x88\x81\0\0\0\0x", b"\x88\x82\0\0\0\0\xff\xff", b"\x88\x80\0\0\0\0",  # goodbyes
    b"\x88\x84\0\0\0\0\x03\xe8\xff\xff",  # a goodbye whose reason is no text
    b"\x8a\x80\0\0\0\0", b"\x81\x80\0\0\0\0", b"\x81",
]  # fmt: skip
HEADS = [
    b"GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    UPGRADE.replace(b"Version: 13", b"Version: 12"),
    UPGRADE.replace(b"AAAAAAAAAAAAAAAAAAAAAA==", b""),
    UPGRADE.replace(b"GET", b"POST"),
    UPGRADE.replace(b"/ws", b"/wss"),
    UPGRADE.replace(b"HTTP/1.1", b"HTTP/1.0"),
    UPGRADE.replace(b"\r\n\r\n", b"\r\nOrigin: http://elsewhere.example\r\n\r\n"),
    UPGRADE.replace(b"\r\n\r\n", b"\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"),
    b"GET / HTTP/1.1\r\nHost: h\r\n" + b"A: " + b"b" * 20_000 + b"\r\n\r\n",
    b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: h\r\n\r\n",
    b"POST /api/guests HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999\r\n\r\n{",
    b"POST /api/guests HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n",
    b"POST /api/guests HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST /api/guests HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    b"GET /%ff%00%2e%2e/ HTTP/1.1\r\nHost: h\r\n\r\n",
    b"GET /\xff\xfe HTTP/1.1\r\nHost: h\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: h\r\nCookie: sideboards=\xff\xfe; \x80=\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: h\r\nAccept-Language: de;q=nan, \xff;q=1e999\r\n\r\n",
    b"GET /api/me HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer \xe9\r\n\r\n",
    b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00\x01",
    b"\r\n\r\n\r\n", b"GET", b"G", b"",
]  # fmt: skip
BODY = "POST {path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: {size}"
PATHS = ("/api/guests", "/api/tables", "/api/codes", "/api/transfer", "/api/score")


def stream(rng: Random) -> tuple[bool, bytes]:
    """Whether it begins with a good handshake, and the bytes that come then."""
    match rng.randrange(6):
        case 0:
            return True, rng.randbytes(rng.randrange(1, 300))
        case 1 | 2:
            return True, b"".join(rng.choices(FRAMES, k=rng.randrange(1, 4)))
        case 3:
            data = bytearray(rng.choice(HEADS))
            for _ in range(rng.randrange(4) if data else 0):
                data[rng.randrange(len(data))] = rng.randrange(256)
            return False, bytes(
                data[: rng.randrange(len(data) + 1)] if rng.random() < 0.3 else data
            )
        case 4:
            body = grammar_message(rng).replace(b'"type"', b'"name"')
            head = BODY.format(path=rng.choice(PATHS), size=len(body))
            return False, head.encode() + b"\r\n\r\n" + body
        case _:
            return False, rng.randbytes(rng.randrange(1, 300))
