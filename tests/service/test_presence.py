"""Who is there and who is away, here or through another server."""

from sideboards.service.presence import AWAY_AFTER, ELSEWHERE, SILENT_AFTER, Presence

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
