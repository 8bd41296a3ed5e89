"""The numbers in a script that need a source, because the script may have invented them.

In `print(sum(fees) * 36 / 100)`, the 36 must stand in the question or in a text that was
read. The 100 need not: it makes a percentage.
"""

from __future__ import annotations

import ast
from typing import Final

from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values

_KINDS: Final = frozenset({Kind.NUMBER, Kind.DATE, Kind.MONTH, Kind.TIME})
"""The kinds of values that a script may have invented."""
CONVERSION_CONSTANTS: Final = frozenset(
    {"24", "30", "52", "60", "100", "360", "365"}
    | {"1000", "1024", "3600", "86400", "1000000"}
)
"""Numbers that convert units or make percentages, in canonical form: 1000 for `1,000`."""
MAX_SMALL_NUMBER: Final = 12
"""Whole numbers up to this one need no source: they may be indexes, widths or counts."""


def numbers_that_need_source(literal: ast.Constant) -> list[str]:
    """Return the numbers, dates and times in a literal that need a source.

    Leaves out small counts and constants of conversions: of `"36 rows, 12 EUR"`, only
    36 is returned.
    """
    match literal.value:
        case bool():  # also an `int` for Python
            return []
        case str() as text:
            # In a query, `40+7` is two numbers. Without the blanks it would be read as an id.
            text = text.replace("+", " ").replace("*", " ")
        case int() | float():
            text = ast.unparse(literal).lstrip("-")
        case _:  # None, for example
            return []
    return [value.text for value in written_values(text) if _needs_source(value)]


def _needs_source(value: WrittenValue) -> bool:
    """Return True for a number that a script may have invented: 36, but not 2, 100 or 3600."""
    if value.kind not in _KINDS:
        return False
    number = value.canonical
    if not number.isdigit():
        return True
    # The length is checked first, because `int` refuses thousands of digits.
    is_short = len(number) <= len(str(MAX_SMALL_NUMBER))
    is_small = is_short and int(number) <= MAX_SMALL_NUMBER
    return not is_small and number not in CONVERSION_CONSTANTS
