"""Who is there and who is away, here or through another server."""

from sideboards.service.log import TABLE, Event
from sideboards.service.presence import AWAY_AFTER, EARLY, ELSEWHERE, SILENT_AFTER, Presence

MINUTE = 60_000


def test_away_is_a_minute_without_connection() -> None:
    people = Presence(0)
    assert not people.is_present(0, 0)
    assert not people.is_away(0, MINUTE - 1)
    assert people.is_away(0, MINUTE)
    people.come(0, MINUTE)
    assert people.is_present(0, MINUTE)
    assert not people.is_away(0, MINUTE)
    people.go(0, 2 * MINUTE)
    assert not people.is_present(0, 2 * MINUTE)
    assert people.next_change([0], 2 * MINUTE) == 3 * MINUTE
    assert not people.is_away(0, 3 * MINUTE - 1)
    assert people.is_away(0, 3 * MINUTE)
    assert people.next_change([0], 3 * MINUTE) is None


def test_by_request_somebody_is_there_for_a_moment() -> None:
    people = Presence(0)
    people.act(0, MINUTE)
    assert not people.is_present(0, MINUTE)
    assert not people.is_away(0, 2 * MINUTE - 1)
    assert people.is_away(0, 2 * MINUTE)
    people.act(0, 5 * MINUTE)
    assert not people.is_away(0, 5 * MINUTE)
    assert people.next_change([0], 5 * MINUTE) == 6 * MINUTE


