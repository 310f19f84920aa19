"""Guests on a real SQLite file; a second Identity on the same store stands for a second server."""

import asyncio
import re
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from random import Random

import pytest

from sideboards.service import identity as module
from sideboards.service.identity import SIGNS, Identity
from sideboards.service.log import CannotSave, Guest
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.store import SqliteStore


class Hand:
    """A clock that the test moves."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path / "test.db")
    await store.open()
    try:
        yield store
    finally:
        await store.close()


def run(path: Path, play: Callable[[SqliteStore], Awaitable[None]]) -> None:
    """Play on a fresh store, at most ten seconds."""

    async def all_of_it() -> None:
        async with asyncio.timeout(10), opened(path) as store:
            await play(store)

    asyncio.run(all_of_it())


async def code_of(answer: Awaitable[object]) -> str:
    """The code with which something is refused."""
    with pytest.raises(ServiceRefusal) as refusal:
        await answer
    return refusal.value.code


def test_a_guest_is_known_by_the_device_token(tmp_path: Path) -> None:
    async def play(store: SqliteStore) -> None:
        who = Identity(store, await store.secret())
        guest, token = await who.new_guest("  Ana ", "pt")
        assert (guest.name, guest.language) == ("Ana", "pt")
        assert re.fullmatch("[2-9a-hj-np-z]{16}", guest.id), "80 bit"
        assert re.fullmatch("[A-Za-z0-9_-]{43}", token), "256 bit"
        assert await who.guest(token) == guest
        assert await Identity(store, await store.secret()).guest(token) == guest
        another, second = await who.new_guest("Ana", "pt")
        assert another.id != guest.id
        assert second != token

    run(tmp_path, play)


BAD_TOKENS = ["", "x", "A" * 43, "A" * 42, "A" * 10**6, "\ud800" * 43, "é" * 43, "\x00" * 43]


def test_anything_else_is_nobody(tmp_path: Path) -> None:
    async def play(store: SqliteStore) -> None:
        who = Identity(store, await store.secret())
        _, token = await who.new_guest("Ana", "pt")
        for bad in (*BAD_TOKENS, token[:-1], token + "A", token.swapcase()):
            assert await code_of(who.guest(bad)) == "who_are_you"
            assert await code_of(who.guest_of_feed(bad)) == "not_found"

    run(tmp_path, play)


def test_bad_names_and_languages_are_refused_and_not_stored(tmp_path: Path) -> None:
    async def play(store: SqliteStore) -> None:
        who = Identity(store, await store.secret())
        assert await code_of(who.new_guest("\u202e", "pt")) == "bad_name"
        assert await code_of(who.new_guest("Ana", "xx")) == "bad_value"
        guest, token = await who.new_guest("Ana", "pt")
        assert await code_of(who.rename(guest, name="\x1b")) == "bad_name"
        assert await code_of(who.rename(guest, language="")) == "bad_value"
        assert await who.guest(token) == guest

    run(tmp_path, play)


def test_a_new_name_is_seen_at_once_here_and_soon_elsewhere(tmp_path: Path) -> None:
    async def play(store: SqliteStore) -> None:
        clock = Hand()
        here, there = (Identity(store, b"s" * 32, clock=clock) for _ in range(2))
        guest, token = await here.new_guest("Ana", "pt")
        assert await here.guest(token) == await there.guest(token) == guest
        changed = await here.rename(guest, name="Ana Luísa")
        assert changed == Guest(guest.id, "Ana Luísa", "pt")
        assert await here.guest(token) == changed
        assert await there.guest(token) == guest, "remembered for a moment"
        clock.now += 5
        assert await there.guest(token) == changed
        assert (await here.rename(changed, language="fr")).name == "Ana Luísa"
        assert (await here.guest(token)).language == "fr"

    run(tmp_path, play)


def test_a_deleted_guest_is_gone_at_once_here_and_within_five_seconds_elsewhere(
    tmp_path: Path,
) -> None:
    async def play(store: SqliteStore) -> None:
        clock = Hand()
        here, there = (Identity(store, b"s" * 32, clock=clock) for _ in range(2))
        guest, token = await here.new_guest("Ana", "pt")
        _, second = await here.transfer(await here.transfer_code(guest), "192.0.2.1")
        code, feed = await here.transfer_code(guest), await here.feed(guest)
        for device in (token, second):
            assert await here.guest(device) == await there.guest(device) == guest
        await here.delete(guest)
        for device in (token, second):
            assert await code_of(here.guest(device)) == "who_are_you"
        for _ in range(5):
            clock.now += 1
            await asyncio.gather(there.guest(token), return_exceptions=True)
        assert await code_of(there.guest(token)) == "who_are_you"
        assert await code_of(here.transfer(code, "192.0.2.1")) == "wrong_transfer"
        assert await code_of(here.guest_of_feed(feed)) == "not_found"
        await here.delete(guest)  # twice is no harm

    run(tmp_path, play)


class SlowStore(SqliteStore):
    """A store whose answers about devices arrive late."""

    arrives: asyncio.Event

    async def guest_of_device(self, device: bytes) -> Guest | None:
        guest = await super().guest_of_device(device)
        await self.arrives.wait()
        return guest


def test_a_late_answer_does_not_bring_a_deleted_guest_back(tmp_path: Path) -> None:
    async def play() -> None:
        store = SlowStore(tmp_path / "slow.db")
        store.arrives = asyncio.Event()
        await store.open()
        who = Identity(store, b"s" * 32)
        guest, token = await who.new_guest("Ana", "pt")
        asking = asyncio.create_task(who.guest(token))
        await asyncio.sleep(0.1)
        await who.delete(guest)
        store.arrives.set()
        await asyncio.wait_for(asking, 5)
        assert await code_of(who.guest(token)) == "who_are_you"
        await store.close()

    asyncio.run(asyncio.wait_for(play(), 10))


def test_who_is_remembered_is_not_asked_again_and_memory_is_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 3)

    async def play(store: SqliteStore) -> None:
        clock = Hand()
        who = Identity(store, b"s" * 32, clock=clock)
        tokens = [(await who.new_guest(f"Guest {number}", "en"))[1] for number in range(5)]
        guests = [await who.guest(token) for token in tokens]
        await store.delete_guest(guests[0].id)  # by another server
        await store.delete_guest(guests[4].id)
        assert await who.guest(tokens[4]) == guests[4], "one of the last three"
        assert await code_of(who.guest(tokens[0])) == "who_are_you", "not one of the last three"

    run(tmp_path, play)


def test_a_transfer_code_brings_a_guest_to_another_device_once(tmp_path: Path) -> None:
    async def play(store: SqliteStore) -> None:
        who = Identity(store, b"s" * 32)
        guest, token = await who.new_guest("Ana", "pt")
        code = await who.transfer_code(guest)
        assert re.fullmatch(f"[{SIGNS}]{{5}}-[{SIGNS}]{{5}}", code)
        again, second = await who.transfer(f" {code.lower().replace('-', ' ')} ", "192.0.2.1")
        assert again == guest
        assert second != token
        assert await who.guest(second) == await who.guest(token) == guest
        assert await code_of(who.transfer(code, "192.0.2.1")) == "wrong_transfer"

    run(tmp_path, play)


def test_right_codes_are_not_limited(tmp_path: Path) -> None:
    async def play(store: SqliteStore) -> None:
        who = Identity(store, b"s" * 32, clock=Hand())
        guest, _ = await who.new_guest("Ana", "pt")
        for _ in range(30):
            assert (await who.transfer(await who.transfer_code(guest), "192.0.2.1"))[0] == guest

    run(tmp_path, play)


def test_of_many_at_once_only_one_gets_the_code(tmp_path: Path) -> None:
    async def play(store: SqliteStore) -> None:
        who = Identity(store, b"s" * 32)
        guest, _ = await who.new_guest("Ana", "pt")
        code = await who.transfer_code(guest)
        tries = (who.transfer(code, f"192.0.2.{number}") for number in range(20))
        results = await asyncio.gather(*tries, return_exceptions=True)
        assert len([result for result in results if isinstance(result, tuple)]) == 1

    run(tmp_path, play)


def test_a_newer_code_replaces_the_older(tmp_path: Path) -> None:
    async def play(store: SqliteStore) -> None:
        who = Identity(store, b"s" * 32)
        guest, _ = await who.new_guest("Ana", "pt")
        old, new = await who.transfer_code(guest), await who.transfer_code(guest)
        assert await code_of(who.transfer(old, "192.0.2.1")) == "wrong_transfer"
        assert (await who.transfer(new, "192.0.2.1"))[0] == guest

    run(tmp_path, play)


def test_a_code_lives_for_ten_minutes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play(store: SqliteStore) -> None:
        who = Identity(store, b"s" * 32)
        guest, _ = await who.new_guest("Ana", "pt")
        before = await store.now()
        await who.transfer_code(guest)
        with closing(sqlite3.connect(f"file:{tmp_path}/test.db?mode=ro", uri=True)) as db:
            ((until,),) = db.execute("SELECT until FROM transfers").fetchall()
        assert 600_000 <= until - before < 605_000
        monkeypatch.setattr(module, "TRANSFER_LIFE", 20)
        code = await who.transfer_code(guest)
        await asyncio.sleep(0.05)
        assert await code_of(who.transfer(code, "192.0.2.1")) == "wrong_transfer"

    run(tmp_path, play)


def test_wrong_codes_are_limited_per_address(tmp_path: Path) -> None:
    async def play(store: SqliteStore) -> None:
        clock = Hand()
        who = Identity(store, b"s" * 32, clock=clock)
        guest, _ = await who.new_guest("Ana", "pt")
        code = await who.transfer_code(guest)
        tries = [who.transfer(f"22222222{sign}{sign}", "192.0.2.1") for sign in SIGNS]
        codes = [await code_of(one) for one in tries]
        assert codes == ["wrong_transfer"] * 10 + ["too_many_requests"] * 22
        assert await code_of(who.transfer(code, "192.0.2.1")) == "too_many_requests"
        assert (await who.transfer(code, "192.0.2.2"))[0] == guest
        clock.now += 600
        assert await code_of(who.transfer(code, "192.0.2.1")) == "wrong_transfer"

    run(tmp_path, play)


def test_wrong_codes_are_limited_for_the_whole_server_also_when_all_come_at_once(
    tmp_path: Path,
) -> None:
    async def play(store: SqliteStore) -> None:
        who = Identity(store, b"s" * 32, clock=Hand())
        tries = (who.transfer("2222222222", f"10.0.{n // 250}.{n % 250}") for n in range(1100))
        results = await asyncio.gather(*tries, return_exceptions=True)
        codes = [result.code for result in results if isinstance(result, ServiceRefusal)]
        assert codes.count("wrong_transfer") == 1000
        assert codes.count("too_many_requests") == 100

    run(tmp_path, play)


@pytest.mark.parametrize(
    "code", ["", "-", "ABCDE", "ABCDE-FGHJKL", "\ud800" * 10, "0" * 10, "A" * 10**6]
)
def test_what_is_no_code_is_a_wrong_code(tmp_path: Path, code: str) -> None:
    async def play(store: SqliteStore) -> None:
        who = Identity(store, b"s" * 32)
        assert await code_of(who.transfer(code, "192.0.2.1")) == "wrong_transfer"

    run(tmp_path, play)


class FullStore(SqliteStore):
    """A store that has no room for anything new."""

    async def take_transfer(self, code: bytes) -> Guest | None:
        raise CannotSave(code.hex())


def test_an_outage_is_not_held_against_the_address(tmp_path: Path) -> None:
    async def play() -> None:
        who = Identity(FullStore(tmp_path / "full.db"), b"s" * 32)
        for _ in range(30):
            with pytest.raises(CannotSave):
                await who.transfer("2222222222", "192.0.2.1")

    asyncio.run(play())


def test_a_feed_address_is_secret_and_a_newer_one_replaces_it(tmp_path: Path) -> None:
    async def play(store: SqliteStore) -> None:
        who = Identity(store, b"s" * 32)
        guest, _ = await who.new_guest("Ana", "pt")
        old = await who.feed(guest)
        assert re.fullmatch("[A-Za-z0-9_-]{32}", old), "192 bit"
        assert await who.guest_of_feed(old) == guest
        new = await who.feed(guest)
        assert await code_of(who.guest_of_feed(old)) == "not_found"
        assert await who.guest_of_feed(new) == guest

    run(tmp_path, play)


def test_no_secret_is_in_the_file(tmp_path: Path) -> None:
    secrets: list[str] = []

    async def play(store: SqliteStore) -> None:
        who = Identity(store, await store.secret())
        guest, token = await who.new_guest("Ana in the file", "pt")
        code, feed = await who.transfer_code(guest), await who.feed(guest)
        secrets.extend([token, code, code.replace("-", ""), feed])
        stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        assert b"Ana in the file" in stored
        assert not [secret for secret in secrets if secret.encode() in stored]

    run(tmp_path, play)
    assert len(secrets) == 4


def test_a_given_chance_gives_the_same_guests(tmp_path: Path) -> None:
    async def play(store: SqliteStore) -> None:
        one, other, third = (
            Identity(store, b"s" * 32, random_bytes=Random(seed).randbytes) for seed in (7, 7, 8)
        )
        guest, token = await one.new_guest("Ana", "pt")
        assert (await third.new_guest("Ana", "pt"))[0].id != guest.id
        await one.delete(guest)
        assert await other.new_guest("Ana", "pt") == (guest, token)

    run(tmp_path, play)
