"""Returns the keys of the numbers, dates and telephones in a text.

All spellings of a value have the same key: `15 May 2026` and `2026-05-15` have the key
`2026-05-15` (`value_keys.py`).
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum, auto
from typing import Final

import re2

from controlplane.agent.evidence.origins.values.value_keys import (
    KINDS_WITH_SPELLINGS,
    is_small_number,
    keys_of_value,
)
from controlplane.agent.evidence.texts.words import has_digit
from controlplane.gates.submission import encodable
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values


class SmallNumbers(Enum):
    """Which numbers of one or two digits have keys. Most texts contain some by chance."""

    ALL = auto()
    STANDALONE = auto()
    """Those that are not a part of something, as in `June 26`, `3/5`, `40%`, `Position 1`."""
    NONE = auto()


def spelling_keys(text: str, small_numbers: SmallNumbers) -> set[str]:
    """Return the keys of the numbers, dates and telephones in a text."""
    keys = set[str]()
    for line in text.splitlines():
        if not has_digit(line):
            continue
        starts_in_names = set[int]()
        if small_numbers is SmallNumbers.STANDALONE:
            starts_in_names = _starts_in_names(line)
        for value in written_values(
            line, kinds=KINDS_WITH_SPELLINGS, max_values=len(line)
        ):
            if _counts(value, small_numbers, starts_in_names):
                keys.update(keys_of_value(value))
    return keys


def _counts(
    value: WrittenValue, small_numbers: SmallNumbers, starts_in_names: Collection[int]
) -> bool:
    """Return False for a small number that has no key.

    `starts_in_names` are the offsets of the numbers in a line that belong to a name.
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
"""The number of a list's item: `1. Stop.`, or `Here is how: 1. Stop. 2. Turn.` in one line."""
_NAME_WITH_NUMBER: Final = re2.compile(r"\p{Lu}\p{Ll}+ ([0-9]{1,2})\b")
"""A name that ends with a number: `Position 1`, `Line 5`."""


def _starts_in_names(line: str) -> set[int]:
    """Return the offsets of numbers in a line that are part of a name or number a list's item."""
    starts = set[int]()
    for pattern in (_LIST_MARKER, _NAME_WITH_NUMBER):
        for match in pattern.finditer(encodable(line)):
            starts.add(match.start(1))
    return starts
