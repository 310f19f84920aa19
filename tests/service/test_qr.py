"""The address of a server, and the link of a table as a picture for cameras."""

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import httpx
import pytest
import segno

from sideboards import load_edition
from sideboards.client import Client
from sideboards.service.server import address_of, listen
from sideboards.service.shell import shell
from tests.service.rest import browser, running

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running(tmp_path_factory.mktemp("qr")) as address:
        yield address


def test_the_picture_says_the_link_as_the_browser_knows_the_server(base: str) -> None:
    answer = browser(base).get("/t/4f7k2m9q/qr.svg")
    assert answer.headers["content-type"] == "image/svg+xml"
    root = ET.fromstring(answer.content)  # noqa: S314 (our own answer)
    expected = segno.make_qr(f"{base}/t/4f7k2m9q", error="m")
    across = expected.symbol_size(border=2)[0]
    assert root.get("viewBox") == f"0 0 {across} {across}"
    other = segno.make_qr(f"{base}/t/4f7k2m9r", error="m")
    drawn = root.findall("{http://www.w3.org/2000/svg}path")[-1].get("d")
    assert drawn == path_of(expected) != path_of(other)


def path_of(code: segno.QRCode) -> str | None:
    root = ET.fromstring(code.svg_inline(border=2))  # noqa: S314 (made here)
    return root.findall("path")[-1].get("d")


@pytest.mark.parametrize("table", ["a-b", "a%20b", "ä", "x" * 41])
def test_what_is_no_table_has_no_picture(base: str, table: str) -> None:
    assert browser(base).get(f"/t/{table}/qr.svg").status_code == 404


@pytest.mark.parametrize(
    ("host", "here", "room"),
    [
        ("127.0.0.1", "http://127.0.0.1:{0}", None),
        ("127.0.0.2", "http://127.0.0.2:{0}", "http://127.0.0.2:{0}"),
        ("::1", "http://[::1]:{0}", None),
    ],
)
def test_the_printed_address_is_one_that_is_listened_on(
    host: str, here: str, room: str | None
) -> None:
    with listen(host, 0) as listening:
        port = listening.getsockname()[1]
        address = address_of(listening, host)
        assert (address.here, address.room) == (here.format(port), room and room.format(port))
        with socket.create_connection((host, port), timeout=5):
            pass


def test_programs_on_the_servers_machine_know_the_address_for_others(tmp_path: Path) -> None:
    """As the page does: asked for here, the link has the address of the network."""

    async def links(room: str) -> tuple[str, str]:
        here = room.replace("127.0.0.2", "127.0.0.1")
        headers = {"Host": here.removeprefix("http://")}
        async with httpx.AsyncClient(base_url=room, headers=headers) as connections:
            host = Client(here, connections=connections)
            return await host.link_for_others("4f7k2m9q"), host.link("4f7k2m9q")

    with running(tmp_path, host="127.0.0.2", test_mode=False, bot_beat=600) as room:
        link, own = asyncio.run(links(room))
        assert link == f"{room}/t/4f7k2m9q" != own
        assert browser(room).get("/api/limits").json()["address"] == room


def test_the_page_knows_the_address_for_others() -> None:
    found = shell("de", load_edition(), (), "http://192.0.2.7:8000")
    assert found is not None
    assert b'"room":"http://192.0.2.7:8000"' in found.after
