"""Says which numbers of one or two digits count as values of a text.

Most texts have some by chance: a mail with “40% off, see Position 1” says nothing about an
argument `40` or `1` of a call. But “please delete 13” may be where the call has its `13` from.
"""

from __future__ import annotations

from enum import Enum, auto

from controlplane.agent.evidence.origins.values.keys import is_small_number
from controlplane.agent.evidence.origins.values.numbers_in_names import (
    starts_of_numbers_in_names,
)
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
    `Room 13`. (`text_keys.py` looks for these fields. Of the numbers within a line, none counts.)"""


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
            starts_in_names = starts_of_numbers_in_names(line)
            counting: list[WrittenValue] = []
            for value in values:
                stands_alone = not value.unit and value.start not in starts_in_names
                if stands_alone or not _is_small(value):
                    counting.append(value)
            return counting


def _is_small(value: WrittenValue) -> bool:
    """Return True for a number of one or two digits: `13`, `40%`."""
    return value.kind is Kind.NUMBER and is_small_number(value.canonical)