def test_who_only_looks_is_away_after_three_minutes() -> None:
    people = Presence(0)
    people.act(0, 0)
    for half in range(1, 6):
        people.look(0, half * MINUTE // 2)
        assert not people.is_away(0, half * MINUTE // 2)
    assert people.next_change([0], 5 * MINUTE // 2) == SILENT_AFTER
    people.look(0, SILENT_AFTER)
    assert people.is_away(0, SILENT_AFTER)


def test_away_is_three_minutes_without_input() -> None:
    people = Presence(0)
    people.come(0, 0)
    people.act(0, MINUTE)
    assert people.next_change([0], MINUTE) == MINUTE + SILENT_AFTER
    assert not people.is_away(0, 4 * MINUTE - 1)
    assert people.is_away(0, 4 * MINUTE)
    people.act(0, 4 * MINUTE)
    assert not people.is_away(0, 4 * MINUTE)


def test_the_word_of_another_server_counts_for_a_while() -> None:
    people = Presence(0)
    people.hear(1, 2 * MINUTE, 3 * MINUTE)
    assert people.is_present(1, 3 * MINUTE + ELSEWHERE - 1)
    assert not people.is_present(1, 3 * MINUTE + ELSEWHERE)
    assert people.silent(1, 3 * MINUTE) == 2 * MINUTE
    # That server died: a minute after its last word the seat is away.
    assert not people.is_away(1, 3 * MINUTE + AWAY_AFTER - 1)
    assert people.is_away(1, 3 * MINUTE + AWAY_AFTER)


def test_the_end_of_a_connection_elsewhere_is_no_end_here() -> None:
    people = Presence(0)
    people.come(0, 0)
    people.hear_gone(0, 10)
    assert people.is_present(0, 10)
    people.hear(1, 0, 10)
    people.hear_gone(1, 20)
    assert not people.is_present(1, 20)
    assert people.next_change([1], 20) == 20 + AWAY_AFTER


def test_the_next_at_a_seat_begins_anew() -> None:
    people = Presence(0)
    people.come(0, 0)
    people.act(0, 5)
    people.forget(0)
    assert not people.is_present(0, 6)
    assert list(people.here) == []
    assert people.silent(0, 6) == 6


# ---- comings that say nothing of a person ----


def test_a_connection_that_comes_back_is_no_input() -> None:
    people = Presence(0)
    people.come(0, 0)
    people.go(0, 170_000)
    people.come(0, 170_500)
    assert people.silent(0, 170_500) == 170_500
    assert people.next_change([0], 170_500) == SILENT_AFTER
    assert people.is_away(0, 170_500 + MINUTE)
    people.go(0, 240_000)
    people.come(0, 250_000)
    assert people.is_away(0, 250_000)
    people.act(0, 250_001)
    assert not people.is_away(0, 250_001)


def test_a_phone_in_and_out_of_its_network_becomes_away() -> None:
    people = Presence(0)
    people.come(0, 0)
    for now in range(10_000, SILENT_AFTER - MINUTE // 2, 20_000):
        people.go(0, now)
        people.hear_come(0, now + 5_000)  # now here, now by another server
        people.hear_gone(0, now + 9_000)
        people.come(0, now + 10_000)
        assert not people.is_away(0, now + 10_000)
    assert people.is_away(0, SILENT_AFTER)


def test_who_comes_after_a_minute_has_opened_the_page() -> None:
    people = Presence(0)
    people.act(0, 0)
    assert people.is_away(0, 10 * MINUTE)
    people.come(0, 10 * MINUTE)
    assert not people.is_away(0, 10 * MINUTE)
    assert people.next_change([0], 10 * MINUTE) == 10 * MINUTE + SILENT_AFTER
    people.act(1, 0)
    people.look(1, 10 * MINUTE)  # by request as well
    assert not people.is_away(1, 10 * MINUTE)


# ---- a table that was just loaded ----


def test_what_is_stored_tells_who_was_there() -> None:
    people = Presence(0)
    events = [
        Event(1, 0, "sit {}", "", 5_000),
        Event(2, 1, "sit {}", "", 6_000),
        Event(3, TABLE, "start", "-1.0.1.host", 7_000),
        Event(4, 0, "12,40~", "0.0.1.move", 20_000),
        Event(5, 1, "12,40~", "0.0.1.help", 30_000),
        Event(6, 1, "L17", "", 40_000),
    ]
    for event in events:
        people.take(event)
    assert [people.silent(seat, 50_000) for seat in (0, 1)] == [20_000, 44_000]
    people.take(Event(7, 1, "vote 0", "1.0.2.vote", 15_000))
    people.take(Event(8, 0, "undo", "0.0.2.undo", 29_000))  # read later than something newer
    assert [people.silent(seat, 50_000) for seat in (0, 1)] == [20_000, 35_000]


def test_nobody_is_gone_since_before_connections_were_cut() -> None:
    people = Presence(10 * MINUTE)
    people.take(Event(1, 0, "sit {}", "", MINUTE))
    assert not people.is_away(0, 11 * MINUTE - 1)
    assert people.is_away(0, 11 * MINUTE)
    people.come(0, 10 * MINUTE + 500)
    assert people.next_change([0], 10 * MINUTE + 500) == 10 * MINUTE + SILENT_AFTER


def test_nobody_is_away_until_other_servers_have_answered() -> None:
    people = Presence(0, 5 * MINUTE + 1_000)
    for seat in (0, 1):
        people.act(seat, 0)
    assert not people.is_away(0, 5 * MINUTE)
    assert not people.is_back(0, 5 * MINUTE)
    assert people.next_change([0, 1], 5 * MINUTE) == 5 * MINUTE + 1_000
    people.hear(1, 30_000, 5 * MINUTE)
    assert people.is_away(0, 5 * MINUTE + 1_000)
    assert not people.is_away(1, 5 * MINUTE + 1_000)


# ---- what servers tell each other ----


def test_servers_tell_who_is_here_and_who_was_a_moment_ago() -> None:
    people = Presence(0)
    people.come(0, 0)
    people.act(1, 10_000)
    people.look(1, 20_000)
    people.act(2, 1_000)
    now = 1_000 + AWAY_AFTER
    lines = people.lines("t", now)
    assert sorted(lines) == [f"here t 0 {now}", "seen t 1 20000 10000"]
    other = Presence(0)
    other.hear_seen(1, 20_000, 10_000)
    for at in (now, 20_000 + AWAY_AFTER):
        assert other.is_away(1, at) == people.is_away(1, at)
    assert other.silent(1, now) == people.silent(1, now)
    assert other.lines("t", now) == ["seen t 1 20000 10000"]  # told again, it is not newer
    other.hear_seen(1, 15_000, 5_000)
    assert other.lines("t", now) == ["seen t 1 20000 10000"]


def test_a_sign_of_life_is_overdue_before_others_count_somebody_as_away() -> None:
    people = Presence(0)
    people.act(0, 0)
    assert not people.is_overdue(0, AWAY_AFTER - EARLY - 1)
    assert people.is_overdue(0, AWAY_AFTER - EARLY)
    people.come(1, 0)
    assert not people.is_overdue(1, SILENT_AFTER - EARLY - 1)
    assert people.is_overdue(1, SILENT_AFTER - EARLY)


def test_a_server_that_ends_without_a_word_is_noticed() -> None:
    people = Presence(0)
    people.hear(0, 0, 1_000)
    assert people.next_change([0], 1_000) == 1_000 + AWAY_AFTER
