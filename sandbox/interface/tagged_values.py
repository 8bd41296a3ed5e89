"""The encoded form of a scratchpad: JSON with tags for types that JSON lacks.

The child encodes a scratchpad (`controlplane.sandbox.child.step.scratchpad`), for
example a date as `{"$": "date", "v": "2026-01-01"}`. The parent never decodes it,
because the child is untrusted and the parent needs no objects. It checks the form, and
makes a flat copy in JSON's own types for gates and journals: `flatten`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from controlplane.sandbox.interface.operations import Plain

TAG: Final = "$"
"""The key of the tag: `date` in `{"$": "date", "v": "2026-01-01"}`."""
CONTENT: Final = "v"
"""The key of the content beside a tag."""

_SEQUENCES: Final = ("tuple", "set", "frozenset")
_TIMES: Final = ("datetime", "time", "date", "timedelta")
_SHOWN_CHARS: Final = 80


class NotKept(TypeError):
    """A value that a scratchpad cannot keep; the message names its key and its type."""


class Damaged(ValueError):
    """Data that should be an encoded scratchpad and is not."""


def damaged(encoded: Plain) -> Damaged:
    """Return the error for data that is not an encoded value."""
    return Damaged(f"no scratchpad value: {str(encoded)[:_SHOWN_CHARS]}")


def flatten(encoded: Plain) -> Plain:
    """Return an encoded value in JSON's own types. Raises `Damaged`.

    Dates become ISO text, Decimals text, tuples and sets lists. Keys of other types
    become their text: `{"$": "dict", "v": [[1, "a"]]}` -> `{"1": "a"}`.
    """
    if isinstance(encoded, list):
        has_nested_values = any(type(item) in (list, dict) for item in encoded)
        if has_nested_values:
            return [flatten(item) for item in encoded]
        # The same result, sooner: long lists of numbers are common.
        return encoded.copy()
    if not isinstance(encoded, dict):
        return encoded
    tag = encoded.get(TAG)
    if tag is None:
        return {key: flatten(item) for key, item in encoded.items()}
    return _flatten_tagged(encoded, tag, encoded.get(CONTENT))


def _flatten_tagged(encoded: Plain, tag: Any, content: Any) -> Plain:
    """Return a tagged value in JSON's own types, without its tag. Raises `Damaged`.

    `{"$": "tuple", "v": [1, 2]}` -> `[1, 2]`, and `{"$": "decimal", "v": "1.50"}` -> `"1.50"`.
    A hostile child may send anything as a tag, even a list. It equals no known tag, and is refused.
    """
    if tag in _SEQUENCES and isinstance(content, list):
        return [flatten(item) for item in content]
    if tag == "dict" and isinstance(content, list):
        pairs: dict[str, Plain] = {}
        for pair in content:
            if not isinstance(pair, list) or len(pair) != 2:
                raise damaged(encoded)
            pairs[_key_text(pair[0])] = flatten(pair[1])
        return pairs
    if tag in ("decimal", "float") and isinstance(content, str):
        return content
    if tag in _TIMES:
        with suppress(TypeError, ValueError, OverflowError):
            return _time_text(str(tag), content)
    raise damaged(encoded)


def _time_text(tag: str, content: Any) -> str:
    """Return the text of a time: `"2026-01-01"`, or for a duration `"1 day, 0:00:05"`.

    Raises `TypeError`, `ValueError` or `OverflowError` if the content is not a time.
    """
    # Not at the top of this module, which the process of scripts imports, too:
    # it imports `datetime` later, after hiding the C part that reads the real
    # clock (`fork_server_process`).
    import datetime

    match tag:
        case "timedelta":
            days, seconds, microseconds = content
            return str(datetime.timedelta(days, seconds, microseconds))
        case "datetime":
            return datetime.datetime.fromisoformat(content).isoformat()
        case "date":
            return datetime.date.fromisoformat(content).isoformat()
        case _:
            return datetime.time.fromisoformat(content).isoformat()


def _key_text(encoded_key: Plain) -> str:
    """Return the key of a mapping as a text: `1` -> `1`, a date -> `2026-01-01`. Raises `Damaged`.

    A mapping is refused as a key. Its text would contain the texts of its own keys, quoted: with
    keys within keys, a hostile child could double the length of the text at every level.
    """
    try:
        check_hashable(encoded_key, "a key")
    except NotKept as error:
        raise Damaged(str(error)) from None
    key = flatten(encoded_key)
    return key if isinstance(key, str) else str(key)


def check_hashable(encoded: Plain, place: str) -> None:
    """Raise `NotKept` if an encoded value cannot be the key of a mapping, or an element of a set.

    Python allows no list, mapping or set there, not even inside a tuple: `{"$": "tuple", "v":
    [[1]]}` is refused. `place` names the value in the message: `a key of scratchpad['a']`.
    """
    if isinstance(encoded, list):
        raise _not_hashable(place)
    if not isinstance(encoded, dict):
        return

    tag = encoded.get(TAG)
    if tag in (None, "dict", "set"):
        raise _not_hashable(place)
    content = encoded.get(CONTENT)
    if tag in ("tuple", "frozenset") and isinstance(content, list):
        for element in content:
            check_hashable(element, place)


def _not_hashable(place: str) -> NotKept:
    return NotKept(
        f"{place} comes back as a list, dict or set, which cannot be there; keep a tuple or text"
    )
