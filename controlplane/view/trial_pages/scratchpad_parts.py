"""How a step changed the scratchpad, in which scripts keep values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from controlplane.terminal_text import one_line, sanitize
from controlplane.view.trial_pages.page_part import Part


def scratchpad_changes(
    before: Mapping[str, object], after: Mapping[str, object]
) -> list[Part]:
    """Return a line for each key that a step added, changed or removed."""
    parts = []
    for key in sorted({*before, *after}):
        name = one_line(key)
        if key not in after:
            parts.append(Part(f"- {name}", "red"))
        elif key not in before:
            parts.append(Part(f"+ {name} = {_value_text(after[key])}", "green"))
        elif before[key] != after[key]:
            parts += _value_changes(name, before[key], after[key])
    return parts


def _value_changes(name: str, before: object, after: object) -> list[Part]:
    """Return a key's old and new value. For mappings, return only the entries that differ."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        parts = [Part(f"~ {name}", "yellow")]
        for change in scratchpad_changes(before, after):
            parts.append(replace(change, text=f"  {change.text}"))
        return parts
    indent = " " * len(f"~ {name}")
    text = f"~ {name}: {_value_text(before)}\n{indent}→ {_value_text(after)}"
    return [Part(text, "yellow")]


def _value_text(value: object) -> str:
    return sanitize(json.dumps(value, ensure_ascii=False))
