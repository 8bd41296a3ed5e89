"""Returns the keys of the numbers, dates, times, ids, telephones and accounts in a text.

A key is what all spellings of a value share (`keys.py`): a text with `15 May 2026` or
`2026-05-15` has the key `2026-05-15`. An argument with that date is found by it. The spellings
have no word in common, so the words of a text are not enough to find it.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.origins.values.small_numbers import (
    SmallNumbers,
    values_that_count,
)
from controlplane.agent.evidence.origins.values.value_keys import keys_of_value
from controlplane.agent.evidence.texts.words import has_digit
from controlplane.gates.values.value_kinds import Kind
from controlplane.gates.values.written_values import written_values

_KINDS_WITH_DIGITS: Final = (
    Kind.NUMBER,
    Kind.DATE,
    Kind.TIME,
    Kind.TELEPHONE,
    Kind.IBAN,
    Kind.ID,
)


def keys_of_numbers(text: str, small_numbers: SmallNumbers) -> set[str]:
    """Return the keys of all values with digits, except small numbers that do not count.

    | text | `small_numbers` | keys |
    |---|---|---|
    | `12.50 or 4711` | any | `12.5`, `4711` |
    | `40% of 4711` | `ALL` | `40`, `4711` |
    | `40% of 4711` | `STANDALONE`, `WHOLE_FIELD` | `4711` |
    """
    keys = set[str]()
    # Records of the same kind repeat lines such as `"quantity": 12`.
    for line in set(text.splitlines()):
        if has_digit(line):
            # A line has fewer values than characters, so this finds all of them.
            values = written_values(
                line, kinds=_KINDS_WITH_DIGITS, max_values=len(line)
            )
            for value in values_that_count(values, line, small_numbers):
                keys.update(keys_of_value(value))
    return keys
