"""The first field in which two JSON values differ."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from controlplane.sandbox.interface import Plain, is_same

MAX_VALUE_SHOWN: Final = 120
"""The number of characters of a wrong value that a fault shows."""


def json_fault(path: str, value: Plain, required: Plain) -> str:
    """Return a text about the first field of a JSON file that is wrong; empty if none is."""
    if is_same(value, required):
        return ""
    difference = _first_difference(value, required)
    expected_text = json.dumps(difference.required)[:MAX_VALUE_SHOWN]
    text = json.dumps(difference.value)[:MAX_VALUE_SHOWN]
    field = difference.field or "$"
    return f"JSON mismatch in {path!r}: {field}: expected {expected_text} got {text}"


@dataclass(frozen=True, slots=True)
class _Difference:
    """A field with different values in two JSON texts."""

    field: str
    """The names that lead to the field, joined by dots; empty for the whole value."""
    value: Plain
    required: Plain


def _first_difference(value: Plain, required: Plain, field: str = "") -> _Difference:
    """Return the first field that differs, as deep inside as possible: `limits.daily`.

    `field` is the path that leads to the two values; empty at the top.
    """
    if isinstance(value, dict) and isinstance(required, dict):
        for name in {**required, **value}:
            if not is_same(value.get(name), required.get(name)):
                inner_field = f"{field}.{name}" if field else name
                return _first_difference(
                    value.get(name), required.get(name), inner_field
                )
    return _Difference(field, value, required)
