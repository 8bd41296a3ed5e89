"""The types of JSON, and the equality of values in JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

from controlplane.sandbox.interface import bounds

PYTHON_TYPES: Final[Mapping[str, str]] = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
    "null": "None",
}
"""The types of JSON schemas, and their names in Python."""


def has_type(value: Any, name: str) -> bool:
    """Return True if a value has the JSON schema type `name`, one of `PYTHON_TYPES`."""
    # The type itself, because an object of a script may pretend another one to `isinstance`.
    kind = type(value)
    match name:
        case "string":
            return issubclass(kind, str)
        case "integer":
            # In JSON, 2.0 is an integer, too: it stays the same if it is rounded down.
            return is_number(value) and value == value // 1
        case "number":
            return is_number(value)
        case "boolean":
            return kind is bool
        case "array":
            return issubclass(kind, (list, tuple))
        case "object":
            return issubclass(kind, dict)
        case _:  # "null"
            return value is None


def is_number(value: Any) -> bool:
    """Return True if a value is a number that JSON can hold. A truth value is not a number."""
    kind = type(value)
    if issubclass(kind, int):
        return kind is not bool and int.bit_length(value) <= bounds.MOST_INT_BITS
    return issubclass(kind, float) and math.isfinite(value)


def is_same(value: Any, expected: Any) -> bool:
    """Return True if two values are equal in JSON, where 1 equals 1.0 but not true."""
    if isinstance(value, dict) and isinstance(expected, dict):
        if value.keys() != expected.keys():
            return False
        return all(is_same(item, expected[key]) for key, item in value.items())

    if isinstance(value, (list, tuple)) and isinstance(expected, (list, tuple)):
        if len(value) != len(expected):
            return False
        return all(map(is_same, value, expected))

    if isinstance(value, bool) != isinstance(expected, bool):
        return False
    return bool(value == expected)
