"""The page as an app: a manifest, a worker that keeps the shell, a friendly page offline."""

import json
import time
from io import BytesIO

from PIL import Image

from tests.web.screen import Screen
from tests.web.visitors import LOST_LINE, House

DRAWN_WITHIN = 10.0
"""Seconds."""


def test_it_can_be_installed(site: House) -> None:
    visitor = site.visit("/")
    session = visitor.context.new_cdp_session(visitor.page)
    found = session.send("Page.getAppManifest")
    assert found["errors"] == []
    manifest = json.loads(found["data"])
    assert manifest["name"]
    assert manifest["start_url"]
    assert manifest["display"] == "standalone"
    sizes = {icon["sizes"] for icon in manifest["icons"]}
    assert {"192x192", "512x512"} <= sizes
    assert any("maskable" in icon.get("purpose", "") for icon in manifest["icons"])
    for icon in manifest["icons"]:
        end = time.monotonic() + DRAWN_WITHIN
        kind = ""
        while kind != icon["type"] and time.monotonic() < end:  # one not yet drawn leads to another
            answer = visitor.context.request.get(site.base + icon["src"])
            assert answer.ok
            kind = answer.headers["content-type"]
        assert kind == icon["type"]
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert {error["errorId"] for error in errors} <= {"in-incognito"}, "contexts of tests are such"


def test_offline_it_shows_a_friendly_page(site: House) -> None:
    visitor = site.visit("/")
    page = visitor.page
    page.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    page.reload()
    visitor.watch.allow(LOST_LINE)
    visitor.context.set_offline(True)
    page.goto(site.base + "/lobby")
    page.get_by_role("heading", name=Screen(page).say("page.offline"), level=1).wait_for()
    visitor.context.set_offline(False)


def test_a_link_has_its_preview(site: House) -> None:
    table = site.person("Ben").start("easy")
    visitor = site.visit(f"/t/{table}")
    address = visitor.page.locator("meta[property='og:image']").get_attribute("content")
    assert address is not None
    answer = visitor.context.request.get(address)
    assert answer.ok
    image = Image.open(BytesIO(answer.body()))
    assert image.size == (1200, 630)
