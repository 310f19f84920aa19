"""A real browser for tests, the bench and screenshots: Chromium as the system has it."""

import fcntl
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from sideboards.core.refusal import Refusal

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
STATIC = ROOT / "src/sideboards/service/static"
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""First the one without a window of its own: the others draw theirs too, though nobody sees it."""
ARGUMENTS = ("--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb")
BUILD_LIMIT = 300


def program(*names: str) -> str:
    """The path of the first program that is installed, or a sentence that names what to install."""
    for name in names:
        if found := shutil.which(name):
            return found
    raise Refusal(f"{names[0]}: not found on this system; expected it for tests of the screens")


def build() -> None:
    """Build the browser client unless it is built from the present sources; once at a time."""
    with (WEB / "package.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(  # noqa: S603 (our own build)
            [ROOT / "scripts/web"], capture_output=True, text=True, timeout=BUILD_LIMIT, check=False
        )
    if done.returncode:
        raise Refusal(f"web: the build failed: {done.stdout}{done.stderr}")


@contextmanager
def launched(*arguments: str, pause: float = 0) -> Iterator[Browser]:
    """A running browser, ended with the block; `pause`: milliseconds between two deeds."""
    path = program(*NAMES)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=[*ARGUMENTS, *arguments], timeout=60_000, slow_mo=pause
        )
        try:
            yield browser
        finally:
            browser.close()
