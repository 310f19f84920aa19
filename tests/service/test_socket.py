"""The protocol over real sockets: greetings, answers, keys, hostile input."""

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.service.live import (
    BINARY,
    CLOSE,
    PING,
    PONG,
    TEXT,
    Player,
    Server,
    Wire,
    finish,
    hash_of,
    new_player,
    new_table,
    play_round,
    playing,
    run,
    seated,
    serving,
)

pytestmark = pytest.mark.long
SURROGATE = rb'{"type":"say","phrase":"\ud800"}'


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("socket") / "a.db") as running:
        yield running


async def greeted(player: Player, **hello: object) -> Wire:
    """A bare socket of somebody's seat, with the first messages read."""
    wire = await Wire.connect(player.server.port)
    wire.send(**{"type": "hello", "protocol": 1, "token": player.token} | hello)
    return wire


# ---- greetings ----


def test_a_greeting_is_answered_with_welcome_table_and_view(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            again = await greeted(ben)
            welcome, table, view = [await again.message() for _ in range(3)]
            assert welcome == {"type": "welcome", "protocol": 1, "seat": 1, "table": ana.table_id}
            assert (table["type"], table["table"]["phase"]) == ("table", "playing")
            assert (view["type"], view["view"], view["seq"]) == ("view", ben.view, ben.seq)
            assert view["hash"] == hash_of(ben.view)

    run(body())


@pytest.mark.parametrize(
    ("hello", "code", "reason"),
    [
        ({"protocol": 2}, 1008, "wrong_protocol"),
        ({"token": "x.0.y.1.z"}, 4003, "not_your_seat"),
        ({"token": "ü"}, 4003, "not_your_seat"),
        ({"token": None}, 1008, "hello_first"),
        ({"token": None, "table": "nowhere"}, 1008, "unknown_table"),
    ],
)
def test_a_greeting_that_cannot_be(
    server: Server, hello: dict[str, object], code: int, reason: str
) -> None:
    async def body() -> None:
        async with seated(server, 1) as (ana,):
            wire = await greeted(ana, **{"language": "de"} | hello)
            answer = await wire.message()
            assert (answer["type"], answer["code"], answer["key"]) == ("refused", reason, None)
            assert answer["sentence"]
            assert await wire.closed() == code

    run(body())


def test_a_newer_tab_closes_the_older(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            tabs = [await greeted(ben) for _ in range(4)]
            await ben.until(lambda: ben.close_code is not None)
            assert ben.close_code == 4001
            for older in tabs[:-1]:
                assert await older.closed() == 4001
            await ben.connect()
            assert await tabs[-1].closed() == 4001
            await play_round([ana, ben], Random(1))
            assert ana.table["seats"][1]["present"]

    run(body())


def test_whoever_lost_the_seat_is_sent_away_and_stays_away(server: Server) -> None:
    async def body() -> None:
        async with seated(server, 2, seats=3) as (ana, ben):
            await ana.play("remove 1")
            await ben.until(lambda: ben.close_code is not None)
            assert ben.close_code == 4003
            assert await (await greeted(ben)).closed() == 4003
            # Somebody else sits there: the older token must not even then be good for anything.
            cleo = await new_player(server, "Cleo")
            await cleo.sit(ana.table_id, 1)
            assert await (await greeted(ben)).closed() == 4003
            # The same person again gets a new token; the one from before stays without meaning.
            await ana.play("remove 1")
            older = ben.token
            await ben.sit(ana.table_id, 1)
            assert ben.token != older
            wire = await greeted(ben, token=older)
            assert await wire.closed() == 4003
            cleo.close()

    run(body())


def test_whoever_stands_up_is_answered_first(server: Server) -> None:
    async def body() -> None:
        async with seated(server, 2, seats=3) as (ana, ben):
            assert (await ben.act("leave"))["type"] == "ack"
            await ben.until(lambda: ben.close_code is not None)
            assert ben.close_code == 4003
            await ana.until(lambda: ana.table["seats"][1]["kind"] == "empty")
            # The last one who leaves closes the table; asked again, the answer is the same.
            key = ana.ask("leave")
            assert (await ana.answer(key))["type"] == "ack"
            assert (await ana.rest("GET", f"/api/tables/{ana.table_id}")).json()["phase"] == (
                "abandoned"
            )

    run(body())


def test_spectators_see_no_hands_and_only_where_they_may(server: Server) -> None:
    async def body() -> None:
        async with seated(server, 2) as players:
            eve = await new_player(server, "Eve")
            await eve.connect(token=None, table=players[0].table_id)
            await players[0].play("start")
            for player in players:
                await player.play(f"open {player.seed}")
            await eve.until(lambda: eve.view)
            assert eve.view["hands"] == [None, None]
            assert eve.view["options"] == []
            assert await eve.refused("swap") == "not_your_seat"
            await finish(players, Random(3))
            await eve.until(lambda: eve.round == 7)
            assert all(eve.view["hands"])
            eve.close()
        async with seated(server, 2, spectators=False) as (ana, ben):
            early = await Wire.connect(server.port)
            early.send(type="hello", protocol=1, table=ana.table_id)
            await ana.play("start")
            for player in (ana, ben):
                await player.play(f"open {player.seed}")
            kinds = []
            while True:
                kind, data = await early.read()
                if kind == CLOSE:
                    break
                kinds.append(json.loads(data)["type"])
            assert "view" not in kinds
            assert int.from_bytes(data[:2], "big") == 4003
            late = await Wire.connect(server.port)
            late.send(type="hello", protocol=1, table=ana.table_id)
            assert await late.closed() == 4003

    run(body())


# ---- answers and keys ----


def test_a_key_stands_for_one_action(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 3) as (ana, ben, _):
            move = ana.moves[0]
            key = ana.ask(move)
            first = await ana.answer(key)
            again = await ana.act(move, key)
            assert again == first
            await ben.play(ben.moves[0])
            await ana.until(lambda: ana.seq == first["seq"] + 1)
            assert (await ana.act(move, key))["seq"] == ana.seq
            assert (await ana.act("undo", key))["code"] == "key_reused"
            assert ana.view["choice"] == move
            # Sent five times at once, it is one event.
            seq = ana.seq
            undo = ana.new_key()
            for _ in range(5):
                ana.ask("undo", undo)
            assert (await ana.answer(undo))["type"] == "ack"
            assert (await ana.act("undo"))["code"] == "round_closed"
            assert ana.seq == seq + 1
            # A refused request may be sent again.
            again_key = ana.new_key()
            assert (await ana.act("R1,2", again_key))["code"] == "not_an_action"
            assert (await ana.act(move, again_key))["type"] == "ack"

    run(body())


def test_every_refusal_in_play_carries_the_view(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            hand = ana.hand
            strange = next(card for card in range(1, 61) if card not in hand)
            for action, code in [
                ("swap", "too_early"),
                (f"L{hand[0]}", "two_cards"),
                (f"{hand[0]},{hand[0]}", "same_card"),
                (f"{hand[0]},{strange}", "not_in_hand"),
                ("undo", "round_closed"),
                ("L61", "not_an_action"),
                ("hello", "not_an_action"),
                ("leave now", "not_an_action"),
                ("start", "not_waiting"),
                ("close", "not_waiting"),
                ("bot 1 easy", "not_waiting"),
                ("remove 1", "not_waiting"),
                (f"open {ana.seed}", "not_started"),
                ("return", "not_a_person"),
                ("vote 0", "not_a_person"),
                ("vote 1", "not_away"),
                ("vote ²", "no_seat"),
                ("vote 7", "no_seat"),
                ("help 1", "not_away"),
                ("help ²", "no_seat"),
                ("help 0", "not_a_person"),
                ("L" + "9" * 199, "not_an_action"),
            ]:
                answer = await ana.act(action)
                assert (answer["type"], answer["code"]) == ("refused", code), action
                assert answer["view"] == ana.view
                assert answer["sentence"]
            await ana.play(ana.moves[0])
            assert await ana.refused(f"{hand[0]},{hand[1]}") == "sealed"
            await ben.play(ben.moves[0])
            await ana.until(lambda: ana.round == 1)
            assert await ana.refused("undo") == "round_closed"
            assert await ana.refused(f"{ana.hand[0]},{ana.hand[1]}") == "one_card"
            await ana.play("swap")
            assert await ana.refused("swap") == "swap_used"
            await finish([ana, ben], Random(2))
            assert await ana.refused("undo") == "round_closed"
            assert await ana.refused(f"L{hand[0]}") == "over"
        async with playing(server, 2, variant=True) as (ana, ben):
            await play_round([ana, ben], Random(4))
            assert await ana.refused("swap") == "no_swap"

    run(body())


def test_a_change_of_mind_races_the_last_choice(server: Server) -> None:
    async def body() -> None:
        outcomes = set()
        async with playing(server, 2) as (ana, ben):
            rng = Random(5)
            while ana.round <= 6:
                now, move = ana.round, ana.some_move(rng)
                await ana.play(move)
                asked = [(ana, "undo"), (ben, ben.some_move(rng))]
                rng.shuffle(asked)
                keys = [(player, player.ask(action)) for player, action in asked]
                answers = {player: await player.answer(key) for player, key in keys}
                assert answers[ben]["type"] == "ack"
                if answers[ana]["type"] == "ack":
                    outcomes.add("taken back")
                    assert (ana.round, ana.view["choice"]) == (now, None)
                    await ana.play(ana.some_move(rng))
                else:
                    outcomes.add("closed")
                    assert answers[ana]["code"] == "round_closed"
                for player in (ana, ben):
                    await player.until(lambda p=player, r=now + 1: p.round == r)  # type: ignore[misc]
                assert ana.view["boards"] == ben.view["boards"]
        assert outcomes == {"taken back", "closed"}

    run(body())


def test_simultaneous_choices_of_all_are_all_taken(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 6) as players:
            rng = Random(6)
            while players[0].round <= 6:
                now = players[0].round
                keys = [(player, player.ask(player.some_move(rng))) for player in players]
                for player, key in keys:
                    assert (await player.answer(key))["type"] == "ack"
                for player in players:
                    await player.until(lambda p=player, r=now + 1: p.round == r)  # type: ignore[misc]
            assert max(map(len, players[0].frames)) <= 16 * 1024

    run(body())


def test_resync_gives_table_and_view_again(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, _):
            seen = len(ana.messages)
            view = ana.view
            ana.send(type="resync")
            await ana.until(lambda: len(ana.messages) >= seen + 2)
            assert [message["type"] for message in ana.messages[seen:]] == ["table", "view"]
            assert ana.view == view

    run(body())


# ---- hostile input ----


@pytest.mark.parametrize(
    "message",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"7",
        b'{"type":"act"}',
        b'{"type":"act","key":"1.1.abcd","action":"swap","seat":1}',
        b'{"type":"act","key":"1.1.abcd","action":7}',
        b'{"type":"act","key":"1.1.abcd","action":""}',
        b'{"type":"act","key":"not a key","action":"swap"}',
        b'{"type":"act","key":"1.1.abcd","key":"1.1.abcd","action":"swap"}',
        b'{"type":"draft","round":true,"move":null}',
        b'{"type":"draft","round":NaN,"move":null}',
        b'{"type":"draft","round":1e0,"move":"swap","x":1}',
        b'{"type":"draft","round":99999999999999999999999999,"move":null}',
        b'{"type":"ping","active":1}',
        b'{"type":"ping","active":Infinity}',
        b'{"type":"hello","protocol":1,"table":"x"}',
        b'{"type":"nothing"}',
        b'{"type":"say","phrase":"<script>"}',
        SURROGATE,
        b"[" * 4000,
        b'{"type":' * 900,
        b'{"type":"ping","active":false}x',
        b'\xef\xbb\xbf{"type":"resync"}',
        b'{"type":"say","phrase":"' + b"a" * 8000 + b'"}',
    ],
)
def test_what_is_no_message_is_refused_and_the_socket_lives(server: Server, message: bytes) -> None:
    async def body() -> None:
        async with playing(server, 1) as (ana,):
            assert ana.wire is not None
            seen = len(ana.messages)
            ana.wire.frame(TEXT, message)
            await ana.until(lambda: len(ana.messages) > seen)
            answer = ana.messages[seen]
            assert answer["type"] == "refused"
            assert answer["code"] in ("not_json", "bad_message", "unknown_phrase")
            ana.send(type="ping")
            await ana.until(lambda: ana.messages[-1]["type"] == "pong")

    run(body())


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        ([(TEXT, b"x" * 8193, True)], 1009),
        ([(TEXT, b"x" * 100_000, True)], 1009),
        ([(TEXT, b"x" * 5000, False), (0, b"x" * 5000, False)], 1009),
        ([(TEXT, b'{"type":"say","phrase":"\xff"}', True)], 1007),
        ([(TEXT, b"\xff\xfe", True)], 1007),
        ([(BINARY, b"{}", True)], 1007),
        ([(0, b"{}", True)], 1007),
        ([(TEXT, b"{", False), (TEXT, b"}", True)], 1007),
        ([(TEXT, b"", False), *[(0, b"", False)] * 400], 1008),
        ([(TEXT, b'{"type":"resync"}', True)] * 250, 1008),
        ([(TEXT, b"{", True)] * 250, 1008),
        ([(TEXT, b'{"type":"ping"}', True)] * 3000, 1008),
        ([(TEXT, b'{"type":"draft","round":1,"move":null}', True)] * 3000, 1008),
        ([(PING, b"", True)] * 3000, 1008),
    ],
    ids=lambda value: value if isinstance(value, int) else f"{value[0][1][:12]!r}x{len(value)}",
)
def test_what_is_too_much_closes_the_socket_and_no_other(
    server: Server, frames: list[tuple[int, bytes, bool]], code: int
) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            wire = await greeted(ben)
            for kind, data, fin in frames:
                wire.frame(kind, data, fin=fin)
            assert await wire.closed() == code
            await ben.connect()
            await play_round([ana, ben], Random(7))

    run(body())


