import time
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sideboards.service.limits import DRAFTS, MESSAGES, Limit, Meter, Rate, Tries, household


class Hand:
    """A clock that the test moves."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_meter_takes_its_count_in_a_window_and_not_one_more() -> None:
    clock = Hand()
    meter = Meter(MESSAGES, clock)
    assert [meter.allow() for _ in range(250)] == [True] * 200 + [False] * 50
    clock.now += 19.999
    assert not meter.allow()
    clock.now += 0.001
    assert [meter.allow() for _ in range(201)] == [True] * 200 + [False]


steps = st.lists(st.tuples(st.floats(0, 3), st.sampled_from("abc")), max_size=200)


@given(steps, st.integers(1, 5))
def test_a_limit_refuses_nobody_who_keeps_the_rate_and_takes_no_more_than_twice_of_it(
    events: list[tuple[float, str]], count: int
) -> None:
    clock, seconds = Hand(), 4.0
    limit = Limit(Rate(count, seconds), clock)
    asked: dict[str, list[float]] = defaultdict(list)
    taken: dict[str, list[float]] = defaultdict(list)
    for wait, key in events:
        clock.now += wait
        recent = [at for at in asked[key] if at > clock.now - seconds]
        asked[key].append(clock.now)
        if limit.allow(key):
            taken[key].append(clock.now)
        else:
            assert len(recent) >= count, "within the rate, and yet refused"
    for times in taken.values():
        for first in times:
            assert len([at for at in times if first <= at < first + seconds]) <= 2 * count


@given(steps, st.integers(1, 5))
def test_a_meter_and_a_limit_decide_alike(events: list[tuple[float, str]], count: int) -> None:
    clock = Hand()
    limit = Limit(Rate(count, 4.0), clock)
    meters = {key: Meter(Rate(count, 4.0), clock) for key in "abc"}
    for wait, key in events:
        clock.now += wait
        assert limit.allow(key) == meters[key].allow()


def test_old_keys_are_forgotten() -> None:
    clock = Hand()
    limit = Limit(Rate(3, 10), clock)
    for number in range(1000):
        assert limit.allow(f"192.0.2.{number}")
    assert len(limit) == 1000
    clock.now += 10
    for _ in range(600):
        clock.now += 11
        assert limit.allow("another")
    assert len(limit) == 1


def test_a_busy_key_does_not_keep_the_others() -> None:
    clock = Hand()
    limit = Limit(Rate(3, 10), clock)
    for number in range(100):
        assert limit.allow("busy" if number == 50 else str(number))
    clock.now += 10
    for key in ("busy", *(f"new {number}" for number in range(100))):
        assert limit.allow(key)
    assert len(limit) == 101


def test_there_are_never_more_keys_than_allowed() -> None:
    clock = Hand()
    limit = Limit(Rate(1, 10), clock, keys=100)
    for number in range(1000):
        clock.now += 0.001
        assert limit.allow(str(number))
        assert len(limit) <= 100
    assert not limit.allow("999")
    assert not limit.allow("950"), "the newest are kept"


def test_wrong_tries_are_limited_for_each_and_for_all() -> None:
    clock = Hand()
    tries = Tries(Rate(10, 600), Rate(25, 600), clock)
    assert [tries.begin("a") for _ in range(12)] == [True] * 10 + [False] * 2
    assert [tries.begin("b") for _ in range(12)] == [True] * 10 + [False] * 2
    assert [tries.begin("c") for _ in range(12)] == [True] * 5 + [False] * 7
    assert not tries.begin("d")
    clock.now += 600
    assert tries.begin("a")


def test_right_tries_do_not_count() -> None:
    tries = Tries(Rate(2, 600), Rate(3, 600), Hand())
    for _ in range(100):
        assert tries.begin("a")
        tries.right("a")
    assert [tries.begin("a") for _ in range(3)] == [True, True, False]


def test_a_try_that_the_whole_server_refuses_is_not_held_against_the_address() -> None:
    clock = Hand()
    tries = Tries(Rate(2, 1200), Rate(1, 600), clock)
    assert tries.begin("a")
    assert not tries.begin("b")
    assert not tries.begin("b")
    clock.now += 600
    assert tries.begin("b")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", True),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("", "", True),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("not:an:address", "not:an:address", True),
    ],
)
def test_an_address_counts_by_its_household(one: str, other: str, same: bool) -> None:
    assert (household(one) == household(other)) is same


def test_a_meter_costs_less_than_a_microsecond() -> None:
    meter = Meter(Rate(10**9, 20))
    best = min(timed(meter) for _ in range(20))
    assert best < 1e-6, f"{best * 1e9:.0f} ns"
    assert DRAFTS.count / DRAFTS.seconds == 5


def timed(meter: Meter, count: int = 2000) -> float:
    """Seconds for one message."""
    begun = time.perf_counter()
    for _ in range(count):
        meter.allow()
    return (time.perf_counter() - begun) / count
