"""One browser and one server for all tests of a worker; every visit is watched."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from scripts.chromium import build, launched
from tests.service.live import Server, serving
from tests.web.visitors import House


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test with a real browser takes seconds."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.long)


# Scope "package": Playwright keeps a running loop, which other tests of the worker must not meet.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    build()
    with launched() as running:
        yield running


@pytest.fixture(scope="package")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    build()
    with serving(tmp_path_factory.mktemp("web") / "games.db") as server:
        yield server


@pytest.fixture
def site(browser: Browser, shared_server: Server) -> Iterator[House]:
    """The server that all tests share; nobody moves its clock."""
    yield from _house(browser, shared_server)


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server for one test alone, which may move its clock or stop it."""
    build()
    with serving(tmp_path / "games.db") as server:
        yield server


@pytest.fixture
def own_site(browser: Browser, own_server: Server) -> Iterator[House]:
    """A site for one test alone."""
    yield from _house(browser, own_server)


def _house(browser: Browser, server: Server) -> Iterator[House]:
    house = House(browser, server.here)
    try:
        yield house
    finally:
        problems = house.close()
    assert problems == []
