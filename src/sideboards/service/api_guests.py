"""Routes about oneself: a name, other devices, a feed, and to be forgotten."""

from typing import Annotated

from litestar import Response, Router, delete, get, patch, post
from litestar.datastructures import Cookie
from litestar.params import JSONBody, QueryParameter
from msgspec import UNSET, Struct, UnsetType

from sideboards.service.backstage import Backstage
from sideboards.service.calls import (
    COOKIE,
    IN_A_BODY,
    KNOWN,
    Call,
    Strict,
    address_of,
    asker,
    asker_if_any,
    language_of,
    reception_of,
    refuses,
)
from sideboards.service.identity import TRANSFER_LIFE
from sideboards.service.listings import Listing, listings, own_tables
from sideboards.service.log import Guest
from sideboards.service.protocol import Language
from sideboards.service.refusals import ServiceRefusal

COOKIE_LIFE = 400 * 86_400
"""Seconds that a browser keeps a cookie at most."""
TABLES = 100


class NewGuest(Struct, frozen=True, forbid_unknown_fields=True):
    """Who somebody wants to be."""

    name: str
    """1 to 24 visible characters."""
    language: Language | None = None
    """Without one, that of the request."""
    token: bool = False
    """Whether the device token is wanted in the answer, for a program, instead of a cookie."""


class GuestInfo(Struct, frozen=True):
    """A guest, as she may see herself."""

    id: str
    name: str
    language: str


class Known(Struct, frozen=True, omit_defaults=True):
    """Whom the server knows on this device from now on."""

    guest: GuestInfo
    token: str | UnsetType = UNSET
    """The device token, if it was asked for: sent as ``Authorization: Bearer …``."""


