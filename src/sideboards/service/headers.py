"""The headers that keep browsers safe, on every response; and the language that they ask for."""

from sideboards.words import LANGUAGES

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; manifest-src 'self'; font-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "x-frame-options": "DENY",
}
"""What every response carries, unless its route says otherwise."""


def wanted_language(header: str) -> str | None:
    """The language that an ``Accept-Language`` header prefers among the five.

    >>> wanted_language("nl, fr-CH;q=0.8, de;q=0.9"), wanted_language("*")
    ('de', None)
    """
    best: tuple[float, str] | None = None
    for part in header[:200].split(","):
        name, _, weight = part.partition(";")
        code = name.strip().lower()[:2]
        try:
            share = float(weight.strip().removeprefix("q=")) if weight else 1.0
        except ValueError:
            continue
        if code in LANGUAGES and 0 < share <= 1 and (best is None or share > best[0]):
            best = (share, code)
    return best[1] if best else None
