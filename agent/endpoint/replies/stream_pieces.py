"""Joins the pieces of a stream: `{"content": "Hel"}` and `{"content": "lo"}` become one.

| whole | piece | the whole becomes |
|---|---|---|
| `{"content": "Hel"}` | `{"content": "lo"}` | `{"content": "Hello"}` |
| `{"delta": {"name": "a"}}` | `{"delta": {"name": "b"}}` | `{"delta": {"name": "ab"}}` |
| a choice, or a call, with the index 0 | another one with the index 0 | both in one |
| `{"finish_reason": "stop"}` | `{"finish_reason": null}` | `{"finish_reason": "stop"}` |
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from controlplane.agent.endpoint.json_parts import objects_of, text_or_empty

ITEM_KEYS: Final = ("choices", "tool_calls")
"""The fields with lists of items, each with its `index`. An item comes in pieces, too."""
TEXT_KEYS: Final = frozenset(
    {"content", "reasoning", "reasoning_content", "refusal", "name", "arguments"}
)
"""The fields whose texts come in pieces, to be joined. Texts of other fields come whole."""

MAX_SEARCHED_ITEMS: Final = 100
"""At most this many choices, or calls of a choice,
are searched for the one with a piece's index."""


def add_piece(whole: dict[str, Any], piece: Mapping[str, Any]) -> None:
    """Add a piece of a stream to `whole`, which has the pieces that arrived before."""
    for key, value in piece.items():
        if key in ITEM_KEYS:
            items = whole.setdefault(key, [])
            for item in objects_of(value):
                earlier_item = find_or_add_item(items, item.get("index") or 0)
                add_piece(earlier_item, item)
        elif isinstance(value, str) and key in TEXT_KEYS:
            whole[key] = text_or_empty(whole.get(key)) + value
        elif isinstance(value, dict):
            earlier_value = whole.setdefault(key, {})
            if isinstance(earlier_value, dict):
                add_piece(earlier_value, value)
            else:
                whole[key] = value  # in place of a text or a number
        elif value and not isinstance(value, list):
            # It comes whole. Lists of other fields are ignored, because nobody reads them.
            whole[key] = value


def find_or_add_item(items: list[dict[str, Any]], index: object) -> dict[str, Any]:
    """Return the choice or call with this index; without one, add it to `items` first.

    With the index 1, `[{"index": 0, "delta": {...}}]` becomes
    `[{"index": 0, "delta": {...}}, {"index": 1}]`.
    """
    for item in items[:MAX_SEARCHED_ITEMS]:
        if item["index"] == index:
            return item
    item = {"index": index}
    items.append(item)
    return item
