"""Reads the fields of one choice: a server may send several replies to a request, the choices.

Servers give the message of a choice in different fields:

| choice | message |
|---|---|
| `{"message": {"content": "yes"}}` | `{"content": "yes"}` |
| `{"delta": {"content": "yes"}}`, of a stream | `{"content": "yes"}` |
| `{"text": "yes"}`, of the older API of plain completions | `{"content": "yes"}` |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def message_of_choice(fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the message of a choice; None if it has no message."""
    message = fields.get("message") or fields.get("delta")
    if not message and isinstance(fields.get("text"), str):
        return {"content": fields["text"]}
    return message if isinstance(message, dict) else None


def index_of_choice(fields: Mapping[str, Any]) -> tuple[bool, int, str]:
    """Return a key by which choices are sorted: by number, 2 before 10.

    An index may also be missing or anything else. Such choices come first, sorted as texts.
    """
    index = fields.get("index", "")
    if isinstance(index, int):
        return True, index, ""
    return False, 0, str(index)
