"""Parses texts that are JSON. Numbers stay texts, as they are written.

A later call may have the number from the text, and the two are compared as texts:

    parsed_json("[7, 1.50]")   -> ["7", "1.50"]
    parsed_json("Dear Ann")    -> None
"""

from __future__ import annotations

import json
from typing import Final

_JSON_BEGINNINGS: Final = ("{", "[", '"', "-", *"0123456789")
"""How an object, a list, a text and a number begin."""


def parsed_json(text: str) -> object:
    """Return the value of a JSON text; None if a text is not JSON, or is nested too deeply."""
    if not text.lstrip().startswith(_JSON_BEGINNINGS):
        return None
    try:
        return json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
