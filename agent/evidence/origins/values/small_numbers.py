"""Says which numbers of one or two digits count as values of a text.

Most texts have some by chance: a mail with “40% off, see Position 1” says nothing about an
argument `40` or `1` of a call. But “please delete 13” may be where the call has its `13` from.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final

import re2

from controlplane.agent.evidence.origins.values.keys import is_small_number
from controlplane.gates.surrogates import encodable
from controlplane.gates.values.value_kinds import Kind, WrittenValue


class SmallNumbers(Enum):
    """Which small numbers of a text count."""

    ALL = auto()
    """All, in a text of the user and in the rules: also the 40 of `40%`."""
    STANDALONE = auto()
    """In running text, those that stand alone: the 13 of `delete 13`. The number of a measure
    (`40%`), of a name (`Position 1`) and of an item in a list (`1. Stop`) does not count."""
    WHOLE_FIELD = auto()
    """In fields of data, those that are a whole field, such as the id `7`, but not the 13 of
    `Room 13`. In a line of text, none counts: `KnownText` knows the fields, and adds them."""


def values_that_count(
    values: list[WrittenValue], line: str, small_numbers: SmallNumbers
) -> list[WrittenValue]:
    """Return the values of a line without the small numbers that do not count."""
    match small_numbers:
        case SmallNumbers.ALL:
            return values
        case SmallNumbers.WHOLE_FIELD:
            return [value for value in values if not _is_small(value)]
        case SmallNumbers.STANDALONE:
            starts_in_names = _starts_of_numbers_in_names(line)
            counting: list[WrittenValue] = []
            for value in values:
                stands_alone = not value.unit and value.start not in starts_in_names
                if stands_alone or not _is_small(value):
                    counting.append(value)
            return counting


def _is_small(value: WrittenValue) -> bool:
    """Return True for a number of one or two digits: `13`, `40%`."""
    return value.kind is Kind.NUMBER and is_small_number(value.canonical)


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
