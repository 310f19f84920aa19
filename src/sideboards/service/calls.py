"""One request over REST: who asks, in which language, with which body, and how it is refused."""

import asyncio
from collections.abc import MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from litestar import Request, Response
from litestar.dto import AbstractDTO
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Reference, Schema
from litestar.typing import FieldDefinition

from sideboards.core.refusal import IllegalMove, Refusal
from sideboards.service.backstage import Backstage
from sideboards.service.easel import Easel
from sideboards.service.errands import Errands
from sideboards.service.headers import wanted_language
from sideboards.service.identity import Identity
from sideboards.service.limits import Limit, Tries
from sideboards.service.log import CannotSave, Guest
from sideboards.service.protocol import Refused
from sideboards.service.refusals import ServiceRefusal, status
from sideboards.service.socket import sentence_of
from sideboards.service.strict import decode_body
from sideboards.service.wire import encode
from sideboards.words import words

T = TypeVar("T")
Call = Request[Any, Any, Any]

COOKIE = "sideboards"
JSON = "application/json"
RETRY_AFTER = "60"
"""Seconds after which somebody who asked too often may ask again."""
LANGUAGE_WITHIN = 0.1
"""Seconds that a refusal waits for the language of whom it is told."""


@dataclass(frozen=True, slots=True)
class Reception:
    """What all routes share besides the backstage."""

    backstage: Backstage
    per_guest: Limit
    newcomers: Limit
    codes: Tries
    errands: Errands
    easel: Easel


def reception_of(call: Call) -> Reception:
    """What all routes share."""
    reception: Reception = call.app.state.reception
    return reception


# ---- who asks ----------------------------------------------------------------------------------


def bearer(authorization: str) -> str | None:
    """The device token of an ``Authorization`` header."""
    scheme, _, token = authorization.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _token_of(call: Call) -> str | None:
    """The device token that a request brings."""
    token = bearer(call.headers.get("authorization", ""))
    # With a token the origin was not looked at, so no cookie counts.
    return call.cookies.get(COOKIE) if token is None else token


async def asker(call: Call) -> Guest:
    """The guest who asks; raises who_are_you or too_many_requests."""
    token = _token_of(call)
    if token is None:
        raise ServiceRefusal("who_are_you")
    reception = reception_of(call)
    guest = await reception.backstage.identity.guest(token)
    call.scope["state"]["language"] = guest.language
    if not reception.per_guest.allow(guest.id):
        raise ServiceRefusal("too_many_requests")
    return guest


async def asker_if_any(call: Call) -> Guest | None:
    """The guest who asks, if the server knows one."""
    try:
        return await asker(call)
    except ServiceRefusal as refusal:
        if refusal.code != "who_are_you":
            raise
        return None


def address_of(call: Call) -> str:
    """The key under which limits count the caller's address."""
    address: str = call.scope["state"]["address"]
    return address


# ---- languages -----------------------------------------------------------------------------------


def language_of(call: Call, otherwise: str = "en") -> str:
    """The language to answer in: the one asked for, the guest's, or English."""
    wanted = wanted_language(call.headers.get("accept-language", ""))
    known: str = call.scope["state"].get("language", otherwise)
    return wanted or known


async def learn_language(scope: MutableMapping[str, Any], identity: Identity) -> None:
    """Learn the language of a guest who is about to be refused, if nothing else tells it.

    Bodies are read before anybody asks who sent them, and some routes never ask.
    """
    call: Call = Request(scope)  # type: ignore[arg-type] # the server's own
    token = _token_of(call)
    if token is None or language_of(call, "") != "":
        return
    with suppress(ServiceRefusal, CannotSave, TimeoutError):  # it is only a language
        async with asyncio.timeout(LANGUAGE_WITHIN):
            scope["state"]["language"] = (await identity.guest(token)).language


# ---- what is sent --------------------------------------------------------------------------------


class Strict(AbstractDTO[T]):
    """Decodes a body strictly; the framework's own decoder takes "3" for 3 and keys twice."""

    def decode_bytes(self, value: bytes) -> Any:  # noqa: ANN401 (as the base class has it)
        """The value in a body; raises bad_content_type, not_json or bad_value."""
        check_json(self.asgi_connection.headers.get("content-type", ""))
        return decode_body(value, self.model_type)

    @classmethod
    def create_for_field_definition(cls, *_: object, **__: object) -> None:
        """Nothing is to be prepared."""

    @classmethod
    def create_openapi_schema(
        cls,
        field_definition: FieldDefinition,
        handler_id: str,
        schema_creator: Any,  # noqa: ANN401 (a private type of the framework)
    ) -> Reference | Schema:
        """The schema of the type itself."""
        del handler_id
        schema: Reference | Schema = schema_creator.for_field_definition(field_definition)
        return schema


def check_json(content_type: str) -> None:
    """Refuse a body that does not say that it is JSON, as no form of a foreign page can."""
    if content_type.partition(";")[0].strip().lower() != JSON:
        raise ServiceRefusal("bad_content_type")


def unless_known(
    call: Call, file: bytes, tag: str, media_type: str, cache: str = "no-cache"
) -> Response[Any]:
    """A file that rarely changes: whoever has it already is told so."""
    known = call.headers.get("if-none-match", "")
    headers = {"etag": f'"{tag}"', "cache-control": cache}
    if f'"{tag}"' in known:
        return Response(b"", status_code=304, headers=headers, media_type=media_type)
    return Response(file, headers=headers, media_type=media_type)


# ---- refusals ------------------------------------------------------------------------------------


def code_of(refusal: Refusal) -> str:
    """The code of a refusal."""
    if isinstance(refusal, ServiceRefusal | IllegalMove):
        return refusal.code
    return "bad_value"


def refused(
    refusal: Refusal, language: str, key: str | None = None, seq: int | None = None
) -> Refused:
    """A refusal as it is answered."""
    if not isinstance(refusal, ServiceRefusal | IllegalMove):
        refusal = ServiceRefusal("bad_value", where=str(refusal).partition(":")[0])
    return Refused(code=code_of(refusal), key=key, sentence=sentence_of(refusal, language), seq=seq)


def answer_refused(
    call: Call, body: Refused, headers: dict[str, str] | None = None
) -> Response[bytes]:
    """The response of a refusal."""
    reception_of(call).backstage.metrics.refused(body.code)
    if body.code == "too_many_requests":
        headers = {"retry-after": RETRY_AFTER}
    return Response(
        encode(body), status_code=status(body.code), media_type=JSON, headers=headers or {}
    )


def refuses(*codes: str) -> dict[int, ResponseSpec]:
    """How an operation may be refused, for its description."""
    of_all = ("bad_value", "too_many_requests", "internal", "cannot_save", "too_slow", "stopping")
    every = (*codes, *of_all)
    texts = words("en").texts
    by_status: dict[int, list[str]] = {}
    for code in dict.fromkeys(every):
        by_status.setdefault(status(code), []).append(f"`{code}`: {texts[f'refusal.{code}']}")
    return {
        number: ResponseSpec(
            data_container=Refused, description="\n".join(lines), generate_examples=False
        )
        for number, lines in by_status.items()
    }


IN_A_BODY = ("not_json", "bad_content_type", "too_large", "foreign_origin")
"""What may be wrong with any request that changes something or has a body."""
KNOWN = ("who_are_you",)
"""What may be wrong when the server must know who asks."""
