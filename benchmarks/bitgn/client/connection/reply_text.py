"""The text of a reply: parsed as JSON, or shortened for an error that shows it.

Replies come from outside, so one that has too many parts is not parsed, and an error
shows only the beginning of the page that a wrong address sent: `: 404 Not Found nginx`.
"""

from __future__ import annotations

import re
from typing import Final

from controlplane.sandbox.interface import Plain
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

MAX_PARTS: Final = 1_000_000
"""The most objects and lists in a reply. `[]` has two bytes in a reply, but 56 in memory."""
MAX_EXCERPT_CHARS: Final = 120
"""The most characters of an unreadable reply that an error shows."""


def parsed_json(content: bytes) -> Plain:
    """Return the parsed JSON; None if it is invalid or has too many parts."""
    if content.count(b"{") + content.count(b"[") > MAX_PARTS:
        return None
    try:
        document: Plain = read_json(content)
    except Unreadable:
        return None
    return document


def excerpt_of(content: bytes) -> str:
    """Return `: ` and the beginning of a reply's text without HTML tags; empty if there is none."""
    beginning = content[:2000].decode(errors="replace")
    without_tags = re.sub(r"<[^>]*>|\s+", " ", beginning)
    text = " ".join(without_tags.split())[:MAX_EXCERPT_CHARS]
    return f": {text}" if text else ""
