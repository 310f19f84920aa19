"""Open tables: whoever has too many finds them all, can end them, and is never locked out."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sideboards.core.game import new_setup
from sideboards.core.notation import Record, format_record
from sideboards.data import load_edition
from sideboards.service.limits import PRACTICE_PER_GUEST, TABLES_PER_GUEST
from sideboards.service.log import LEFT_AFTER
from tests.service.rest import Person, running, sentence_of, wait_until

pytestmark = pytest.mark.long
KNOWN = format_record(Record(new_setup(load_edition(), seats=2, rng=Random(1)), ()))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("open")) as address:
        yield address


def refused(person: Person) -> bool:
    """Whether somebody gets no further table; one that is made ends at once."""
    answer = person.post("/api/tables", {})
    if answer.status_code == 201:
        person.do(answer.json()["table"]["table"], "close")
        return False
    sentence_of(answer, "too_many_tables")
    return True


def listed(person: Person) -> dict[str, Any]:
    """Somebody's own tables that are open."""
    tables = person.get("/api/me/tables").json()
    return {each["table"]: each for each in tables if each["phase"] in ("waiting", "playing")}


def phase(person: Person, table: str) -> str:
    return str(person.get(f"/api/tables/{table}").json()["phase"])


def test_tables_at_which_nobody_sat_down_are_listed_and_can_be_closed(base: str) -> None:
    ana = Person(base)
    tables = {ana.table() for _ in range(TABLES_PER_GUEST)}
    assert refused(ana)
    found = listed(ana)
    assert found.keys() == tables
    assert all(each["made_by_you"] and each["your_seat"] is None for each in found.values())
    table = tables.pop()
    ana.do(table, "close")
    assert listed(ana).keys() == tables
    assert not refused(ana)


def test_a_table_is_listed_for_who_made_it_also_when_others_sat_down_first(base: str) -> None:
    ana, ben = Person(base), Person(base, "Ben")
    table = ana.table()
    ben.sit(table)
    assert listed(ana)[table]["names"] == ["Ben", None]
    assert (listed(ana)[table]["made_by_you"], listed(ben)[table]["made_by_you"]) == (True, False)
    ana.sit(table)
    assert listed(ana)[table]["your_seat"] == 1


def test_practice_does_not_count_and_the_longest_untouched_makes_room(base: str) -> None:
    ana, ben = Person(base), Person(base, "Ben")
    together = ana.start_with(ben, practice=KNOWN)
    tables = [ana.start("easy", practice=KNOWN) for _ in range(PRACTICE_PER_GUEST - 1)]
    ben.do(together, ben.view(together)["options"][0]["move"])
    tables += [ana.start("easy", practice=KNOWN) for _ in range(TABLES_PER_GUEST)]
    assert PRACTICE_PER_GUEST < TABLES_PER_GUEST
    open_ = [each for each in (together, *tables) if phase(ana, each) == "playing"]
    assert open_ == tables[-PRACTICE_PER_GUEST:]
    assert listed(ana) == {}
    for _ in range(TABLES_PER_GUEST):
        ana.table()
    assert refused(ana)
    ana.table(practice=KNOWN)


def test_practice_at_which_somebody_plays_stays(base: str) -> None:
    ana, ben = Person(base), Person(base, "Ben")
    together = ana.start_with(ben, practice=KNOWN)
    for number in range(2 * PRACTICE_PER_GUEST):
        ana.table(practice=KNOWN)
        ben.do(together, "undo" if number % 2 else ben.view(together)["options"][0]["move"])
    assert phase(ana, together) == "playing"


def test_what_is_practice_stays_so(base: str) -> None:
    ana = Person(base)
    for before, after in ((None, KNOWN), (KNOWN, None)):
        table = ana.table(practice=before)
        answer = ana.http.patch(f"/api/tables/{table}", json={"practice": after})
        assert "(practice)" in sentence_of(answer, "bad_settings")
        assert ana.http.patch(f"/api/tables/{table}", json={"practice": before}).status_code == 200


def test_a_table_that_was_left_to_others_does_not_count_for_ever(tmp_path: Path) -> None:
    with running(tmp_path) as base:
        ana, ben = Person(base), Person(base, "Ben")
        for number in range(TABLES_PER_GUEST):
            table = ana.table()
            for who in (ana, ben):
                who.sit(table)
            if number % 2:
                ana.do(table, "leave")
        assert refused(ana)
        ana.post("/api/test/clock", {"advance": LEFT_AFTER + 1})
        assert not refused(ana)
        assert len(listed(ana)) == TABLES_PER_GUEST // 2
        assert len(listed(ben)) == TABLES_PER_GUEST


def test_who_is_forgotten_leaves_no_table_that_waits_for_her(base: str) -> None:
    ana, ben = Person(base), Person(base, "Ben")
    empty, waits = ana.table(), ana.table()
    ben.sit(waits)
    assert ana.http.delete("/api/me").status_code == 204
    wait_until(lambda: phase(ben, empty) == "abandoned")
    assert phase(ben, waits) == "waiting"
    wait_until(lambda: ben.get(f"/api/tables/{waits}").json()["host"] == 0)
