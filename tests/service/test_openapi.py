"""The description of the interface: complete, valid, and kept by a real server."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from sideboards.service.refusals import status
from tests.service.rest import Person, browser, running

pytestmark = pytest.mark.long
PLENTY = 1_000_000
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "unsupported_method",
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("openapi")
    with running(folder, guests_per_hour=PLENTY, requests_per_minute=PLENTY) as address:
        yield address


@pytest.fixture(scope="module")
def document(base: str) -> Any:  # noqa: ANN401 (JSON)
    return browser(base).get("/openapi.json").json()


def operations(document: Any) -> list[tuple[str, str, Any]]:  # noqa: ANN401 (JSON)
    return [
        (path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]


def references(node: object) -> set[str]:
    """The names of all schemas that are referred to."""
    if isinstance(node, dict):
        own = {node["$ref"].rpartition("/")[2]} if isinstance(node.get("$ref"), str) else set()
        return own.union(*(references(value) for value in node.values()))
    if isinstance(node, list):
        return set[str]().union(*map(references, node))
    return set()


def test_every_operation_is_described_and_says_how_it_is_refused(document: Any) -> None:  # noqa: ANN401
    found = operations(document)
    assert len(found) >= 30
    assert len({operation["operationId"] for _, _, operation in found}) == len(found)
    for path, method, operation in found:
        assert 3 <= len(operation["summary"]) <= 60, path
        assert operation["description"].endswith("."), path
        assert {"429", "500", "503"} <= operation["responses"].keys()
        if "requestBody" in operation:
            assert "not_json" in operation["responses"]["400"]["description"], path
        if method != "get":
            assert "foreign_origin" in operation["responses"]["403"]["description"], path
        for number, response in operation["responses"].items():
            for code in re.findall(r"^`(\w+)`: ", response["description"], re.MULTILINE):
                assert status(code) == int(number)


def test_all_schemas_are_there_and_valid(document: Any) -> None:  # noqa: ANN401 (JSON)
    schemas = document["components"]["schemas"]
    assert references(document) <= schemas.keys()
    for schema in schemas.values():
        assert jsonschema_rs.meta.is_valid(schema)
        assert schema["description"]
    assert schemas["Settings"]["additionalProperties"] is False
    assert schemas["Deed"]["properties"]["key"]["pattern"]


def test_answers_are_what_the_description_says(base: str, document: Any) -> None:  # noqa: ANN401
    ana = Person(base)
    table = ana.start("greedy")
    own = f"/api/tables/{table}"
    asked = [("/api/tables/{table}/view", f"{own}/view"), ("/api/tables/{table}", own)]
    seen = [(template, ana.get(path)) for template, path in asked]
    ana.finish(table)
    asked += [
        *((f"/api/tables/{{table}}/{end}", f"{own}/{end}") for end in ("proof", "replay", "score")),
        *((path, path) for path in ("/api/me/tables", "/api/bots", "/api/limits", "/api/me")),
    ]
    seen += [(template, ana.get(path)) for template, path in asked]
    for template, answer in seen:
        assert answer.status_code == 200, answer.text
        said = document["paths"][template]["get"]["responses"]["200"]
        schema = said["content"]["application/json"]["schema"]
        whole = {**schema, "components": document["components"]}
        jsonschema_rs.Draft202012Validator(whole).validate(answer.json())


def test_the_server_keeps_to_it_whatever_is_sent(base: str, document: Any, tmp_path: Path) -> None:  # noqa: ANN401
    ana = Person(base)
    program = Path(sys.executable).with_name("schemathesis")
    done = subprocess.run(
        [
            str(program), "run", f"{base}/openapi.json",
            "--header", f"Authorization: Bearer {ana.token}",
            "--checks", ",".join(CHECKS),
            "--phases", "coverage,fuzzing",
            "--max-examples", "10",
            "--max-response-time", "1.5",
            "--exclude-operation-id", "DeleteMe",
            "--generation-deterministic", "--no-color",
        ],
        capture_output=True,
        cwd=tmp_path,
        text=True,
        timeout=240,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
    all_but_one = len(operations(document)) - 1
    assert f"Tested: {all_but_one}\n" in done.stdout
    assert int(re.findall(r"(\d+) generated", done.stdout)[0]) >= 20 * all_but_one
