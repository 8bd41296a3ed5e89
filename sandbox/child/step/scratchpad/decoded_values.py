"""Decodes the values of a scratchpad that an earlier step has kept (`encoded_values`).

The result equals what was encoded, with three exceptions: a dataclass comes back as a
dict of its fields, the time zone of a time as its offset, and an object of a subclass
(such as a member of a `StrEnum`) as one of the plain type.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from controlplane.sandbox.interface.messages.tagged_values import (
    CONTENT,
    TAG,
    damaged,
)
from controlplane.sandbox.interface.plain_data import Plain


def decode(encoded: Plain) -> Any:
    """Return the value of an encoded form. Raises `Damaged` if it is not one."""
    if isinstance(encoded, list):
        return [decode(item) for item in encoded]
    if not isinstance(encoded, dict):
        return encoded
    if encoded.get(TAG) is None:  # a mapping without a tag
        return {key: decode(item) for key, item in encoded.items()}
    try:
        return _decode_tagged(str(encoded[TAG]), encoded[CONTENT])
    except (KeyError, TypeError, ValueError, ArithmeticError, OSError) as error:
        raise damaged(encoded) from error


def _decode_tagged(tag: str, content: Any) -> Any:
    """Return the value of a tag with its content.

    Raises `KeyError` for an unknown tag, and the errors
    of the types for a content of another form.
    """
    match tag:
        case "dict":
            return {decode(key): decode(item) for key, item in content}
        case "tuple":
            return tuple(decode(item) for item in content)
        case "set":
            return {decode(item) for item in content}
        case "frozenset":
            return frozenset(decode(item) for item in content)
        case "datetime":
            return datetime.fromisoformat(content)
        case "date":
            return date.fromisoformat(content)
        case "time":
            return time.fromisoformat(content)
        case "timedelta":
            days, seconds, microseconds = content
            return timedelta(days, seconds, microseconds)
        case "decimal":
            return Decimal(content)
        case "float":
            return float(content)
        case _:
            raise KeyError(tag)
