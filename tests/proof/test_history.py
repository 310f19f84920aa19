"""The checker of histories: finds every kind of fault, and none where there is none."""

from pathlib import Path

import pytest

from proof import stops
from proof.history import Answer, Heard, History, Kind, Operation, Stored, faults, judge, truths

HISTORIES = sorted((Path(__file__).parent / "histories").glob("*.json"))
MOVES = ("12,40~", "7,9")


def log(*events: tuple[int, str, str]) -> list[Stored]:
    """A log of a table for two: the deal, then what is given as seat, action, key."""
    begin = [(-1, "create {}", ""), (0, "start", "0.0.0.aaaa"), (-1, "deal", "")]
    return [Stored(n, *event) for n, event in enumerate([*begin, *events])]


def asked(seat: int, key: str, action: str, *types: str, sent: int = 1) -> Operation:
    answers = [Answer(2.0, "ack" if t == "ack" else "refused", 2, t) for t in types]
    return Operation("T", seat, key, action, [1.0] * sent, answers)


def heard(seat: int | None, seq: int, chosen: str | None, sealed: str, **other: object) -> Heard:
    """What a seat heard after an event; `sealed` is a sign per seat, `x` for who has chosen."""
    marks = tuple(sign == "x" for sign in sealed)
    facts: dict[str, object] = {
        "at": float(seq),
        "table": "T",
        "seat": seat,
        "seq": seq,
        "round": 0,
        "hash": f"view {seat} {seq}",
        "public": f"public {seq}",
        "sealed": marks,
        "boards": ("", ""),
        "choice": chosen,
    }
    return Heard(**facts | other)  # type: ignore[arg-type]


def clean() -> History:
    """Both choose, one changes her mind, one repeats a request; then the round closes."""
    first, second = MOVES
    return History(
        operations=[
            asked(0, "0.1.aaaa", first, "ack"),
            asked(0, "0.2.aaaa", "undo", "ack", sent=2),
            asked(0, "0.3.aaaa", second, sent=1),
            asked(0, "0.4.aaaa", first, "ack", "ack", sent=3),
            asked(1, "0.1.bbbb", second, "cannot_save", "ack", sent=2),
            asked(1, "0.2.bbbb", "undo", "round_closed"),
            asked(1, "0.3.bbbb", first),
        ],
        heard=[
            heard(0, 1, None, "--"),
            heard(1, 1, None, "--"),
            heard(0, 2, first, "x-"),
            heard(1, 2, None, "x-"),
            heard(0, 3, None, "--"),
            heard(0, 4, first, "x-"),
            heard(0, 4, first, "x-"),
            heard(None, 4, None, "x-"),
            heard(1, 5, None, "--", round=1, boards=("a", "b")),
            heard(0, 5, None, "--", round=1, boards=("a", "b")),
        ],
        logs={
            "T": log(
                (0, first, "0.0.1.aaaa"),
                (0, "undo", "0.0.2.aaaa"),
                (0, first, "0.0.4.aaaa"),
                (1, second, "1.0.1.bbbb"),
            )
        },
    )


def kinds(history: History) -> set[Kind]:
    return {fault.kind for fault in faults(history)}


def test_a_clean_history_has_no_fault() -> None:
    assert faults(clean()) == []


def test_what_is_in_doubt_may_be_stored_or_not() -> None:
    history = clean()
    history.operations[3].answers.clear()
    history.operations[4].answers.clear()
    assert faults(history) == []


def test_acknowledged_and_not_stored_is_lost() -> None:
    history = clean()
    history.operations[2].answers.append(Answer(3.0, "ack", 4))
    assert kinds(history) == {"lost"}


def test_lost_at_the_end_of_the_log_is_also_told_by_those_who_heard_of_it() -> None:
    history = clean()
    history.logs["T"].pop()
    assert kinds(history) == {"lost", "changed after seen"}
    assert any("heard 5 events; 4 are stored" in str(fault) for fault in faults(history))


def test_a_key_that_is_stored_twice_is_a_duplicate() -> None:
    history = clean()
    history.logs["T"].append(Stored(7, 1, MOVES[1], "1.0.1.bbbb"))
    assert kinds(history) == {"duplicated"}


def test_an_action_that_is_stored_without_its_key_is_a_duplicate() -> None:
    history = clean()
    history.logs["T"].append(Stored(7, 1, MOVES[1], ""))
    assert kinds(history) == {"duplicated"}


def test_in_doubt_but_twice_is_a_duplicate() -> None:
    history = clean()
    history.logs["T"] += [Stored(n, 1, MOVES[0], "1.0.3.bbbb") for n in (7, 8)]
    assert "duplicated" in kinds(history)


def test_what_follows_from_the_deal_alone_needs_nobody_who_asked() -> None:
    history = clean()
    history.logs["T"].append(Stored(7, -1, "abandon", ""))
    assert faults(history) == []


@pytest.mark.parametrize(
    "late",
    [
        heard(0, 4, MOVES[0], "x-"),  # the number of events falls
        heard(1, 5, None, "--", round=1, boards=("a", "b"), hash="other"),
        heard(1, 5, None, "--", round=1, boards=("a", "c")),
        heard(1, 5, MOVES[1], "--", round=1, boards=("a", "b")),  # a choice that is not stored
        heard(1, 5, None, "x-", round=1, boards=("a", "b")),
        heard(1, 5, None, "--", round=0, boards=("", "")),
        heard(1, 6, None, "x-", round=1, boards=("a", "b")),  # an event that is not stored
    ],
)
def test_what_was_told_and_is_no_longer_so_has_changed(late: Heard) -> None:
    history = clean()
    history.heard.append(late)
    assert kinds(history) == {"changed after seen"}


