import ast
import pickle
import re
from collections import defaultdict
from pathlib import Path

import pytest

import sideboards
from sideboards.core.refusal import Refusal
from sideboards.service.api_tables import MOVES
from sideboards.service.protocol import PHRASES
from sideboards.service.refusals import CODES, RULES, ServiceRefusal, status
from sideboards.words import LANGUAGES, words
from tests.service.rest import told

SOURCE = Path(sideboards.__file__).parent
WITH_PLACE = {"bad_settings", "bad_value"}


def raised() -> set[str]:
    """The codes that appear in the source of the service."""
    source = "".join(path.read_text() for path in (SOURCE / "service").rglob("*.py"))
    return set(re.findall(r'ServiceRefusal\(\s*"(\w+)"', source))


def test_every_code_that_is_raised_is_in_the_list() -> None:
    assert {"bad_name", "who_are_you", "not_your_seat", "wrong_transfer"} <= raised()
    assert raised() <= set(CODES)


def codes_of(function: ast.AST) -> set[str]:
    """The codes with which a function itself refuses."""
    found = set[str]()
    for call in ast.walk(function):
        if isinstance(call, ast.Call) and ast.unparse(call.func) in (
            "ServiceRefusal",
            "IllegalMove",
        ):
            code = call.args[0]
            choices = [code.body, code.orelse] if isinstance(code, ast.IfExp) else [code]
            found |= {str(each.value) for each in choices if isinstance(each, ast.Constant)}
    return found


def called_by(function: ast.AST) -> set[str]:
    """The names of what a function calls, or hands on to be called."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    named = [each for call in calls for each in (call.func, *call.args)]
    return {ast.unparse(each).rpartition(".")[2] for each in named}


def refused_from(begin: str) -> set[str]:
    """The codes with which a table may refuse, from one of its functions on to all it calls."""
    functions = defaultdict[str, list[ast.AST]](list)
    for module in ("room", "terms", "table", "croupier", "errands"):
        for node in ast.walk(ast.parse((SOURCE / "service" / f"{module}.py").read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                functions[node.name].append(node)
    codes, reached, ahead = set[str](), set[str](), {begin}
    while ahead:
        reached |= ahead
        bodies = [body for name in ahead for body in functions[name]]
        codes = codes.union(*map(codes_of, bodies))
        ahead = set[str]().union(*map(called_by, bodies)) & functions.keys() - reached
    return codes


@pytest.mark.parametrize(
    ("begin", "method", "path", "some"),
    [
        ("run", "POST", "/api/tables/{table}/actions", {"round_over", "nobody_left", "not_away"}),
        ("ask_sit", "POST", "/api/tables/{table}/seats", {"sent_away", "already_seated"}),
        ("ask_settings", "PATCH", "/api/tables/{table}", {"bad_settings", "not_host"}),
    ],
)
def test_a_route_tells_of_every_code_with_which_a_table_may_refuse(
    begin: str, method: str, path: str, some: set[str]
) -> None:
    found = refused_from(begin)
    assert some <= found
    assert found <= told()[method, path]


def test_the_route_of_actions_tells_of_every_move_that_the_rules_forbid() -> None:
    source = (SOURCE / "core" / "game.py").read_text()
    forbidden = set(re.findall(r'_forbid\(\s*"(\w+)"', source))
    assert "sealed" in forbidden
    assert forbidden <= set(MOVES) <= told()["POST", "/api/tables/{table}/actions"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_short_sentence_in_every_language(code: str, language: str) -> None:
    places = {"where": "$.seats"} if code in WITH_PLACE else {}
    sentence = ServiceRefusal(code, **places).sentence(language)
    assert 20 <= len(sentence) <= 140
    assert sentence[0].isupper() or sentence[0] == "À"
    assert sentence.endswith(".")
    assert not re.search(r"[\x00-\x1f{}]", sentence)
    assert ("$.seats" in sentence) is (code in WITH_PLACE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_codes_say_the_same(language: str) -> None:
    texts = [words(language).texts[f"refusal.{code}"] for code in CODES]
    assert len(set(map(str, texts))) == len(CODES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_phrases_and_notices_are_spoken(language: str) -> None:
    spoken = words(language)
    assert all(len(spoken(f"phrase.{phrase}")) <= 40 for phrase in PHRASES)
    for code in ("bot_replaced", "timeout", "sitting_in"):
        assert "Ana {x}" in spoken(f"notice.{code}", name="Ana {x}")
    assert spoken("notice.reshuffled")


def test_a_refusal_reads_in_english_and_travels_between_processes() -> None:
    refusal = ServiceRefusal("bad_value", where="language")
    assert isinstance(refusal, Refusal)
    assert str(refusal) == "One value is not possible (language). Change it and try again."
    again = pickle.loads(pickle.dumps(refusal))  # noqa: S301 (our own bytes)
    assert (again.code, str(again), again.sentence("de")) == (
        "bad_value",
        str(refusal),
        refusal.sentence("de"),
    )


def test_statuses() -> None:
    assert all(400 <= number < 600 for number in CODES.values())
    assert status("who_are_you") == 401
    assert status("not_in_hand") == RULES == 409


def test_a_code_of_the_service_is_none_of_the_rules() -> None:
    source = (SOURCE / "core" / "game.py").read_text()
    assert not set(re.findall(r'_forbid\(\s*"(\w+)"', source)) & set(CODES)
