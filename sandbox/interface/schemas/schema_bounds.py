"""The bounds of a JSON schema: the size of a number, and the length of a text or a list."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from controlplane.sandbox.interface.schemas.json_types import has_type, is_number
from controlplane.sandbox.interface.schemas.schema_parts import Schema


def bound_fault(value: Any, schema: Schema) -> str:
    """Return the first bound, in the schema's order, that a number or a length breaks.

    `{"minimum": 1}` with the value 0 -> ` is at least 1, not 0`. Empty if there is none.
    """
    for keyword, bound in schema.items():
        if not is_number(bound):
            continue
        match keyword:
            case "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum":
                if has_type(value, "number") and not _is_within(keyword, value, bound):
                    return f" is {_BOUND_WORDS[keyword]} {bound}, not {value}"
            case "minLength" | "maxLength":
                if has_type(value, "string") and not _is_within(
                    keyword, len(value), bound
                ):
                    return f" is {_BOUND_WORDS[keyword]} {bound} long, not {len(value)}"
            case "minItems" | "maxItems":
                if has_type(value, "array") and not _is_within(
                    keyword, len(value), bound
                ):
                    return f" is {_BOUND_WORDS[keyword]} {bound} long, not {len(value)}"
    return ""


_BOUND_WORDS: Final[Mapping[str, str]] = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
    "minLength": "at least",
    "maxLength": "at most",
    "minItems": "at least",
    "maxItems": "at most",
}
"""The keywords of bounds, and what each demands in words."""


def _is_within(keyword: str, size: float, bound: float) -> bool:
    """Return True if a number, or a length, is within the bound that a keyword sets."""
    match keyword:
        case "minimum" | "minLength" | "minItems":
            return size >= bound
        case "maximum" | "maxLength" | "maxItems":
            return size <= bound
        case "exclusiveMinimum":
            return size > bound
        case _:  # "exclusiveMaximum"
            return size < bound
