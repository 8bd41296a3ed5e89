"""Reads parts of decoded JSON whose structure is unknown, because endpoints may send anything."""

from __future__ import annotations

from typing import Any, Final

LENGTH_KEYWORDS: Final = frozenset({"maxItems", "maxLength", "minItems", "minLength"})
"""Keywords of a JSON schema that limit lengths. Some endpoints refuse them."""


def objects_of(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list, without its other items; an empty list for other values."""
    if not isinstance(value, list):
        return []
    return [item for item in value if isinstance(item, dict)]


def text_or_empty(value: object) -> str:
    """Return a value if it is a text, else an empty text."""
    return value if isinstance(value, str) else ""
