"""Reads the fields at the top of a text, as many Markdown files have them.

    ---
    Title: Parking
    Valid until: 2031-06-30
    ---
    Cars stand behind the house.

-> `{"title": "Parking", "valid until": "2031-06-30"}`
"""

from __future__ import annotations

from typing import Final

MAX_FRONT_MATTER_LINES: Final = 60
"""The fields at the top of a text must end within this many lines."""


def front_matter(text: str) -> dict[str, str]:
    """Return the fields at the top of a text, by their keys in lower case; empty if it has none."""
    lines = text.splitlines()[:MAX_FRONT_MATTER_LINES]
    if not lines or lines[0].strip() != "---":
        return {}
    fields: dict[str, str] = {}
    for line in lines[1:]:
        if line.strip() == "---":
            return fields
        key, colon, value = line.partition(":")
        if colon:
            fields[key.strip().casefold()] = value.strip().strip("'\"")
    return {}
