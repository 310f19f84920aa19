"""What the tests of the client share: a real server that none of them harms."""

from collections.abc import Iterator

import pytest

from tests.client.serving import Server, serving


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server process for all tests of this process; nothing may have failed in it."""
    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running
        assert "Traceback" not in running.log
