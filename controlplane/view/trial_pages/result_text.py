"""The result of a recorded call as a text: `rows: 3`, a drawn tree of files, or an error's code and message."""

from __future__ import annotations

import json

from controlplane.agent.events import CallRecord
from controlplane.quantity_texts import count_text
from controlplane.sandbox.interface import Tree
from controlplane.terminal_text import sanitize


def result_size_text(call: CallRecord) -> str:
    """Return the size of a call's result, or the code of its error: `412 characters`, `not_found`."""
    if call.error is not None:
        return call.error.code
    if call.result is None:
        return "cut off"
    size = 0
    for value in call.result.values():
        size += len(value if isinstance(value, str) else json.dumps(value))
    return count_text(size, "character")


def result_text(call: CallRecord) -> str:
    """Return a call's result, or its error.

    A tree of files is drawn, a string is shown verbatim, a list has one value per line,
    and any other value is JSON.
    """
    if call.error is not None:
        return sanitize(f"{call.error.code}: {call.error.message}")
    fields = call.result or {}
    if _is_tree(fields):
        return sanitize(str(Tree(fields)))
    lines = []
    for name, value in fields.items():
        text = _field_text(value)
        if "\n" in text:
            lines.append(f"{name}:\n{text.rstrip()}")
        else:
            lines.append(f"{name}: {text}")
    return sanitize("\n".join(lines)) or "(nothing)"


def _field_text(value: object) -> str:
    """Return the value of a result's field: a string verbatim, a list with one item per line."""
    values = [value]
    if isinstance(value, list) and value:
        values = value
    texts = []
    for item in values:
        texts.append(item if isinstance(item, str) else json_text(item))
    return "\n".join(texts)


def _is_tree(value: object) -> bool:
    """Return True if a result is a tree of files, as the operation `tree` returns it."""
    if not isinstance(value, dict) or value.keys() != {"name", "is_dir", "children"}:
        return False
    children = value["children"]
    return isinstance(children, list) and all(_is_tree(child) for child in children)


def json_text(value: object) -> str:
    """Return a value as JSON in one line, with letters beyond ASCII as they are."""
    return json.dumps(value, ensure_ascii=False)
