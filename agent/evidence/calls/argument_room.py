"""Limits the memory for the arguments of a step's calls.

A script may write a thousand long files in one step. All calls are in the journal, a file.
In memory a step keeps each call without its result, and, once its arguments have too
many characters, without its arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.agent.events import CallRecord

MOST_ARGUMENT_CHARS: Final = 1_000_000
"""How many characters of arguments a step holds in memory.
The arguments of later calls are only in the journal."""
CHARS_BESIDE_AN_ARGUMENT: Final = 60
"""An estimate of the memory that an argument takes besides its text, in characters."""


class ArgumentRoom:
    """The room for the arguments of one step's calls.

    kept_part(write of 900,000 characters)   -> the call without its result
    kept_part(write of 900,000 characters)   -> without its arguments, too: they do not fit
    kept_part(read("/a.md"))                 -> the same: the room is used up
    """

    def __init__(self) -> None:
        self._room_chars = MOST_ARGUMENT_CHARS
        """How many more characters fit. Once a call does not fit, it is below 0 for good."""

    def kept_part(self, call: CallRecord) -> CallRecord:
        """Return a call without its result, and without its arguments if they do not fit."""
        self._room_chars -= _size_of(call.arguments)
        kept = call
        if call.result:
            kept = kept.changed(result={})  # `changed` returns a copy.
        if self._room_chars < 0:
            kept = kept.changed(arguments={})
        return kept


def _size_of(arguments: Mapping[str, object]) -> int:
    """Return an estimate of the memory that arguments take, in characters."""
    size = 0
    for argument in arguments.values():
        items = argument if isinstance(argument, list) else [argument]
        for item in items:
            size += CHARS_BESIDE_AN_ARGUMENT
            if isinstance(item, str):
                size += len(item)
    return size
