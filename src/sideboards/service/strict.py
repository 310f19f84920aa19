"""Strict decoding: what is not exactly a message of ours is refused, with its place."""

import re
from typing import TypeVar

import msgspec

from sideboards.core.refusal import Refusal
from sideboards.core.strict import read_json
from sideboards.service.protocol import (
    MAX_MESSAGE,
    PROTOCOL,
    Act,
    ClientMessage,
    Draft,
    Hello,
    Ping,
    Resync,
    Say,
)
from sideboards.service.refusals import ServiceRefusal

T = TypeVar("T")


class AnyHello(msgspec.Struct, tag="hello"):
    """What the greetings of all protocols have in common."""

    protocol: int


_decode = msgspec.json.Decoder(ClientMessage).decode
_FEWEST = {Act: 3, Draft: 3, Say: 2, Hello: 2, Ping: 1, Resync: 1}
"""How many colons a message has at least, so that with no more of them no key stands twice."""
_PINGS: dict[bytes, ClientMessage] = {
    text: _decode(text)
    for text in (b'{"type":"ping","active":false}', b'{"type":"ping","active":true}')
}
"""What clients send most of all, read already."""
_PLACE = re.compile(r"at `\$\.?([^`]{0,60})`")


def decode(data: bytes) -> ClientMessage:
    """The message in the bytes of a frame; raises bad_message, not_json or too_large."""
    if (ping := _PINGS.get(data)) is not None:
        return ping
    if len(data) > MAX_MESSAGE:
        raise ServiceRefusal("too_large")
    try:
        message: ClientMessage = _decode(data)
    except msgspec.ValidationError:
        raise ServiceRefusal("bad_message") from None
    except (msgspec.DecodeError, RecursionError, ValueError):
        raise ServiceRefusal("not_json") from None
    if data.count(b":") > _FEWEST[type(message)]:
        _refuse_doubles(data)
    return message


def speaks_otherwise(data: bytes) -> bool:
    """Whether bytes are the greeting of a client of another protocol, whatever else it says."""
    try:
        return msgspec.json.decode(data, type=AnyHello).protocol != PROTOCOL
    except (msgspec.DecodeError, RecursionError, ValueError):
        return False


def decode_body(data: bytes, kind: type[T]) -> T:
    """The value in the body of a request; raises bad_value with its place, or not_json."""
    if len(data) > MAX_MESSAGE:
        raise ServiceRefusal("too_large")
    _refuse_doubles(data)
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        place = _PLACE.search(str(error))
        unknown = re.search(r"field `([^`]{1,60})`", str(error))
        found = place[1] if place else unknown[1] if unknown else "body"
        raise ServiceRefusal("bad_value", where=found) from None
    except (msgspec.DecodeError, RecursionError, ValueError):
        raise ServiceRefusal("not_json") from None


def _refuse_doubles(data: bytes) -> None:
    """Refuse all that is not plain, unambiguous JSON: doubled keys, NaN, too deep nesting."""
    try:
        read_json(data)
    except Refusal:
        raise ServiceRefusal("not_json") from None
