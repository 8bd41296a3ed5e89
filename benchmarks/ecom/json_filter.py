"""The filters of `/bin/jq`, a small part of the real jq.

They are `.`, `.field`, `.a.b`, `.a[0]`, `.a[]`, `keys` and `length`, joined by `|`. For
example, `.lines[] | .sku` gives the SKU of each line of a basket. A filter takes one value
and has any number of results.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from controlplane.sandbox.interface import Plain

STEP: Final = re.compile(
    r"\.(?P<field>[A-Za-z_]\w*)"  # `.name`: the value of a field
    r"|\.?\[(?P<index>-?\d{1,9})\]"  # `[0]` or `.[0]`: one item of a list
    r"|(?P<all>\.?\[\])"  # `[]` or `.[]`: all items of a list, or all values of an object
    r"|(?P<same>\.\Z)"  # `.` at the end: the value itself
)
"""One step of a path. `.a[0].b` has three: `.a`, `[0]` and `.b`."""


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
    """Return the results of one stage for a value: `.a[0]` of `{"a": [5]}` -> `[5]`."""
    if stage == "length" and isinstance(data, str | list | dict | None):
        return [len(data or "")]
    if stage == "keys" and isinstance(data, list):
        return [list(range(len(data)))]
    if stage == "keys" and isinstance(data, dict):
        return [list(sorted(data))]

    # Any other stage is a path. It has no steps if it is empty; then the result is the value.
    values = [data]
    position = 0
    while position < len(stage):
        step = STEP.match(stage, position)
        if step is None:
            msg = f"cannot take {stage!r} of {type(data).__name__}"
            raise ValueError(msg)
        picked: list[Plain] = []
        for value in values:
            picked += _picked(step, value)
        values = picked
        position = step.end()
    return values


def _picked(step: re.Match[str], data: Plain) -> Iterable[Plain]:
    """Return the parts of a value that one step selects: `[]` of `[4, 12]` -> `[4, 12]`.

    Raises `ValueError` if such a value has no such parts.
    """
    match step.lastgroup:
        case "same":
            return [data]
        case "field":
            if isinstance(data, dict):
                return [data.get(step["field"])]
            if data is None:  # A field of a missing field is missing, too.
                return [None]
        case "index":
            if isinstance(data, list):
                return [_item_at(int(step["index"]), data)]
        case "all":
            if isinstance(data, list):
                return data
            if isinstance(data, dict):
                return data.values()
    msg = f"cannot take {step[0]!r} of {type(data).__name__}"
    raise ValueError(msg)


def _item_at(index: int, items: list[Plain]) -> Plain:
    """Return an item; a negative index counts from the end. None if there is no such item."""
    if -len(items) <= index < len(items):
        return items[index]
    return None
