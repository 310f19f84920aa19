"""Every page as a browser gets it: nothing foreign, nothing wrong, in five languages."""

import pytest

from sideboards.words import LANGUAGES
from tests.web.visitors import House

PAGES = ("/", "/lobby", "/rules")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_speaks_the_language_of_the_browser(site: House, language: str) -> None:
    for path in PAGES:
        visitor = site.visit(path, language=language)
        assert visitor.page.locator("html").get_attribute("lang") == language
        visitor.page.get_by_role("main").first.wait_for()


def test_somebody_new_watches_a_table(site: House) -> None:
    table = site.person("Ben").start("easy")
    visitor = site.visit(f"/t/{table}")
    visitor.page.get_by_role("main").first.wait_for()


def test_a_seat_comes_back(site: House) -> None:
    visitor = site.visit()
    visitor.dealt("easy")
    visitor.page.get_by_role("main").first.wait_for()
