import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sideboards.core.refusal import Refusal
from sideboards.core.strict import Node, read_json

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(plain)
def test_plain_json_is_read_as_python_reads_it(value: object) -> None:
    assert read_json(json.dumps(value).encode()).value == value


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "line 1, column 1: this is not JSON (Expecting value)"),
        (b'{"a": [1,\n 2', "line 2, column 3: this is not JSON"),
        (b"\xff\xfe", "line 1: byte 0 is not UTF-8"),
        (b'{"a":\n"\xe9"}', "line 2: byte 7 is not UTF-8"),
        (b"[NaN]", "[0]: found NaN; expected plain JSON"),
        (b"[-Infinity]", "[0]: found -Infinity; expected"),
        (b'{"a": 1, "a": 2}', 'the document: found the field "a" twice in one object'),
        (b'{"a": [{}, {"b": 1, "b": 2}]}', 'a[1]: found the field "b" twice in one object'),
        (b'{"a": {"b": NaN}}', "a.b: found NaN"),
        (b"[" * 100_000, "nested too deeply"),
        (b"9" * 5_000, "a number is far too long"),
        (b" " * 1_000_001, "1000001 bytes"),
    ],
)
def test_what_is_not_plain_json_is_refused_with_its_place(data: bytes, sentence: str) -> None:
    with pytest.raises(Refusal, match="; expected ") as refusal:
        read_json(data)
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ('{"a":', "}")])
def test_nesting_of_any_depth_is_read_or_refused(opened: str, closed: str) -> None:
    """Versions of Python give up at different depths, in different places."""
    for depth in [*range(950, 1020), 2_000, 5_000, 9_000, 20_000, 100_000]:
        try:
            read_json((opened * depth + "1" + closed * depth).encode())
        except Refusal as refusal:
            assert "nested too deeply" in str(refusal)  # noqa: PT017 (shallow ones are read)


def test_the_place_of_a_fault_cannot_disturb_a_screen() -> None:
    with pytest.raises(Refusal) as refusal:
        read_json(b'{"\\u001b[2J": NaN}')
    assert str(refusal.value).isprintable()


def test_many_fields_are_no_trouble() -> None:
    fields = ",".join(f'"k{i}":1' for i in range(80_000))
    begin = time.process_time()
    with pytest.raises(Refusal, match='found the field "k0" twice'):
        read_json(f'{{{fields},"k0":1}}'.encode())
    assert time.process_time() - begin < 5


def test_a_byte_order_mark_is_no_fault() -> None:
    assert read_json(b"\xef\xbb\xbf[1]").value == [1]


@pytest.mark.parametrize("value", [True, 1.0, "1", None, 0, 8, 10**30, [], {}])
def test_a_whole_number_is_no_truth_no_text_and_within_its_bounds(value: object) -> None:
    with pytest.raises(Refusal, match="expected a whole number from 1 to 7"):
        Node(value, "here").whole(1, 7)


@pytest.mark.parametrize(
    "value", ["", "  ", "a\nb", "\x1b[31m", "\ud800", "x\u202ey", "\u200d", "a" * 25, 7]
)
def test_a_line_of_text_cannot_disturb_a_screen(value: object) -> None:
    with pytest.raises(Refusal) as refusal:
        Node(value, "name").line(24)
    assert str(refusal.value).isascii() or "…" in str(refusal.value)
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize(
    "name", ["Ana", "Žofie", "李", "a b", "👩\u200d👧", "می\u200cخواهم", "x" * 24]
)
def test_a_line_of_text_may_be_in_any_script(name: str) -> None:
    assert Node(name, "name").line(24) == name
