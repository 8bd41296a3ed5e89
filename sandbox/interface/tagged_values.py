"""The tagged form of a scratchpad, as the parent reads it: JSON that also holds dates, sets and so on.

A value that JSON lacks is a mapping with the key `$`, such as `{"$": "tuple", "v": [1, 2]}`. The
child writes this form (`controlplane.sandbox.child.step.script_values`); gates and journals see it flat.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from controlplane.sandbox.interface.operations import Plain

TAG: Final = "$"
"""The key of the tag in a tagged value."""

_SEQUENCES: Final = ("tuple", "set", "frozenset")
_TIMES: Final = ("datetime", "time", "date", "timedelta")


class NotKept(TypeError):
    """A value that a scratchpad cannot keep; the message names its key and its type."""


class Damaged(ValueError):
    """Data that should be a tagged scratchpad and is not."""


def damaged(tagged: Plain) -> Damaged:
    """Return the error for data that is not a tagged value."""
    return Damaged(f"no scratchpad value: {str(tagged)[:80]}")


def hashable(tagged: Plain, place: str) -> Plain:
    """Return the tagged form of a set's element or a mapping's key.

    Raises `NotKept`, naming the `place`, if its value cannot be an element or a key.
    """
    is_tagged = isinstance(tagged, dict) and TAG in tagged
    if isinstance(tagged, list) or (isinstance(tagged, dict) and not is_tagged):
        raise _not_hashable(place)
    if isinstance(tagged, dict):
        tag = tagged[TAG]
        content = tagged.get("v")
        if tag in (None, "dict", "set"):
            raise _not_hashable(place)
        if tag in ("tuple", "frozenset") and isinstance(content, list):
            for element in content:
                hashable(element, place)
    return tagged


def _not_hashable(place: str) -> NotKept:
    return NotKept(
        f"{place} comes back as a list, dict or set, which cannot be there; keep a tuple or text"
    )


def flatten(tagged: Plain) -> Plain:
    """Return a tagged value in JSON's own types. Raises `Damaged`.

    Dates become ISO text, Decimals text, tuples and (sorted) sets lists; keys of other types become
    their text.
    """
    if isinstance(tagged, list):
        has_nested_values = any(type(item) in (list, dict) for item in tagged)
        return [flatten(item) for item in tagged] if has_nested_values else tagged.copy()
    if not isinstance(tagged, dict):
        return tagged

    tag = tagged.get(TAG)
    content: Any = tagged.get("v")
    if tag is None:
        return {key: flatten(item) for key, item in tagged.items()}
    if tag in _SEQUENCES and isinstance(content, list):
        return [flatten(item) for item in content]
    if tag == "dict" and _are_pairs(content):
        return {_key_text(key): flatten(item) for key, item in content}
    if tag in _TIMES:
        with suppress(TypeError, ValueError, OverflowError):
            return _time_text(str(tag), content)
    if tag in ("decimal", "float") and isinstance(content, str):
        return content
    raise damaged(tagged)


def _are_pairs(content: Any) -> bool:
    """Say whether the content of a tagged mapping is a list of keys with their items."""
    if not isinstance(content, list):
        return False
    return all(isinstance(pair, list) and len(pair) == 2 for pair in content)


def _time_text(tag: str, content: Any) -> str:
    """Return the text of a date, a time, or a duration given as days, seconds and microseconds.

    Raises `TypeError`, `ValueError` or `OverflowError` for other content.
    """
    import datetime  # The process of scripts loads another form of this module.

    if tag == "timedelta":
        return str(datetime.timedelta(*content))
    kind = getattr(datetime, tag)
    return str(kind.fromisoformat(content).isoformat())


def _key_text(tagged: Plain) -> str:
    """Return the text of a mapping's key. Raises `Damaged`."""
    try:
        # Never a mapping's text: the text of a text of a text doubles with every level.
        value = flatten(hashable(tagged, "a key"))
    except NotKept as error:
        raise Damaged(str(error)) from None
    return value if isinstance(value, str) else str(value)
