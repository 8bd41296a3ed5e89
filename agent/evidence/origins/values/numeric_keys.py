"""Returns the keys of the numbers, dates, times, ids, telephones and accounts in a text.

A key is what all spellings of a value share (`value_keys.py`): a text with `15 May 2026`
or `2026-05-15` has the key `2026-05-15`. An argument with that date is found by it.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum, auto
from typing import Final

import re2

from controlplane.agent.evidence.origins.values.value_keys import (
    NUMERIC_KINDS,
    is_small_number,
    keys_of_value,
)
from controlplane.agent.evidence.texts.words import has_digit
from controlplane.gates.surrogates import encodable
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values


class SmallNumbers(Enum):
    """Which numbers of one or two digits have keys. Most texts contain some by chance.

    | in the text | `ALL` | `STANDALONE` | `NONE` |
    |---|---|---|---|
    | `delete file 13` | 13 | 13 | |
    | `40%`, `Position 1` | 40, 1 | | |
    """

    ALL = auto()
    """For texts of the user and the rules."""
    STANDALONE = auto()
    """Not those of a measure or a name. For running text: a mail with `40%` says nothing about
    an argument `40`."""
    NONE = auto()
    """For fields of data: `Room 13` does not contain the value 13. A field that is only `13`
    has its key as a word (see `KnownText.word_keys`)."""


def keys_of_numbers(text: str, small_numbers: SmallNumbers) -> set[str]:
    """Return the keys of all values with digits: `12.50 or 4711` -> `12.5`, `4711`."""
    keys = set[str]()
    for line in text.splitlines():
        if not has_digit(line):
            continue
        starts_in_names = set[int]()
        if small_numbers is SmallNumbers.STANDALONE:
            starts_in_names = _starts_in_names(line)
        # A line has fewer values than characters, so this finds all of them.
        max_values = len(line)
        for value in written_values(line, kinds=NUMERIC_KINDS, max_values=max_values):
            if _has_key(value, small_numbers, starts_in_names):
                keys.update(keys_of_value(value))
    return keys


def _has_key(
    value: WrittenValue, small_numbers: SmallNumbers, starts_in_names: Collection[int]
) -> bool:
    """Return True if a value of a line has a key. Only small numbers may have none.

    `starts_in_names` are the offsets of the line's numbers that belong to a name.
    """
    is_small = value.kind is Kind.NUMBER and is_small_number(value.canonical)
    if not is_small or small_numbers is SmallNumbers.ALL:
        return True
    if small_numbers is SmallNumbers.NONE:
        return False
    is_part_of_measure = bool(value.unit)  # `40%`
    is_part_of_name = value.start in starts_in_names  # `Position 1`
    return not is_part_of_measure and not is_part_of_name


_LIST_MARKER: Final = re2.compile(r"(?:^|[.:!?;] +)([0-9]{1,2})[.)] ")
"""The number of an item in a list: `1. Stop.`, or `Here is how: 1. Stop. 2. Turn.` in one line."""
_NAME_WITH_NUMBER: Final = re2.compile(r"\p{Lu}\p{Ll}+ ([0-9]{1,2})\b")
"""A name that ends with a number: `Position 1`, `Line 5`."""


def _starts_in_names(line: str) -> set[int]:
    """Return the offsets of the numbers in a line that belong to a name, or number an item.

    `See Line 5.` -> 9
    """
    starts = set[int]()
    for pattern in (_LIST_MARKER, _NAME_WITH_NUMBER):
        for match in pattern.finditer(encodable(line)):
            starts.add(match.start(1))
    return starts