@pytest.mark.parametrize(
    "data",
    [
        b"\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff",  # a frame of 2^63 bytes
        b"\xc1\x80\0\0\0\0",  # a reserved bit
        b"\x83\x80\0\0\0\0",  # a reserved kind
        b"\x09\x80\0\0\0\0",  # a control frame in pieces
        b"\x81\x02{}",  # not masked
        b"\x88\x81\0\0\0\0x",  # a goodbye with half a code
        b"\x88\x82\0\0\0\0\xff\xff",  # with a code that does not exist
        b"\x88\x80\0\0\0\0",  # without a code
        b"GET / HTTP/1.1\r\n\r\n" * 9,
    ],
)
def test_strange_bytes_end_only_their_own_socket(server: Server, data: bytes) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            wire = await greeted(ben)
            await wire.message()
            wire.writer.write(data)
            code = await wire.closed()
            assert code in (0, 1000, 1002, 1005, 1007, 1008, 1009), code
            await ben.connect()
            await play_round([ana, ben], Random(8))

    run(body())


def test_pieces_make_a_message_and_pings_come_between(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 1) as (ana,):
            wire = await greeted(ana)
            for _ in range(3):
                await wire.message()
            text = b'{"type":"ping"}'
            for i, byte in enumerate(text):
                wire.frame(0 if i else TEXT, bytes([byte]), fin=i == len(text) - 1)
                if i == 5:
                    wire.frame(PING, b"are you there")
            assert await wire.read() == (PONG, b"are you there")
            assert await wire.message() == {"type": "pong"}

    run(body())


