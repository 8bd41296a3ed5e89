"""Reads the JSON object of a reply that is no script: the whole text, or the first object that stands in it."""

from __future__ import annotations

import json
from typing import Any

from agent.reply.object_finder import LONGEST, objects_in
from agent.reply.thoughts import without_thoughts


def object_of(text: str) -> dict[str, Any] | None:
    """Return the object; a list counts as the object `{"calls": [...]}`. None if there is none that can be read."""
    said = without_thoughts(text[:LONGEST]).strip()
    try:
        value = json.loads(said, strict=False)
    except (ValueError, RecursionError):
        return next((each.value for each in objects_in(said) if each.value is not None), None)
    if isinstance(value, list):
        return {"calls": value}
    return value if isinstance(value, dict) else None
