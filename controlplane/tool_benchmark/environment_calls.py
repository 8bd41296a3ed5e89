"""The calls of a trial's tools, as the benchmark's grader sees them.

A grader may ask whether `cancel_order` was called for the right order. It gets the arguments
and the result as they were at the time of the call, even if the tool's data has changed since.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from controlplane.fault_texts import error_text
from controlplane.sandbox.interface import CallError, error_codes

_REFUSALS: Final = (
    ArithmeticError,
    AssertionError,
    LookupError,
    OSError,
    RuntimeError,
    ValueError,
)
"""Exceptions by which a tool refuses a call. Any other is a fault of the tool's code."""
_MAX_REFUSAL_CHARS: Final = 2_000
_MAX_COPIED_OBJECTS: Final = 100_000
"""The largest number of objects that a copy may have. A result with more,
such as one that refers to a whole database, is kept in the form that scripts saw."""


@dataclass(frozen=True, slots=True)
class EnvironmentCall:
    """A call of a tool, as the benchmark's grader sees it."""

    name: str
    """The tool's own name, which may differ from its name in scripts."""
    arguments: Mapping[str, Any]
    """A copy of the arguments from before the call."""
    result: object = None
    """A copy of the value that the tool returned, from before later calls. If the value
    cannot be copied, it is the data that scripts saw. None if the call failed."""
    error: str = ""
    """Why the call failed; empty if it succeeded."""
    turn: int = 0
    """The turn of the conversation in which the call was made:
    the number of messages that the user had received before."""


@contextmanager
def recorded_refusals(
    calls: list[EnvironmentCall], call: EnvironmentCall
) -> Iterator[None]:
    """Add the call to `calls` if the benchmark's code in the `with` block refuses it.

    The code refuses a call by an exception (`CallError`, or one of `_REFUSALS`), which
    then leaves the block as a `CallError`.
    """
    try:
        yield
    except CallError as error:
        calls.append(replace(call, error=error.message))
        raise
    except _REFUSALS as error:
        text = error_text(error)[:_MAX_REFUSAL_CHARS] or type(error).__name__
        calls.append(replace(call, error=text))
        raise CallError(error_codes.FAILED_PRECONDITION, text) from error


class _TooManyObjects(Exception):
    """A value has more objects than a copy may have."""


class _CountingMemo(dict[int, Any]):
    """A memo for `copy.deepcopy`, which enters each copied object in it.

    To end the copying of a huge value, it raises `_TooManyObjects` at the entry after
    `_MAX_COPIED_OBJECTS`.
    """

    def __setitem__(self, key: int, value: Any) -> None:
        if len(self) >= _MAX_COPIED_OBJECTS:
            raise _TooManyObjects
        super().__setitem__(key, value)


def copied(value: Any, *, if_impossible: str) -> Any:
    """Return a copy of a value that later changes do not affect.

    `if_impossible` is the value as JSON text. The data in it is returned instead if the
    value cannot be copied, or has too many objects.
    """
    try:
        return copy.deepcopy(value, _CountingMemo())
    except Exception:  # noqa: BLE001 - copying runs code of the value
        return json.loads(if_impossible)