def test_an_own_choice_that_is_stored_otherwise_has_changed() -> None:
    history = clean()
    history.heard[5:7] = [heard(0, 4, MOVES[1], "x-")]
    assert kinds(history) == {"changed after seen"}


def test_stored_as_something_else_or_after_a_refusal_has_changed() -> None:
    history = clean()
    history.operations[0].action = MOVES[1]
    assert kinds(history) == {"changed after seen"}
    history = clean()
    history.operations[0].answers = [Answer(2.0, "refused", 2, "sealed")]
    assert kinds(history) == {"changed after seen"}


def test_acknowledged_and_later_refused_has_changed() -> None:
    history = clean()
    history.operations[3].answers.append(Answer(4.0, "refused", 5, "sealed"))
    assert kinds(history) == {"changed after seen"}
    history.operations[3].answers[-1] = Answer(4.0, "refused", 5, "busy")  # is no verdict
    assert faults(history) == []


@pytest.mark.parametrize(
    "late",
    [
        heard(0, 5, None, "--", round=1, boards=("a", "c"), hash="view 0 5"),
        heard(0, 5, None, "--", round=1, boards=("a", "b"), public="other"),
    ],
)
def test_two_clients_who_hear_different_things_are_a_fork(late: Heard) -> None:
    history = clean()
    history.heard[-1] = late
    assert kinds(history) == {"forked"}


@pytest.mark.parametrize("position", [5, 7])
def test_positions_with_doubles_or_gaps_are_a_fork(position: int) -> None:
    history = clean()
    last = history.logs["T"].pop()
    history.logs["T"].append(Stored(position, last.seat, last.action, last.key))
    assert kinds(history) == {"forked"}


def test_what_a_scanner_found_is_a_leak() -> None:
    history = clean()
    history.leaks.append("seat 0 at table T heard of card 33, which it cannot know")
    assert kinds(history) == {"leaked"}


def test_the_truth_of_a_log_is_who_has_chosen_what_in_which_round() -> None:
    events = log((0, "12,40~", "a"), (0, "undo", "b"), (1, "7,9", "c"), (0, "1,2", "d"))
    events += [Stored(7, 1, "swap", "e"), Stored(8, 1, "L17~", "f"), Stored(9, 0, "vote 1", "g")]
    assert [(truth.round, truth.choices) for truth in truths(events, 2)] == [
        (0, (None, None)),
        (0, ("12,40~", None)),
        (0, (None, None)),
        (0, (None, "7,9")),
        (1, (None, None)),
        (1, (None, None)),
        (1, (None, "L17~")),
        (1, (None, "L17~")),
    ]


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where histories are kept meanwhile."""
    monkeypatch.setattr("proof.history.FAILURES", tmp_path / "kept")
    return tmp_path / "kept"


def test_a_history_is_saved_and_read_again(kept: Path) -> None:
    history = clean()
    assert judge(history, "clean", keep=True) == ()
    history.leaks.append("a card")
    said = judge(history, "bad", keep=True)
    assert said == ("leaked: a card", "the history is in kept/bad.json")
    assert History.load(kept / "bad.json") == history
    assert [path.name for path in kept.iterdir()] == ["bad.json"]


def test_a_kept_history_is_an_example_as_it_is(kept: Path) -> None:
    history = clean()
    history.logs["T"].pop()
    judge(history, "bad", keep=True)
    found = History.load(kept / "bad.json")
    assert set(found.expected) == {"lost", "changed after seen"} == kinds(found)


def test_a_history_is_also_kept_for_what_it_does_not_show_itself(kept: Path) -> None:
    others = ["differs: seat 0 at table T has another view than the server"]
    said = judge(clean(), "other", keep=True, others=others)
    assert said == (*others, "the history is in kept/other.json")
    found = History.load(kept / "other.json")
    assert (found.beside, found.expected, kinds(found)) == (others, [], set())
    assert judge(clean(), "unkept", keep=False, others=others) == tuple(others)
    assert [path.name for path in kept.iterdir()] == ["other.json"]


@pytest.mark.long
def test_a_goal_keeps_the_history_of_a_run_that_failed(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stops, "STOPPED_WITHIN", -60.0)  # no server can do that
    outcome = stops.run(tmp_path, 1, 7)
    slow, where = outcome.faults
    assert where == "the history is in kept/stops-7.json"
    found = History.load(kept / "stops-7.json")
    assert found.beside == [slow]
    assert found.operations
    assert found.logs
    assert kinds(found) == set(found.expected)


def test_there_is_an_example_of_every_kind() -> None:
    kinds_there = {kind for path in HISTORIES for kind in History.load(path).expected}
    assert kinds_there == {"lost", "duplicated", "changed after seen", "forked", "leaked"}
    assert any(not History.load(path).expected for path in HISTORIES)


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: path.stem)
def test_a_kept_history_has_the_faults_that_it_names(path: Path) -> None:
    history = History.load(path)
    assert kinds(history) == set(history.expected)
