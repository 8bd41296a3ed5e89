"""Plain data: values that JSON can hold. A script may submit values of any other type.

A plain copy cannot change later, and has no code that runs when a gate looks at it.
"""

from __future__ import annotations

import json
from typing import TypeAlias

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, Plain] | None"
"""A value that JSON can hold. Any other value that a script submits becomes None."""


def plain_copy(value: object) -> Plain:
    """Return a copy of a value as JSON holds it: `{"a": (1, {2})}` -> `{"a": [1, None]}`.

    Returns None for a value that is nested too deeply or contains itself.
    """
    try:
        text = json.dumps(value, skipkeys=True, default=_none_for)
        copy: Plain = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return copy


def _none_for(value: object) -> None:
    """Return what `json` writes for an object that it cannot hold: None."""
    return None  # noqa: RET501 - the value counts
