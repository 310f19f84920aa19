"""Identity: guests, not accounts. A person is a name on some devices; a seat is a signed token.

Secrets leave the server once, to whom they belong; the store gets their hashes only.
"""

import hashlib
import hmac
import secrets
import time
from base64 import urlsafe_b64encode
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from itsdangerous import Signer

from sideboards.service.limits import Clock, Tries, household
from sideboards.service.log import Guest, Store
from sideboards.service.names import clean_name
from sideboards.service.refusals import ServiceRefusal
from sideboards.words import LANGUAGES

SIGNS = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""32 signs, none of which looks like another: no 0, 1, I or O."""
TRANSFER_SIGNS = 10
TRANSFER_LIFE = 10 * 60 * 1000
"""Milliseconds in which a transfer code must be used."""
REMEMBERED = 2000
REMEMBERED_SECONDS = 4.0
"""So a guest who is deleted on one server is gone from all others after 5 seconds."""
LONGEST_TOKEN = 300
LONGEST_TABLE = 40


class Sitting(NamedTuple):
    """Who sits where: what a seat token says."""

    table: str
    seat: int
    guest: str
    sitting: int
    """Tells one stay at a seat from the next: an old token ends with the stay."""


class Identity:
    """Who somebody is, on one database.

    All chance comes from `random_bytes`; `Random(7).randbytes` gives the same ids every time.
    """

    def __init__(
        self,
        store: Store,
        secret: bytes,
        *,
        random_bytes: Callable[[int], bytes] = secrets.token_bytes,
        clock: Clock = time.monotonic,
    ) -> None:
        self._store = store
        self._random_bytes = random_bytes
        self._clock = clock
        self._tries = Tries(clock=clock)
        self._signer = Signer(
            secret, salt="sideboards.seat", key_derivation="hmac", digest_method=hashlib.sha256
        )
        self._transfer_key = hmac.digest(secret, b"sideboards.transfer", "sha256")
        self._known: OrderedDict[bytes, tuple[float, Guest]] = OrderedDict()
        self._changes = 0

    # ---- guests and their devices ----------------------------------------------------------

    async def new_guest(self, name: str, language: str) -> tuple[Guest, str]:
        """A new guest and the token of the device; raises bad_name or bad_value."""
        guest = Guest(self._signs(16).lower(), clean_name(name), _language(language))
        token = self._token(32)
        await self._store.add_guest(guest, _hash(token))
        return guest, token

    async def guest(self, device_token: str) -> Guest:
        """The guest who holds a device token; raises who_are_you."""
        if len(device_token) != 43 or not device_token.isascii():
            raise ServiceRefusal("who_are_you")
        device = _hash(device_token)
        if (known := self._known.get(device)) is not None and self._clock() < known[0]:
            self._known.move_to_end(device)
            return known[1]
        # Asked before the store: an answer is as old as its question.
        asked, until = self._changes, self._clock() + REMEMBERED_SECONDS
        guest = await self._store.guest_of_device(device)
        if guest is None:
            self._known.pop(device, None)
            raise ServiceRefusal("who_are_you")
        if self._changes == asked:
            self._known[device] = (until, guest)
            self._known.move_to_end(device)
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return guest

    async def rename(
        self, guest: Guest, *, name: str | None = None, language: str | None = None
    ) -> Guest:
        """The guest with another name, language or both; raises bad_name or bad_value."""
        changed = replace(
            guest,
            name=guest.name if name is None else clean_name(name),
            language=guest.language if language is None else _language(language),
        )
        try:
            await self._store.change_guest(changed)
        finally:
            self.forget(guest.id)
        return changed

    async def delete(self, guest: Guest) -> None:
        """Remove all that is known of a guest; the device tokens mean nothing from now on."""
        try:
            await self._store.delete_guest(guest.id)
        finally:
            self.forget(guest.id)

    def forget(self, guest: str) -> None:
        """Ask the store again about a guest, also where the answer is already under way."""
        self._changes += 1
        for device in [device for device, (_, known) in self._known.items() if known.id == guest]:
            del self._known[device]

    # ---- to another device ------------------------------------------------------------------

    async def transfer_code(self, guest: Guest) -> str:
        """A code with which another device becomes this guest: once, within 10 minutes."""
        code = self._signs(TRANSFER_SIGNS)
        until = await self._store.now() + TRANSFER_LIFE
        await self._store.add_transfer(self._transfer_hash(code), guest.id, until)
        return f"{code[:5]}-{code[5:]}"

    async def transfer(self, code: str, address: str) -> tuple[Guest, str]:
        """The guest of a code and a new device token; raises wrong_transfer, too_many_requests.

        Small letters, blanks and dashes are read as the person means them.
        """
        key = household(address)
        if not self._tries.begin(key):
            raise ServiceRefusal("too_many_requests")
        plain = "".join(sign for sign in code[:40].upper() if sign in SIGNS)
        if len(plain) != TRANSFER_SIGNS:
            raise ServiceRefusal("wrong_transfer")
        try:
            guest = await self._store.take_transfer(self._transfer_hash(plain))
        except Exception:
            self._tries.right(key)  # the code was not looked at
            raise
        if guest is None:
            raise ServiceRefusal("wrong_transfer")
        self._tries.right(key)
        token = self._token(32)
        await self._store.add_device(guest.id, _hash(token))
        return guest, token

    def _transfer_hash(self, code: str) -> bytes:
        # 50 bit could be found from a bare hash.
        return hmac.digest(self._transfer_key, code.encode(), "sha256")

    # ---- a feed for calendar and news readers ---------------------------------------------

    async def feed(self, guest: Guest) -> str:
        """The secret part of a new feed address, 192 bit; the older address ends."""
        secret = self._token(24)
        await self._store.set_feed(guest.id, _hash(secret))
        return secret

    async def guest_of_feed(self, secret: str) -> Guest:
        """The guest of a feed address; raises not_found."""
        if len(secret) == 32 and secret.isascii():
            guest = await self._store.guest_of_feed(_hash(secret))
            if guest is not None:
                return guest
        raise ServiceRefusal("not_found")

    # ---- seats --------------------------------------------------------------------------------

    def seat_token(self, table: str, seat: int, guest: str, sitting: int) -> str:
        """The token with which a guest acts for a seat: signed, not stored."""
        return self._signer.sign(f"{table}.{seat}.{guest}.{sitting}").decode()

    def read_seat_token(self, token: str) -> Sitting:
        """What a seat token says; raises not_your_seat for all that `seat_token` did not make."""
        if len(token) > LONGEST_TOKEN or not token.isascii():
            raise ServiceRefusal("not_your_seat")
        said = token.rpartition(".")[0]
        # Compared as text: base64 has several spellings of one signature.
        if not hmac.compare_digest(self._signer.sign(said), token.encode()):
            raise ServiceRefusal("not_your_seat")
        table, seat, guest, sitting = said.split(".")
        return Sitting(table, int(seat), guest, int(sitting))

    # ---- ids ------------------------------------------------------------------------------------

    def new_table_id(self) -> str:
        """The id of a new table, which is its link: 65 bit, small letters and digits."""
        return self._signs(13).lower()

    def new_code(self) -> str:
        """A short code to be told aloud, for a table that waits: 6 of 32 signs."""
        return self._signs(6)

    def _signs(self, count: int) -> str:
        return "".join(SIGNS[byte % len(SIGNS)] for byte in self._random_bytes(count))

    def _token(self, size: int) -> str:
        return urlsafe_b64encode(self._random_bytes(size)).rstrip(b"=").decode()


def is_table_id(text: str) -> bool:
    """Whether a text can be the id of a table; no store is asked for anything else.

    >>> is_table_id("k3v9"), is_table_id("k3v9\\x00"), is_table_id("k" * 41)
    (True, False, False)
    """
    return text.isascii() and text.isalnum() and len(text) <= LONGEST_TABLE


def _hash(token: str) -> bytes:
    """What the store knows of a token."""
    return hashlib.sha256(token.encode()).digest()


def _language(language: str) -> str:
    if language not in LANGUAGES:
        raise ServiceRefusal("bad_value", where="language")
    return language
