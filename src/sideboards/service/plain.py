"""A page without a program: where the browser client was not built, and without a connection."""

from html import escape

_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="/page.css">
{head}</head>
<body>
{body}</body>
</html>
"""


def plain_page(language: str, title: str, head: str, body: str) -> str:
    """The page with more lines of its head, and its body; both are HTML, the title is not."""
    return _PAGE.format(language=language, title=escape(title), head=head, body=body)
