"""The protocol over real sockets: greetings, answers, keys, hostile input."""

import asyncio
import json
import socket
import time
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from sideboards.service.desk import caller, own_origin
from sideboards.service.limits import MESSAGES
from tests.service.live import (
    CLOSE,
    SOON,
    Player,
    Server,
    Wire,
    all_reach,
    finish,
    greeted,
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
        ({"protocol": 2, "mood": "good", "assist": "all"}, 1008, "wrong_protocol"),
        ({"token": "x.0.y.1.z"}, 4003, "not_your_seat"),
        ({"token": "ü"}, 4003, "not_your_seat"),
        ({"token": None}, 1008, "hello_first"),
        ({"token": None, "table": "nowhere"}, 1008, "unknown_table"),
        ({"token": None, "table": "nowhere\0"}, 1008, "unknown_table"),
        ({"token": None, "table": "über"}, 1008, "unknown_table"),
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
            # Whoever was sent away stays away; whoever left by herself comes back with a new token.
            wish = {"seat": 2, "commit": ""}
            answer = await ben.rest("POST", f"/api/tables/{ana.table_id}/seats", wish)
            assert answer.json()["code"] == "sent_away"
            await cleo.connect()
            await cleo.play("leave")
            older = cleo.token
            await cleo.sit(ana.table_id, 1)
            assert cleo.token != older
            wire = await greeted(cleo, token=older)
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


def come(player: Player) -> bytes:
    """What has come for somebody and was not yet taken from the system; it stays there."""
    assert player.wire is not None
    stream = player.wire.writer.get_extra_info("socket")
    with suppress(BlockingIOError):
        return socket.socket.recv(stream._sock, 2**16, socket.MSG_PEEK)
    return b""


def test_whoever_closes_a_round_is_answered_before_others_get_their_views(server: Server) -> None:
    async def body() -> None:
        rng = Random(7)
        async with playing(server, 3) as players:
            for now in range(7):
                *others, last = players[now % 3 :] + players[: now % 3]
                for player in others:
                    await player.play(player.some_move(rng))
                await last.until(lambda p=last, o=others: p.seq == o[-1].seq)  # type: ignore[misc] # a default
                key, end = last.ask(last.some_move(rng)), time.monotonic() + SOON
                # Nobody takes anything meanwhile, so what came first is there first.
                while not any(b'"type":"view"' in come(player) for player in others):
                    assert time.monotonic() < end
                assert b'"type":"ack"' in come(last)
                await last.answer(key)
                await all_reach(players, now + 1)

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


def test_a_choice_that_comes_rounds_late_is_not_sealed_unseen(server: Server) -> None:
    """With two players a card comes back after two rounds, so it may be in hand again."""

    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            await play_round([ana, ben], Random(3))
            late = ana.new_key()
            await play_round([ana, ben], Random(4))
            move = ana.moves[0]
            assert (await ana.act(move, late))["code"] == "round_over"
            assert ana.moves, "nothing is sealed"
            await ana.play(move)
            again = ana.new_key()
            await ben.play(ben.moves[0])
            await ana.until(lambda: ana.round == 3)
            assert (await ana.act("undo", again))["code"] == "round_closed"
            await ana.play(ana.moves[0])
            assert (await ana.act("undo", again))["code"] == "round_over"

    run(body())


def test_who_is_one_too_many_hears_it_as_a_browser_can(tmp_path: Path) -> None:
    async def body(server: Server) -> None:
        wires = [await Wire.connect(server.port) for _ in range(2)]
        for _ in range(3):
            more = await Wire.connect(server.port)
            told = await more.message()
            assert (told["type"], told["code"], told["key"]) == (
                "refused",
                "too_many_sockets",
                None,
            )
            assert await more.closed() == 1008
        wires[0].abort()
        async with asyncio.timeout(SOON):
            while True:  # until the server has noticed that somebody is gone
                wire = await Wire.connect(server.port)
                wire.send(type="ping")
                if (await wire.message())["type"] == "pong":
                    break
                wire.abort()  # else those who are sent away would be too many in the end

    with serving(tmp_path / "games.db", "--sockets-per-address", "2", compiled=False) as server:
        run(body(server))


def test_sockets_behind_a_proxy_are_counted_by_what_the_proxy_says_last(tmp_path: Path) -> None:
    async def body(server: Server) -> None:
        async def reason(*claimed: str) -> str:
            lines = "".join(f"X-Forwarded-For: {each}\r\n" for each in claimed)
            wire = await Wire.connect(server.port, lines)
            wire.send(type="ping")
            message = await wire.message()
            return str(message.get("code", message["type"]))

        assert [await reason(f"203.0.113.{at}", "192.0.2.1") for at in range(2)] == ["pong"] * 2
        for claimed in (("203.0.113.9", "192.0.2.1"), ("203.0.113.9, 192.0.2.1",)):
            assert await reason(*claimed) == "too_many_sockets"
        assert await reason("192.0.2.1", "203.0.113.9") == "pong"

    options = ("--sockets-per-address", "2", "--proxy", "127.0.0.1")
    with serving(tmp_path / "games.db", *options, compiled=False) as server:
        run(body(server))


def test_an_address_is_one_whichever_socket_it_comes_by() -> None:
    assert caller("::ffff:127.0.0.1", "192.0.2.1", ("127.0.0.1",)) == "192.0.2.1"
    assert caller("::ffff:192.0.2.7", "192.0.2.1", ("127.0.0.1",)) == "192.0.2.7"
    assert caller("2001:db8::1", None, ()) == "2001:db8::1"
    assert own_origin(("::ffff:192.0.2.7", 8000)) == "http://192.0.2.7:8000"
    assert own_origin(("2001:db8::1", 8000)) == "http://[2001:db8::1]:8000"


def test_a_swap_that_comes_a_round_late_spoils_no_new_hand(server: Server) -> None:
    async def body() -> None:
        async with playing(server, 2) as (ana, ben):
            await play_round([ana, ben], Random(3))
            late = ana.new_key()
            await play_round([ana, ben], Random(4))
            hand = ana.hand
            assert (await ana.act("swap", late))["code"] == "round_over"
            assert ana.hand == hand
            assert (await ana.act("swap"))["type"] == "ack"

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


def test_messages_are_counted_for_the_seat_whatever_socket_they_come_from(server: Server) -> None:
    async def body() -> None:
        async with seated(server, 2) as (ana, ben):
            most = MESSAGES.count * 2 // 3  # twice as many are too many
            for _ in range(most):
                ana.send(type="say", phrase="nonsense")
            await ana.until(lambda: [m["type"] for m in ana.messages].count("refused") == most)
            ana.close()
            await ana.connect()
            for _ in range(most):
                ana.send(type="say", phrase="nonsense")
            await ana.until(lambda: ana.close_code == 1008)
            assert ana.messages[-1]["code"] == "too_many_messages"
            assert ben.close_code is None

    run(body())


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


def test_the_coach_speaks_only_where_it_harms_nobody(tmp_path: Path) -> None:
    async def body() -> None:
        async with playing(compiled, 1, ("easy",), assist=3) as (ana,):
            await ana.until(
                lambda: any(message["type"] == "advice" for message in ana.messages), 40
            )
            advice = next(m for m in ana.messages if m["type"] == "advice")
            assert {each["move"] for each in advice["options"]} < set(ana.moves)
            assert len(advice["options"]) == 12  # of two mirrored starts there is one
            ana.send(type="resync")
            await ana.until(lambda: ana.messages[-1]["type"] == "advice")
        async with playing(compiled, 2, assist=3) as (ana, ben):
            await play_round([ana, ben], Random(1))
            await asyncio.sleep(1)
            assert not any(message["type"] == "advice" for message in ana.messages)

    with serving(tmp_path / "a.db") as compiled:
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