def test_an_honest_player_is_never_limited(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 1) as (ana,):
            for _ in range(20):  # as fast as a person can, for some seconds: drafts, moves, pings
                ana.send(type="draft", round=0, move=ana.moves[0] if ana.moves else None)
                ana.send(type="ping", active=True)
                key = ana.ask(ana.moves[0] if ana.round < 7 else "undo")
                ana.ask(ana.moves[0] if ana.round < 7 else "undo", key)
                await ana.answer(key)
            assert ana.close_code is None

    run(body())


def test_silence_is_not_life(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            mute = await Wire.connect(server.port)
            chatty = await Wire.connect(server.port)
            silent = await greeted(ben)
            begun = time.monotonic()

            async def chat() -> None:
                while True:
                    chatty.send(type="ping")
                    ana.send(type="ping")
                    await asyncio.sleep(1)

            chat_task = asyncio.ensure_future(chat())
            assert await silent.closed(12) == 1008
            assert 8.5 < time.monotonic() - begun < 10.5
            assert await mute.closed() == 1008
            assert await chatty.closed() == 1008
            assert 9.5 < time.monotonic() - begun < 11.5
            assert ana.close_code is None
            chat_task.cancel()
            await ana.until(lambda: not ana.table["seats"][1]["present"])

    run(body())


# ---- assistance ----


def test_a_table_without_help_tells_no_points_before_the_end(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2, assist=0) as (ana, ben):
            eve = await new_player(server, "Eve")
            await eve.connect(token=None, table=ana.table_id, assist=3)
            await finish([ana, ben], Random(9))
            await eve.until(lambda: eve.round == 7)
            for player in (ana, ben, eve):
                for frame in player.frames:
                    if b'"round":7' not in frame:
                        assert b'"total"' not in frame
                        assert b'"scores":[' not in frame
                assert player.view["public"]["scores"]
            eve.close()
        async with playing(server, 2, assist=2) as (ana, ben):
            assert "points" in ana.view["options"][0]
            await ben.connect(assist=0)
            assert "points" not in ben.view["options"][0]
            await play_round([ana, ben], Random(9))
            assert ben.view["public"]["scores"] is None
            assert ana.view["public"]["scores"]

    run(body())


def test_the_coach_speaks_only_where_it_harms_nobody(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2, assist=3) as (ana, ben):
            await play_round([ana, ben], Random(1))
            await asyncio.sleep(0.5)
            assert not any(message["type"] == "advice" for message in ana.messages)
        async with playing(server, 1, ("easy",), assist=3) as (ana,):
            await ana.until(
                lambda: any(message["type"] == "advice" for message in ana.messages), 40
            )
            advice = next(m for m in ana.messages if m["type"] == "advice")
            assert {each["move"] for each in advice["options"]} < set(ana.moves)
            assert len(advice["options"]) == 12  # of two mirrored starts there is one
            ana.send(type="resync")
            await ana.until(lambda: ana.messages[-1]["type"] == "advice")

    run(body(), 90)


def test_a_phrase_is_heard_by_all_and_only_if_it_is_one(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            ana.send(type="say", phrase="nice")
            await ben.until(lambda: ben.messages[-1]["type"] == "said")
            assert ben.messages[-1] == {"type": "said", "phrase": "nice", "seat": 0}
        async with seated(server, 2, phrases=False) as (ana, _):
            ana.send(type="say", phrase="nice")
            await ana.until(lambda: ana.messages[-1]["type"] == "refused")
            assert ana.messages[-1]["code"] == "no_phrases"

    run(body())


def test_only_own_pages_may_open_a_socket(server: Server) -> None:
    async def body() -> None:
        here = f"http://127.0.0.1:{server.port}"
        (await Wire.connect(server.port, f"Origin: {here}\r\nCookie: sideboards=x\r\n")).abort()
        (await Wire.connect(server.port)).abort()
        for origin in ("http://evil.example", "null", f"{here}.evil.example", f"{here}0", ""):
            with pytest.raises(ConnectionRefusedError, match="403"):
                await Wire.connect(server.port, f"Origin: {origin}\r\n")
        with pytest.raises(ConnectionRefusedError, match="403"):
            await Wire.connect(server.port, "Cookie: sideboards=x\r\n")

    run(body())


def test_a_waiting_table_takes_no_moves(server: Server, tmp_path: Path) -> None:
    del tmp_path

    async def body() -> None:
        async with seated(server, 2, seats=3) as (ana, ben):
            assert await ana.refused("swap") == "not_playing"
            assert await ben.refused("start") == "not_host"
            assert await ana.refused("start") == "seats_empty"
            assert await ana.refused("bot 1 easy") == "seat_taken"
            assert await ana.refused("bot 2 nobody") == "unknown_bot"
            assert await ana.refused("remove 2") == "no_seat"
            host = await new_player(server)
            table = await new_table(host, seats=2)
            token = (await host.rest("POST", "/api/tables", {"seats": 2})).json()
            host.token, host.table_id = token["token"], token["table"]["table"]
            assert table != host.table_id
            await host.connect()
            for seat in (0, 1):
                await host.play(f"bot {seat} easy")
            assert await host.refused("start") == "nobody_left"
            host.close()

    run(body())
