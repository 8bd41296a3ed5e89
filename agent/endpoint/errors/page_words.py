"""The words of an HTML page, which servers in front of an endpoint send as an error.

`<html><title>502 Bad Gateway</title><body>...</body></html>` -> `502 Bad Gateway`
"""

from __future__ import annotations

from typing import Final

import re2

TITLE: Final = re2.compile(r"(?is)<title[^>]*>(.*?)</title>")
MARKUP: Final = re2.compile(r"(?is)<style\b.*?</style>|<script\b.*?</script>|<[^>]*>")
"""Matches what is not text in an HTML page: tags, and whole styles and scripts."""


def without_markup(text: str) -> str:
    """Return a text; of an HTML page only its title or, without one, its words."""
    is_page = text.startswith("<")
    if not is_page:
        return text
    title = TITLE.search(text)
    if title is not None:
        return str(title[1])
    return str(MARKUP.sub(" ", text))
