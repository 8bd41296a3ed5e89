"""Encodes the values of a scratchpad as JSON, to keep them from one step to the next.

JSON's own types are written as they are. Every other kept type becomes an object with a
tag `$` and a value `v`:

    date(2026, 1, 1)   -> {"$": "date", "v": "2026-01-01"}
    (1, 2)             -> {"$": "tuple", "v": [1, 2]}
    {1: "a"}           -> {"$": "dict", "v": [[1, "a"]]}      since JSON's keys are texts
    float("inf")       -> {"$": "float", "v": "inf"}
"""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.messages.tagged_values import (
    CONTENT,
    TAG,
    NotKept,
    check_hashable,
)
from controlplane.sandbox.interface.plain_data import Plain

KEPT_TYPES: Final = (
    "str, int, float, bool, None, list, dict, tuple, set, frozenset, "
    "date, datetime, time, timedelta, Decimal"
)


def encode(value: Any, place: str = "scratchpad", depth: int = 0) -> Plain:
    """Return the encoded form of a value.

    `place` names it in errors, such as `scratchpad['orders'][3]`,
    and `depth` is the number of lists and mappings around it. Raises `NotKept`
    if the value cannot be kept.
    """
    # 1. The types of most values, with the cheapest checks.
    kind = type(value)
    if value is None or kind is str or kind is bool:
        plain: Plain = value
        return plain
    if kind is int:
        return _encode_int(value, place)
    if kind is float:
        return _encode_float(value)

    # 2. Collections, also those of a script's own classes.
    if depth >= bounds.MOST_SCRATCHPAD_LEVELS:
        levels = bounds.MOST_SCRATCHPAD_LEVELS
        msg = f"{place} is nested deeper than {levels} levels, or holds itself"
        raise NotKept(msg)
    if issubclass(kind, dict):
        return _encode_dict(value, place, depth + 1)
    if issubclass(kind, list):
        return _encode_items(value, place, depth + 1)
    if issubclass(kind, tuple):
        return _tagged("tuple", _encode_items(value, place, depth + 1))
    if issubclass(kind, set):
        return _tagged("set", _encode_elements(value, place, depth + 1))
    if issubclass(kind, frozenset):
        return _tagged("frozenset", _encode_elements(value, place, depth + 1))

    # 3. Everything else.
    return _encode_other(value, place, depth)


def _encode_other(value: Any, place: str, depth: int) -> Plain:
    """Return the encoded form of a time, a Decimal, a dataclass, or a member of an enumeration.

    `Decimal("1.50")` -> `{"$": "decimal", "v": "1.50"}`. A dataclass becomes a mapping of its
    fields. Raises `NotKept` for a value of any other type; `place` names it in the message.
    """
    kind = type(value)
    if issubclass(kind, datetime):  # Before `date`: a datetime is a date, too.
        return _tagged("datetime", value.isoformat())
    if issubclass(kind, date):
        return _tagged("date", value.isoformat())
    if issubclass(kind, time):
        return _tagged("time", value.isoformat())
    if issubclass(kind, timedelta):
        return _tagged("timedelta", [value.days, value.seconds, value.microseconds])
    if issubclass(kind, Decimal):
        return _tagged("decimal", str(value))

    if is_dataclass(kind):
        field_values = {
            field.name: getattr(value, field.name) for field in fields(kind)
        }
        return _encode_dict(field_values, place, depth + 1)

    # Subclasses of the plain types, for example members of a `StrEnum`. They are kept
    # as a plain text or number, because the next step does not have the script's class.
    # The methods are those of the plain type, because the class may override them.
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, int):
        return _encode_int(int.__int__(value), place)
    if issubclass(kind, float):
        return _encode_float(float.__float__(value))

    name = kind.__name__
    msg = f"{place} is of type {name}, which cannot be kept; keep {KEPT_TYPES} or a dataclass of these"
    raise NotKept(msg)


def _tagged(tag: str, content: Plain) -> Plain:
    """Return a value with the name of its type: `{"$": "date", "v": "2026-01-01"}`."""
    return {TAG: tag, CONTENT: content}


def _encode_int(value: int, place: str) -> Plain:
    """Return an integer. Raises `NotKept` if it has more digits than Python writes."""
    bits = value.bit_length()
    if bits > bounds.MOST_KEPT_BITS:
        msg = f"{place} is an integer of {bits} bits; at most {bounds.MOST_KEPT_BITS} are kept"
        raise NotKept(msg)
    return value


def _encode_float(value: float) -> Plain:
    """Return a float. JSON has neither infinity nor NaN, which are tagged texts."""
    if math.isfinite(value):
        return value
    return _tagged("float", repr(value))


def _encode_items(items: Any, place: str, depth: int) -> Plain:
    """Return a list of the encoded items of a list or a tuple.

    `depth` is the number of lists and mappings around each item.
    """
    encoded: list[Plain] = []
    for index, item in enumerate(items):
        encoded.append(encode(item, f"{place}[{index}]", depth))
    return encoded


def _encode_dict(value: dict[Any, Any], place: str, depth: int) -> Plain:
    """Return a mapping as a JSON object if all its keys are texts, and otherwise as tagged pairs.

    `{1: "a"}` -> `{"$": "dict", "v": [[1, "a"]]}`. A key `$` would look like a tag, so a
    mapping with that key becomes pairs, too. `depth` is that of the keys and items.
    """
    has_plain_keys = TAG not in value and all(type(key) is str for key in value)
    if has_plain_keys:
        encoded: dict[str, Plain] = {}
        # `dict.items(value)`, because a script's own kind of dict may override `items`.
        for key, item in dict.items(value):
            encoded[key] = encode(item, f"{place}[{key!r}]", depth)
        return encoded

    pairs: list[Plain] = []
    for key, item in dict.items(value):
        encoded_key = _encode_hashable(key, f"a key of {place}", depth)
        encoded_item = encode(item, f"{place}[{key!r}]", depth)
        pairs.append([encoded_key, encoded_item])
    return _tagged("dict", pairs)


def _encode_hashable(value: Any, place: str, depth: int) -> Plain:
    """Return the encoded form of a key or of an element of a set.

    Raises `NotKept` if the decoded value could not be one, such as a dataclass, which
    becomes a dict.
    """
    encoded = encode(value, place, depth)
    check_hashable(encoded, place)
    return encoded


def _encode_elements(elements: Any, place: str, depth: int) -> Plain:
    """Return a list of the encoded elements of a set, always in the same order.

    Numbers come first, by size. All others follow by type, and within a type by
    their encoded form as a text, because values such as `None` and tagged objects
    cannot be compared otherwise.
    """
    numbers: list[Any] = []
    others: list[Plain] = []
    for element in elements:
        encoded = _encode_hashable(element, f"an element of {place}", depth)
        if type(encoded) in (int, float):
            numbers.append(encoded)
        else:
            others.append(encoded)
    numbers.sort()
    others.sort(key=lambda encoded: f"{type(encoded)} {encoded!r}")
    return [*numbers, *others]