class GuestChange(Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody wants to be called, and spoken to in."""

    name: str | None = None
    language: Language | None = None


class TransferCode(Struct, frozen=True):
    """A code with which another device becomes the same guest, once."""

    code: str
    seconds: int


class Transfer(Struct, frozen=True, forbid_unknown_fields=True):
    """A code from another device."""

    code: str
    token: bool = False
    """As for a new guest."""


class Feed(Struct, frozen=True):
    """The address of a feed; whoever knows it can read it, and nothing more."""

    path: str


@post("/guests", dto=Strict[NewGuest], return_dto=None, responses=refuses("bad_name", *IN_A_BODY))
async def new_guest(request: Call, data: JSONBody[NewGuest]) -> Response[Known]:
    """Become a guest

    Makes a guest with a name and knows this device from now on: by a cookie, or by the device
    token in the answer if `token` is true.
    """
    reception = reception_of(request)
    if not reception.newcomers.allow(address_of(request)):
        raise ServiceRefusal("too_many_requests")
    language = data.language or language_of(request)
    guest, token = await reception.backstage.identity.new_guest(data.name, language)
    return _known(request, guest, token, in_body=data.token)


@get("/me", responses=refuses(*KNOWN))
async def me(request: Call) -> GuestInfo:
    """Who am I

    The guest of this device.
    """
    return guest_info(await asker(request))


@get("/guest", responses=refuses())
async def me_if_any(request: Call) -> GuestInfo | None:
    """Who am I, if anybody

    The guest of this device, or null: for browsers, which report every refusal as an error.
    """
    guest = await asker_if_any(request)
    return None if guest is None else guest_info(guest)


@patch(
    "/me",
    dto=Strict[GuestChange],
    return_dto=None,
    responses=refuses("bad_name", *KNOWN, *IN_A_BODY),
)
async def change_me(request: Call, data: JSONBody[GuestChange]) -> GuestInfo:
    """Change name or language

    A new name is shown at all tables at once.
    """
    guest = await asker(request)
    backstage = reception_of(request).backstage
    changed = await backstage.identity.rename(guest, name=data.name, language=data.language)
    if changed.name != guest.name:
        await _tell(backstage, guest)
    return guest_info(changed)


@delete("/me", status_code=204, responses=refuses(*KNOWN, "foreign_origin"))
async def delete_me(request: Call) -> Response[None]:
    """Be forgotten

    The name is gone everywhere at once, and all devices with it. A bot plays on in games that
    run; seats at tables that wait are given up. Games stay, without the name.
    """
    guest = await asker(request)
    backstage = reception_of(request).backstage
    own = await own_tables(backstage, guest, 1000)
    await backstage.identity.delete(guest)
    for each in own:
        if each.phase in ("waiting", "playing"):
            backstage.house.spawn(backstage.tables.leave(each.table, guest.id))
    await _tell(backstage, guest)
    answer = Response[None](None, status_code=204)
    answer.set_cookie(_cookie(request, "", 0))
    return answer


@post("/me/transfer", responses=refuses(*KNOWN, "foreign_origin"))
async def new_transfer(request: Call) -> TransferCode:
    """Get a code for another device

    It is good for one device and ten minutes; a newer code ends an older one.
    """
    guest = await asker(request)
    code = await reception_of(request).backstage.identity.transfer_code(guest)
    return TransferCode(code, TRANSFER_LIFE // 1000)


@post(
    "/transfer",
    dto=Strict[Transfer],
    return_dto=None,
    responses=refuses("wrong_transfer", *IN_A_BODY),
)
async def transfer(request: Call, data: JSONBody[Transfer]) -> Response[Known]:
    """Become a guest who has a code

    Small letters, blanks and dashes do not matter. Wrong codes are limited.
    """
    identity = reception_of(request).backstage.identity
    guest, token = await identity.transfer(data.code, address_of(request))
    return _known(request, guest, token, in_body=data.token)


@post("/me/feed", responses=refuses(*KNOWN, "foreign_origin"))
async def new_feed(request: Call) -> Feed:
    """Get the address of a feed

    An Atom feed of the tables that wait for this guest, for news readers. The address is secret;
    asking again makes a new one and ends the old one.
    """
    guest = await asker(request)
    secret = await reception_of(request).backstage.identity.feed(guest)
    return Feed(f"/feeds/{secret}.atom")


@get("/me/tables", responses=refuses(*KNOWN))
async def my_tables(
    request: Call,
    waiting: Annotated[bool, QueryParameter(description="Only tables that wait for me.")] = False,  # noqa: FBT002
) -> list[Listing]:
    """My tables

    The tables at which this guest sits or sat, and the open ones that she has made, as long as
    they are not left to others; the latest first.
    """
    guest = await asker(request)
    backstage = reception_of(request).backstage
    found = await listings(backstage, await own_tables(backstage, guest, TABLES), guest)
    return [each for each in found if each.waits_for_you] if waiting else found


async def _tell(backstage: Backstage, guest: Guest) -> None:
    """Show a new name, or none, at all tables of all servers."""
    await backstage.tables.refresh_names(guest.id)
    backstage.house.announce(f"guest {guest.id}")


def _known(call: Call, guest: Guest, token: str, *, in_body: bool) -> Response[Known]:
    if in_body:
        return Response(Known(guest_info(guest), token), status_code=201)
    answer = Response(Known(guest_info(guest)), status_code=201)
    answer.set_cookie(_cookie(call, token, COOKIE_LIFE))
    return answer


def _cookie(call: Call, value: str, life: int) -> Cookie:
    """The cookie of a device; over https it stays there."""
    secure = call.scope["scheme"] == "https" or call.headers.get("origin", "").startswith("https:")
    return Cookie(
        key=COOKIE,
        value=value,
        path="/",
        max_age=life,
        httponly=True,
        samesite="strict",
        secure=secure,
    )


def guest_info(guest: Guest) -> GuestInfo:
    """A guest, as she may see herself."""
    return GuestInfo(guest.id, guest.name, guest.language)


ROUTES = Router(
    "/api",
    route_handlers=[
        new_guest,
        me,
        me_if_any,
        change_me,
        delete_me,
        new_transfer,
        transfer,
        new_feed,
        my_tables,
    ],
    tags=["guests"],
)
