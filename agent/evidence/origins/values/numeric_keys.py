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

    | text | `ALL` | `STANDALONE` | `WHOLE_FIELD` |
    |---|---|---|---|
    | `13` | 13 | 13 | 13 |
    | `delete file 13` | 13 | 13 | |
    | `40%` (a measure), `Position 1` (a name) | 40, 1 | | |
    """

    ALL = auto()
    """For texts of the user and the rules."""
    STANDALONE = auto()
    """For running text: a mail with `40%` says nothing about an argument `40`."""
    WHOLE_FIELD = auto()
    """For fields of data: a field `Room 13` says nothing about an argument `13`."""


def keys_of_numbers(text: str, small_numbers: SmallNumbers) -> set[str]:
    """Return the keys of all values with digits: `12.50 or 4711` -> `12.5`, `4711`.

    With `WHOLE_FIELD`, small numbers have none here: `KnownText` has the fields.
    """
    keys = set[str]()
    for line in text.splitlines():
        if not has_digit(line):
            continue
        name_numbers = set[int]()
        if small_numbers is SmallNumbers.STANDALONE:
            name_numbers = _starts_of_name_numbers(line)
        # A line has fewer values than characters, so this finds all of them.
        max_values = len(line)
        for value in written_values(line, kinds=NUMERIC_KINDS, max_values=max_values):
            if _has_key(value, small_numbers, name_numbers):
                keys.update(keys_of_value(value))
    return keys


def _has_key(
    value: WrittenValue, small_numbers: SmallNumbers, name_numbers: Collection[int]
) -> bool:
    """Return True if a value of a line has a key. Only small numbers may have none.

    `name_numbers` are the offsets of the line's numbers that belong to a name.
    """
    is_small = value.kind is Kind.NUMBER and is_small_number(value.canonical)
    if not is_small:
        return True
    match small_numbers:
        case SmallNumbers.ALL:
            return True
        case SmallNumbers.STANDALONE:
            is_part_of_measure = bool(value.unit)  # `40%`
            is_part_of_name = value.start in name_numbers  # `Position 1`
            return not is_part_of_measure and not is_part_of_name
        case SmallNumbers.WHOLE_FIELD:
            return False


_NAME_WITH_NUMBER: Final = re2.compile(r"\p{Lu}\p{Ll}+ ([0-9]{1,2})\b")
"""A name that ends with a number: a word with a capital letter, and 1 or 2 digits: `Position 1`."""
_LIST_MARKER: Final = re2.compile(r"(?:^|[.:!?;] +)([0-9]{1,2})[.)] ")
"""The number of an item in a list: `1. Stop.`, or `Here is how: 1. Stop. 2. Turn.` in one line.
It names the item, so it says as little as the number in a name."""


def _starts_of_name_numbers(line: str) -> set[int]:
    """Return the offsets of the numbers in a line that belong to a name, or number an item.

    `See Line 5.` -> 9
    """
    starts = set[int]()
    for pattern in (_NAME_WITH_NUMBER, _LIST_MARKER):
        for match in pattern.finditer(encodable(line)):
            starts.add(match.start(1))
    return starts
