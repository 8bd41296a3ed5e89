"""Returns the keys of the numbers, dates, times, ids, telephones and accounts in a text.

A key is what all spellings of a value share (`value_keys.py`): a text with `15 May 2026`
or `2026-05-15` has the key `2026-05-15`. An argument with that date is found by it.
"""

from __future__ import annotations

from collections.abc import Container
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

    | mode | `13` | `delete file 13` | `40%`, `Position 1` |
    |---|---|---|---|
    | `ALL`, for texts of the user and the rules | 13 | 13 | 40, 1 |
    | `STANDALONE`, for running text | 13 | 13 | |
    | `WHOLE_FIELD`, for fields of data | 13 | | |

    So a mail with `40%` says nothing about an argument `40`, and neither does a field `Room 40`.
    """

    ALL = auto()
    STANDALONE = auto()
    """Not the number of a measure, such as `40%`, and not one in a name, such as `Position 1`."""
    WHOLE_FIELD = auto()
    """Only a number that is the whole text of a field."""


def keys_of_numbers(text: str, small_numbers: SmallNumbers) -> set[str]:
    """Return the keys of all values with digits: `12.50 or 4711` -> `12.5`, `4711`.

    With `WHOLE_FIELD`, small numbers are left out. `KnownText`, which has the single fields,
    adds those that are a whole field.
    """
    keys = set[str]()
    for line in text.splitlines():
        if has_digit(line):
            for value in _counting_values(line, small_numbers):
                keys.update(keys_of_value(value))
    return keys


def _counting_values(line: str, small_numbers: SmallNumbers) -> list[WrittenValue]:
    """Return the values with digits in a line, except the small numbers that do not count."""
    # A line has fewer values than characters, so this finds all of them.
    values = written_values(line, kinds=NUMERIC_KINDS, max_values=len(line))
    match small_numbers:
        case SmallNumbers.ALL:
            return values
        case SmallNumbers.WHOLE_FIELD:
            return [value for value in values if not _is_small(value)]
        case SmallNumbers.STANDALONE:
            starts_in_names = _starts_of_numbers_in_names(line)
            return [
                value
                for value in values
                if not _is_small(value) or _stands_alone(value, starts_in_names)
            ]


def _is_small(value: WrittenValue) -> bool:
    """Return True for a number of one or two digits: `13`, `40%`."""
    return value.kind is Kind.NUMBER and is_small_number(value.canonical)


def _stands_alone(number: WrittenValue, starts_in_names: Container[int]) -> bool:
    """Return True for a number that is in no measure, such as `40%`, and in no name."""
    return not number.unit and number.start not in starts_in_names


_NUMBER_IN_NAME: Final = re2.compile(r"\p{Lu}\p{Ll}+ ([0-9]{1,2})\b")
"""A word with a capital letter, and a number of 1 or 2 digits: `Position 1`."""
_LIST_MARKER: Final = re2.compile(r"(?:^|[.:!?;] +)([0-9]{1,2})[.)] ")
"""The number of an item in a list: `1. Stop.`, or `Here is how: 1. Stop. 2. Turn.` in one line.
It names the item, so it says as little as the number in a name."""


def _starts_of_numbers_in_names(line: str) -> set[int]:
    """Return where the numbers start that name something: `See Line 5.` -> 9."""
    text = encodable(line)
    starts = set[int]()
    for pattern in (_NUMBER_IN_NAME, _LIST_MARKER):
        for match in pattern.finditer(text):
            starts.add(match.start(1))
    return starts
