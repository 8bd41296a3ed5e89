"""Writes results of calls as texts for the model, and shortens long ones.

Texts with several lines stand apart, because they are hard to read inside of JSON. For
`{"exit_code": 0, "output": "two\\nlines"}`, the model sees:

    {"exit_code":0}
    two
    lines
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from controlplane.sandbox.interface import Operation, Plain, Tree, bounds


def shown_result(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a result as text: a line of JSON with the short fields, then each longer text."""
    if operation.drawn_as_tree:
        return cut(str(Tree(result)))
    texts = {}
    short_fields = {}
    for name, value in result.items():
        if isinstance(value, str) and "\n" in value:
            texts[name] = value
        else:
            short_fields[name] = value

    parts = []
    if short_fields:
        parts.append(compact_json(short_fields))
    for name, text in texts.items():
        parts.append(text if len(texts) == 1 else f"{name}:\n{text}")
    return cut("\n".join(parts))


def compact_json(value: Mapping[str, Plain]) -> str:
    """Return a value as JSON without blanks."""
    return json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"))


def cut(text: str) -> str:
    """Return a text, without its middle if it is too long."""
    if len(text) <= bounds.SHOWN_RESULT_CHARS:
        return text
    half = bounds.SHOWN_RESULT_CHARS // 2
    hidden = len(text) - 2 * half
    notice = f"[... {hidden} characters are left out; ask for less at once ...]"
    return f"{text[:half]}\n{notice}\n{text[-half:]}"
