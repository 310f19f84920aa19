"""A room is the replay of its log: what may be asked, what follows, and nothing is forgotten."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sideboards import load_edition
from sideboards.core.fair import check_proof, seat_commitment, server_commitment
from sideboards.core.game import deal, new_setup, step
from sideboards.core.notation import Record, format_record
from sideboards.core.refusal import IllegalMove, Refusal
from sideboards.core.view import view
from sideboards.service.entries import Entry, create_entry
from sideboards.service.limits import CHANGES_PER_GUEST, EVENTS_PER_TABLE
from sideboards.service.log import TABLE, Event
from sideboards.service.protocol import Settings
from sideboards.service.refusals import ServiceRefusal
from sideboards.service.room import Actor, Room
from sideboards.service.terms import check_settings
from sideboards.service.wire import Showing, encode

NAMES = ("ana", "ben", "cleo", "dora", "emil", "finn")
EDITION = load_edition()


class Desk:
    """Writes the log of one room."""

    def __init__(self, rng: Random, **settings: object) -> None:
        self.rng = rng
        self.room = Room("table1", EDITION)
        self.log: list[Event] = []
        self.seeds: list[str] = []
        made = Settings(**{"seats": 2} | settings)  # type: ignore[arg-type]
        self.write(create_entry(made, "ana", "ABC234", self.seed()))

    def seed(self) -> str:
        self.seeds.append(self.rng.randbytes(32).hex())
        return self.seeds[-1]

    def write(self, entry: Entry, key: str = "") -> None:
        event = Event(len(self.log), entry.seat, entry.action, key, 1000 + len(self.log))
        self.log.append(event)
        self.room.apply(event, entry.after)

    def actor(self, name: str) -> Actor:
        return Actor(name, self.room.seat_of(name))

    def ask(self, name: str, text: str, key: str = "") -> None:
        self.write(self.room.ask(self.actor(name), text, self.seed), key)

    def refusal(self, name: str, text: str) -> str:
        with pytest.raises(Refusal) as refused:
            self.ask(name, text)
        assert isinstance(refused.value, ServiceRefusal | IllegalMove)
        return refused.value.code

    def sit(self, name: str, seat: int, seat_seed: str = "") -> None:
        commit = seat_commitment("table1", seat, seat_seed) if seat_seed else ""
        self.write(self.room.ask_sit(seat, name, commit, self.seed()))

    def deal(self) -> None:
        self.write(Entry(TABLE, "deal"))

    def legal(self, seat: int) -> list[str]:
        game = self.room.game
        assert game is not None
        return [str(move) for move in view(game, seat).legal]

    def replayed(self) -> Room:
        again = Room("table1", EDITION)
        for event in self.log:
            again.apply(event)
        return again


def contents(room: Room) -> dict[str, object]:
    found = {name: getattr(room, name) for name in Room.__slots__}
    return found | {"chairs": list(room.chairs), "keys": dict(room.keys)}


def dealt(people: int = 2, rng: Random | None = None, **settings: object) -> Desk:
    desk = Desk(rng or Random(1), **{"seats": people} | settings)
    for seat, name in enumerate(NAMES[:people]):
        desk.sit(name, seat)
    desk.ask("ana", "start")
    desk.deal()
    return desk


def play_to_the_end(desk: Desk) -> None:
    while desk.room.phase == "playing":
        seat = desk.room.waiting[0]
        moves = [move for move in desk.legal(seat) if move != "swap"]
        desk.ask(NAMES[seat], desk.rng.choice(moves))


# ---- seats and settings ----


def test_every_change_of_seats_and_settings_draws_a_new_seed() -> None:
    desk = Desk(Random(1), seats=3)
    commits = [desk.room.commit]
    changes: list[Callable[[], None]] = [
        lambda: desk.sit("ana", 0),
        lambda: desk.sit("ben", 1),
        lambda: desk.ask("ana", "bot 2 easy"),
        lambda: desk.ask("ana", "bot 2 medium"),
        lambda: desk.ask("ana", "remove 2"),
        lambda: desk.ask("ben", "leave"),
        lambda: desk.write(
            desk.room.ask_settings(desk.actor("ana"), Settings(seats=2, variant=True), desk.seed())
        ),
        lambda: desk.sit("cleo", 1),
    ]
    for change in changes:
        change()
        assert desk.room.seed == desk.seeds[-1]
        assert desk.room.commit == server_commitment("table1", desk.room.rules, desk.seeds[-1])
        commits.append(desk.room.commit)
    assert len(set(commits)) == len(commits)
    assert contents(desk.replayed()) == contents(desk.room)


def test_who_may_do_what_before_the_start() -> None:
    desk = Desk(Random(2), seats=3)
    assert desk.refusal("ana", "start") == "seats_empty"
    assert desk.refusal("eve", "bot 0 easy") == "not_host"
    assert desk.refusal("eve", "leave") == "not_your_seat"
    desk.sit("ana", 0)
    desk.sit("ben", 1)
    with pytest.raises(ServiceRefusal, match="already"):
        desk.sit("ben", 2)
    with pytest.raises(ServiceRefusal):
        desk.sit("cleo", 1)
    with pytest.raises(IllegalMove):
        desk.sit("cleo", 3)
    with pytest.raises(ServiceRefusal):  # a taken seat is not cut off
        desk.room.ask_settings(desk.actor("ana"), Settings(seats=1), desk.seed())
    for name, text, code in [
        ("ben", "start", "not_host"),
        ("ben", "close", "not_host"),
        ("ben", "remove 0", "not_host"),
        ("ben", "bot 2 easy", "not_host"),
        ("ana", "bot 1 easy", "seat_taken"),
        ("ana", "bot 2 nobody", "unknown_bot"),
        ("ana", "bot 3 easy", "no_seat"),
        ("ana", "bot", "no_seat"),
        ("ana", "remove 2", "no_seat"),
        ("ana", "remove x", "no_seat"),
        ("ana", "leave ", "not_an_action"),
        ("ana", "leave now", "not_an_action"),
        ("ana", "start now", "not_an_action"),
        ("ana", "swap", "not_playing"),
        ("ana", "return", "not_playing"),
        ("ana", "vote 1", "not_playing"),
        ("ana", f"open {'0' * 64}", "not_started"),
    ]:
        assert desk.refusal(name, text) == code, text
    desk.ask("ana", "bot 2 easy")
    desk.ask("ana", "start")
    for name, text, code in [
        ("ana", "start", "not_waiting"),
        ("ana", "bot 2 medium", "not_waiting"),
        ("ana", "remove 1", "not_waiting"),
        ("ana", "close", "not_waiting"),
        ("ana", f"open {'0' * 64}", "bad_seed"),
        ("eve", "leave", "not_your_seat"),
    ]:
        assert desk.refusal(name, text) == code, text


def test_changes_of_mind_end_for_who_has_too_many_and_for_nobody_else() -> None:
    desk = Desk(Random(1), seats=3)
    for _ in range(CHANGES_PER_GUEST):
        desk.sit("eve", 1)
        desk.ask("eve", "leave")
    with pytest.raises(ServiceRefusal) as refused:
        desk.sit("eve", 1)
    assert refused.value.code == "too_many_requests"
    desk.sit("ana", 0)
    settings = Settings(seats=2)
    for _ in range(CHANGES_PER_GUEST - 1):
        desk.write(desk.room.ask_settings(desk.actor("ana"), settings, desk.seed()))
    with pytest.raises(ServiceRefusal) as refused:
        desk.room.ask_settings(desk.actor("ana"), settings, desk.seed())
    assert refused.value.code == "too_many_requests"
    desk.sit("ben", 1)
    desk.ask("ana", "start")
    desk.deal()
    move = desk.legal(1)[0]
    for _ in range(CHANGES_PER_GUEST - 1):
        desk.ask("ben", move)
        desk.ask("ben", "undo")
    desk.ask("ben", move)
    assert desk.refusal("ben", "undo") == "too_many_requests"
    desk.ask("ben", "leave")
    assert desk.refusal("ben", "return") == "too_many_requests"
    assert contents(desk.replayed()) == contents(desk.room)


def test_nobody_sits_down_behind_a_log_that_is_too_long() -> None:
    desk = Desk(Random(1), seats=2)
    guest = 0
    while desk.room.position < EVENTS_PER_TABLE:
        desk.sit(f"guest{guest}", 1)
        desk.ask(f"guest{guest}", "leave")
        guest += 1
    with pytest.raises(ServiceRefusal) as refused:
        desk.sit("ben", 1)
    assert refused.value.code == "too_many_requests"
    desk.ask("ana", "bot 0 easy")
    desk.ask("ana", "close")


def test_a_host_without_a_seat_hands_the_table_on() -> None:
    desk = Desk(Random(1), seats=3)
    desk.sit("ben", 1)
    desk.ask("ana", "leave")
    assert (desk.room.host, desk.room.phase) == ("ben", "waiting")
    assert desk.refusal("ana", "leave") == "not_your_seat"
    alone = Desk(Random(1))
    alone.ask("ana", "leave")
    assert alone.room.phase == "abandoned"
    assert contents(desk.replayed()) == contents(desk.room)


def test_the_next_person_is_host_and_the_last_one_closes() -> None:
    desk = Desk(Random(3), seats=3)
    desk.sit("ben", 1)
    desk.ask("ben", "leave")  # the host, who has no seat, is still there
    assert (desk.room.phase, desk.room.host) == ("waiting", "ana")
    desk.sit("ben", 1)
    desk.ask("ana", "remove 1")
    assert desk.room.phase == "waiting"
    desk.sit("ana", 0)
    desk.sit("cleo", 2)
    desk.ask("ana", "leave", key="0.0.1.abcd")
    assert desk.room.host == "cleo"
    assert desk.refusal("ana", "start") == "not_host"
    desk.ask("cleo", "leave", key="2.0.1.abcd")
    assert contents(desk.room)["phase"] == "abandoned"
    for room in (desk.room, desk.replayed()):
        assert room.is_known("2.0.1.abcd", "leave")
        with pytest.raises(ServiceRefusal) as refused:
            room.is_known("2.0.1.abcd", "close")
        assert refused.value.code == "key_reused"
    assert desk.refusal("cleo", "start") == "abandoned"


def test_an_old_stay_at_a_seat_is_not_the_new_one() -> None:
    desk = Desk(Random(4), seats=3)
    desk.sit("ana", 0)
    desk.sit("ben", 1)
    stay = desk.room.chairs[1].sitting
    old = desk.actor("ben")
    desk.ask("ana", "remove 1")
    desk.sit("cleo", 1)
    assert desk.room.chairs[1].sitting > stay
    for text in ("leave", "return", "swap"):
        with pytest.raises(ServiceRefusal) as refused:
            desk.room.ask(old, text, desk.seed)
        assert refused.value.code == "not_your_seat"


def test_bots_alone_do_not_start() -> None:
    desk = Desk(Random(5), seats=2)
    desk.ask("ana", "bot 0 easy")
    desk.ask("ana", "bot 1 easy")
    assert desk.refusal("ana", "start") == "nobody_left"


@pytest.mark.parametrize(
    ("settings", "where"),
    [
        ({"seats": 1, "variant": True}, "variant"),
        ({"round_seconds": 301}, "round_seconds"),
        ({"round_seconds": 86_401}, "round_seconds"),
        ({"assist": 3, "public": True}, "assist"),
        ({"practice": "nonsense"}, "practice"),
    ],
)
def test_settings_that_cannot_be_played(settings: dict[str, object], where: str) -> None:
    with pytest.raises(ServiceRefusal) as refused:
        check_settings(Settings(**settings), EDITION)  # type: ignore[arg-type]
    assert refused.value.places == {"where": where}
    for fine in (10, 300, 86_400, 259_200):
        check_settings(Settings(round_seconds=fine), EDITION)


# ---- the fair deal ----


@pytest.mark.parametrize(
    "seed", ["not|hex", "ab" * 31, "AB" * 32, "ab" * 32 + "\n", " " + "ab" * 32]
)
def test_a_seed_that_no_proof_could_hold_is_not_opened(seed: str) -> None:
    desk = Desk(Random(6), seats=1)
    desk.sit("ana", 0, seed)
    desk.ask("ana", "start")
    assert desk.refusal("ana", f"open {seed}") == "bad_seed"


def test_the_deal_is_proved_by_the_seeds_of_all_who_opened_them() -> None:
    desk = Desk(Random(6), seats=4)
    mine = [f"{seat + 1:x}" * 64 for seat in range(3)]
    for seat in range(3):
        desk.sit(NAMES[seat], seat, mine[seat])
    desk.ask("ana", "bot 3 easy")
    desk.ask("ana", "start")
    assert desk.refusal("ana", f"open {mine[1]}") == "bad_seed"
    desk.ask("ana", f"open {mine[0]}")
    assert desk.refusal("ana", f"open {mine[0]}") == "bad_seed"
    desk.ask("ben", f"open {mine[1]}")
    desk.deal()  # cleo was too late
    assert desk.refusal("cleo", f"open {mine[2]}") == "not_started"
    with pytest.raises(ServiceRefusal):
        _ = desk.room.proof
    with pytest.raises(ServiceRefusal):
        desk.room.record()
    while desk.room.phase == "playing":
        seat = desk.room.waiting[0]
        desk.write(desk.room.ask_move(seat, desk.legal(seat)[0]))
    proof = desk.room.proof
    assert proof.seat_seeds == (mine[0], mine[1], "", "")
    assert proof.unopened == (2, 3)
    assert proof.server_seed == desk.seeds[-1]
    assert desk.room.game is not None
    assert check_proof(proof, EDITION) == desk.room.game.setup
    with pytest.raises(Refusal):
        check_proof(replace(proof, server_seed="0" * 64), EDITION)


def test_no_seed_is_in_any_view() -> None:
    desk = Desk(Random(7), seats=2)
    mine = ["1" * 64, "2" * 64]
    for seat in range(2):
        desk.sit(NAMES[seat], seat, mine[seat])
    desk.ask("ana", "start")
    for seat in range(2):
        desk.ask(NAMES[seat], f"open {mine[seat]}")
    desk.deal()
    while desk.room.phase == "playing":
        assert desk.room.game is not None
        assert desk.room.opening is not None
        showing = Showing(desk.room.game, desk.room.opening)
        for viewer in (0, 1, None):
            text = encode(showing.view(viewer, points=True)).decode()
            assert not any(seed in text for seed in (*mine, *desk.seeds))
        seat = desk.room.waiting[0]
        desk.ask(NAMES[seat], desk.legal(seat)[-1])
    assert desk.room.phase == "finished"


def test_a_bots_chance_is_one_stream_per_seat_round_and_own_move() -> None:
    desk = dealt(2)
    seen = set()
    while desk.room.phase == "playing":
        for seat in (0, 1):
            seen.add(desk.room.bot_seed(seat))
        seat = desk.room.waiting[0]
        desk.ask(NAMES[seat], desk.legal(seat)[-1])
    assert len(seen) == 2 * 7 + 2  # each seat swapped once


# ---- practice ----


def test_a_practice_table_goes_on_from_a_record_without_a_proof() -> None:
    setup = new_setup(EDITION, seats=2, rng=Random(8))
    state = deal(setup)
    text = format_record(Record(setup, state.played))
    for public in (False, True):
        settings = Settings(practice=text, public=public)
        if public:
            with pytest.raises(ServiceRefusal):
                check_settings(settings, EDITION)
        else:
            check_settings(settings, EDITION)
    desk = dealt(2, practice=text)
    assert desk.room.game == state
    assert desk.room.against_bots
    play_to_the_end(desk)
    with pytest.raises(ServiceRefusal) as refused:
        _ = desk.room.proof
    assert refused.value.code == "no_practice_proof"
    assert contents(desk.replayed()) == contents(desk.room)


@pytest.mark.parametrize("practice", [None, "known"])
def test_only_who_plays_alone_closes_a_game_also_in_practice(practice: str | None) -> None:
    setup = new_setup(EDITION, seats=2, rng=Random(7))
    record = practice and format_record(Record(setup, ()))
    desk = dealt(2, practice=record)
    for name in ("ana", "ben", "eve"):
        assert desk.refusal(name, "close") == "not_waiting"
    desk.ask("ben", "leave")
    assert desk.refusal("ana", "close") == "not_waiting", "he may come back"
    alone = Desk(Random(1), practice=record)
    alone.sit("ana", 0)
    for action in ("bot 1 easy", "start"):
        alone.ask("ana", action)
    alone.deal()
    assert alone.refusal("eve", "close") == "not_waiting"
    alone.ask("ana", "close")
    assert alone.room.phase == "abandoned"


def test_a_record_in_which_nothing_is_left_to_play_is_no_practice() -> None:
    rng, state = Random(8), deal(new_setup(EDITION, seats=1, rng=Random(8)))
    while not state.over:
        text = format_record(Record(state.setup, state.played))
        check_settings(Settings(seats=1, practice=text), EDITION)
        state = step(state, 0, rng.choice(view(state, 0).legal))
    text = format_record(Record(state.setup, state.played))
    with pytest.raises(ServiceRefusal) as refused:
        check_settings(Settings(seats=1, practice=text), EDITION)
    assert refused.value.places == {"where": "practice"}


# ---- hand-overs ----


def test_leaving_hands_the_seat_to_a_bot_and_returning_takes_it_back() -> None:
    desk = dealt(2)
    assert desk.room.game is not None
    hand = desk.room.game.seats[0].hand
    desk.ask("ana", "leave")
    assert desk.room.chairs[0].bot == "medium"
    assert desk.room.bots_to_ask == (0,)
    assert desk.refusal("ana", "leave") == "bot_plays"
    assert desk.refusal("ana", desk.legal(0)[0]) == "bot_plays"
    desk.ask("ben", "leave")
    assert len(desk.room.bots_to_ask) == 0  # bots alone wait
    desk.ask("ana", "return")
    assert desk.room.bots_to_ask == (1,)
    assert desk.refusal("ana", "return") == "not_a_person"
    assert desk.room.game.seats[0].hand == hand
    desk.ask("ana", desk.legal(0)[0])
    assert contents(desk.replayed()) == contents(desk.room)


def test_all_others_together_hand_over_a_seat() -> None:
    desk = dealt(4)
    desk.ask("dora", "leave")
    desk.ask("ana", "vote 1")
    assert not desk.room.chairs[1].bot
    assert desk.refusal("ana", "vote 0") == "not_a_person"
    assert desk.refusal("ana", "vote 3") == "not_a_person"
    assert desk.refusal("dora", "vote 1") == "bot_plays"
    desk.ask("ben", desk.legal(1)[0])  # a sign of life
    assert desk.room.chairs[1].votes == frozenset()
    desk.ask("ana", "vote 1")
    desk.ask("cleo", "vote 1")
    assert desk.room.chairs[1] == replace(
        desk.room.chairs[1], bot="medium", votes=frozenset({0, 2})
    )
    desk.ask("ben", "return")
    assert (desk.room.chairs[1].bot, desk.room.chairs[1].votes) == ("", frozenset())
    assert contents(desk.replayed()) == contents(desk.room)


def test_the_votes_of_those_who_stay_are_enough() -> None:
    desk = dealt(5)
    for name in ("ana", "ben"):
        desk.ask(name, "vote 4")
    desk.ask("cleo", "vote 3")
    assert not desk.room.chairs[4].bot
    desk.ask("dora", "vote 4")
    desk.ask("cleo", "leave")  # who has not voted for it
    assert [chair.bot for chair in desk.room.chairs] == ["", "", "medium", "", "medium"]
    desk.ask("ana", "vote 3")
    assert not desk.room.chairs[3].bot
    desk.ask("ben", "leave")
    assert desk.room.chairs[3].bot
    assert not desk.room.chairs[0].bot  # nobody wants it of the only one who plays
    assert contents(desk.replayed()) == contents(desk.room)


def test_a_seat_that_is_handed_over_has_no_say_in_the_next() -> None:
    desk = dealt(4)
    desk.ask("ana", "vote 2")
    desk.ask("ben", "vote 2")
    desk.ask("ana", "vote 3")
    desk.ask("ben", "vote 3")
    assert not any(chair.bot for chair in desk.room.chairs)
    desk.ask("dora", "leave")
    assert [chair.bot for chair in desk.room.chairs] == ["", "", "medium", "medium"]
    assert contents(desk.replayed()) == contents(desk.room)


def test_who_is_there_again_voids_the_votes_before() -> None:
    desk = dealt(3)
    spent = desk.room.spent["cleo"]
    desk.ask("ana", "vote 2")
    desk.write(Entry(2, "return"))
    assert desk.room.chairs[2].votes == frozenset()
    assert desk.room.spent["cleo"] == spent
    desk.ask("ben", "vote 2")
    assert not desk.room.chairs[2].bot
    assert contents(desk.replayed()) == contents(desk.room)


def test_a_bots_help_is_known_under_the_key_of_who_asked() -> None:
    desk = dealt(2)
    move = desk.legal(1)[0]
    desk.write(desk.room.ask_move(1, move), key="0.0.1.help")
    for room in (desk.room, desk.replayed()):
        assert room.is_known("0.0.1.help", "help 1")
        for other in (move, "help 0"):
            with pytest.raises(ServiceRefusal):
                room.is_known("0.0.1.help", other)


def test_an_abandoned_game_is_proved_too() -> None:
    desk = dealt(2)
    desk.write(Entry(TABLE, "abandon"))
    assert desk.room.game is not None
    assert check_proof(desk.room.proof, EDITION) == desk.room.game.setup
    assert desk.refusal("ana", desk.legal(0)[0]) == "abandoned"
    assert desk.room.record().played == ()


def test_a_gap_in_the_log_is_an_error() -> None:
    desk = dealt(2)
    with pytest.raises(AssertionError):
        desk.room.apply(Event(len(desk.log) + 1, 0, "leave", "", 0))


# ---- whatever happens ----

WORDS = ("start", "close", "leave", "return", "swap", "undo", "leave ", "open", "vote", "bot")
ASKED = st.one_of(
    st.sampled_from(WORDS),
    st.builds("{} {}".format, st.sampled_from(WORDS), st.sampled_from(["0", "1", "5", "x", "²"])),
    st.builds("bot {} {}".format, st.integers(-1, 3), st.sampled_from(["easy", "hard", "x"])),
    st.sampled_from(["legal"] * 12),
    st.text(max_size=8),
)


@given(
    st.integers(1, 3),
    st.randoms(use_true_random=False),
    st.lists(st.tuples(st.sampled_from([*NAMES[:3], "eve"]), ASKED), max_size=60),
)
def test_the_replay_of_the_log_is_the_room(
    people: int, rng: Random, asked: list[tuple[str, str]]
) -> None:
    desk = Desk(Random(9), seats=people)
    for seat in range(people):
        desk.sit(NAMES[seat], seat)
    if rng.random() < 0.8:
        desk.ask("ana", "start")
        desk.deal()
    for number, (name, text) in enumerate(asked):
        actor, wanted = desk.actor(name), text
        if text == "legal" and desk.room.game is not None and actor.seat is not None:
            wanted = rng.choice(desk.legal(actor.seat) or ["undo"])
        before = contents(desk.room)
        try:
            entry = desk.room.ask(actor, wanted, desk.seed)
        except (ServiceRefusal, IllegalMove):
            assert contents(desk.room) == before
            continue
        seat = TABLE if actor.seat is None else actor.seat
        key = f"{seat}.0.{number}.abcd"
        desk.write(entry, key)
        assert desk.room.is_known(key, wanted)
    again = desk.replayed()
    assert contents(again) == contents(desk.room)
    assert again.commit == desk.room.commit
    if desk.room.game is not None:
        counted = [event for event in desk.log if event.action != "deal"]
        started = next(i for i, event in enumerate(desk.log) if event.action == "deal")
        assert desk.room.seq == len(counted) - started + 1
