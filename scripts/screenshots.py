"""Renew the pictures of the README from the running product: `make screenshots`."""

import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser

from bench.hosts import Server
from scripts.chromium import ROOT, build, launched
from tests.web.phases import PHASES
from tests.web.visitors import House

FOLDER = ROOT / "docs/pictures"
PHONE, DESKTOP = (360, 640), (1440, 900)
MOST = 150_000
"""Bytes of a picture."""
SHOTS = {
    "landing-phone": ("landing", PHONE, "light"),
    "play-phone": ("choosing", PHONE, "light"),
    "play-desktop": ("choosing", DESKTOP, "light"),
    "play-dark": ("choosing", DESKTOP, "dark"),
    "waiting-phone": ("waiting", PHONE, "light"),
    "scoring-phone": ("scoring", PHONE, "light"),
    "scoring-desktop": ("scoring", DESKTOP, "light"),
    "solo-phone": ("solo-end", PHONE, "dark"),
}


def shot(browser: Browser, base: str, phase: str, size: tuple[int, int], theme: str) -> bytes:
    """A phase as a PNG with few colors; phones in twice the resolution."""
    house = House(browser, base)
    visitor = house.visit(
        size=size,
        theme=theme,
        touch=size == PHONE,
        sharp=2 if size == PHONE else 1,
        knowsRules=phase != "landing",
    )
    PHASES[phase](visitor)
    image = Image.open(BytesIO(visitor.page.screenshot(animations="disabled", caret="hide")))
    house.close()
    return small(image.convert("RGB"))


def small(image: Image.Image) -> bytes:
    """A picture as a PNG with as many colors as there is room for."""
    for colors in (256, 192, 128, 96, 64, 48, 32):
        out = BytesIO()
        image.quantize(colors, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
        if out.tell() < MOST:
            break
    return out.getvalue()


def main() -> None:
    """Take all."""
    build()
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        launched() as browser,
        Server(Path(folder) / "games.db", "--bot-beat", "0") as server,
    ):
        for name, (phase, size, theme) in SHOTS.items():
            data = shot(browser, f"http://127.0.0.1:{server.port}", phase, size, theme)
            (FOLDER / f"{name}.png").write_bytes(data)
            print(f"docs/pictures/{name}.png  {len(data) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
