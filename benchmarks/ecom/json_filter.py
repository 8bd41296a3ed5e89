"""The filters of `/bin/jq`:

`.`, `.field`, `.a.b`, `.a[0]`, `.a[]`, `keys`, `length`, joined by `|`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from controlplane.sandbox.interface import Plain

STEP: Final = re.compile(r"\.(?P<name>[A-Za-z_]\w*)|\.?\[(?P<index>-?\d{1,9})\]|\.?\[\]|\.\Z")
"""One step of a path, such as `.name`, `[0]`, `[]`, or `.` at the end."""


def apply_filter(program: str, data: Plain) -> list[Plain]:
    """Apply a filter to `data` and return its results. Raises `ValueError`."""
    values = [data]
    for stage in program.split("|"):
        results: list[Plain] = []
        for value in values:
            results += _results_of(stage.strip(), value)
        values = results
    return values


def _results_of(stage: str, data: Plain) -> list[Plain]:
    """Return the results of one stage for a value."""
    if stage == "length" and isinstance(data, str | list | dict | None):
        return [len(data or "")]
    if stage == "keys" and isinstance(data, list):
        return [list(range(len(data)))]
    if stage == "keys" and isinstance(data, dict):
        return [list(sorted(data))]

    values = [data]
    end = 0
    while step := STEP.match(stage, end):
        picked: list[Plain] = []
        for value in values:
            picked += _picked(step, value)
        values = picked
        end = step.end()
    if end != len(stage):
        msg = f"cannot take {stage!r} of {type(data).__name__}"
        raise ValueError(msg)
    return values


def _picked(step: re.Match[str], data: Plain) -> Iterable[Plain]:
    """Return the parts of a value that one step selects."""
    if step[0] == ".":
        return [data]
    name = step["name"]
    index = step["index"]
    if name is not None:
        if isinstance(data, dict):
            return [data.get(name)]
        if data is None:
            return [None]
    elif index is not None:
        if isinstance(data, list):
            return [_item_at(int(index), data)]
    elif isinstance(data, list):
        return data
    elif isinstance(data, dict):
        return data.values()
    msg = f"cannot take {step[0]!r} of {type(data).__name__}"
    raise ValueError(msg)


def _item_at(index: int, items: list[Plain]) -> Plain:
    """Return an item; a negative index counts from the end. None if there is no such item."""
    if -len(items) <= index < len(items):
        return items[index]
    return None
