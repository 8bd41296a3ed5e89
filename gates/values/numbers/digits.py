"""Reads digits with decimal and grouping marks: `1.250,50`, `1 250.5`, `1.250`.

A point or comma is a decimal mark in some languages, and groups digits in others. Often the
number itself shows which: the comma of `1.250,50` is a decimal mark.
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.values.normal_characters import HARD_BLANK
from controlplane.gates.values.number_style import NumberStyle
from controlplane.gates.values.numbers.amounts import canonical_amount
from controlplane.gates.values.numbers.numerals import Numeral

_GROUP_BLANKS: Final = (" ", HARD_BLANK, "'", "_")
"""Signs that can only group digits, unlike a point or a comma: `1 250`, `1'250`, `1_250`."""
_GROUP_DIGITS: Final = 3


def numeral_of_digits(written: str, style: NumberStyle) -> Numeral:
    """Return the amount of digits with decimal and grouping marks: `1.250,50` -> 1250.5.

    `1.250` alone is 1250 or 1.25. The style of the text decides: whether its other numbers
    have a decimal point or comma. If it is unknown, the numeral has both amounts.
    """
    # 1. Remove the signs that can only group digits: `1 250.5` -> `1250.5`.
    has_blank_groups = False
    for blank in _GROUP_BLANKS:
        if blank in written:
            has_blank_groups = True
            written = written.replace(blank, "")

    # 2. Read the last mark in both ways: as a decimal mark, and as one that groups digits. The
    #    marks before it can only group.
    last_mark = _last_mark(written)
    if not last_mark:
        return Numeral(canonical_amount(written))
    before, _, behind = written.rpartition(last_mark)
    as_whole = Numeral(canonical_amount(_digits_alone(written)))
    as_decimal = Numeral(
        canonical_amount(f"{_digits_alone(before)}.{behind}"), len(behind)
    )

    # 3. The number itself may show which reading is right.
    if last_mark in before:  # `1.250.000`: a number has only one decimal mark
        return as_whole
    other_mark = "," if last_mark == "." else "."
    # `1.250,50`, `1 250.5`: groups have one sign
    if other_mark in before or has_blank_groups:
        return as_decimal
    if not _may_be_groups(before, behind):  # `1.5`: a group has three digits
        return as_decimal

    # 4. `1.250` does not show it. The other numbers of the text may.
    if style.decimal_mark == last_mark:
        return as_decimal
    if style.decimal_mark == other_mark:
        return as_whole
    return Numeral(
        as_whole.amount,
        other_amount=as_decimal.amount,
        other_decimals=as_decimal.decimals,
    )


def _may_be_groups(before: str, behind: str) -> bool:
    """Return True if a mark between two runs of digits may group them: `1.250`, `999.999`.

    False for `1.5`, `1250.500`, `.125` and `0.125`.
    """
    if len(behind) != _GROUP_DIGITS:
        return False
    if not 0 < len(before) <= _GROUP_DIGITS:
        return False
    return not before.startswith("0")


def _last_mark(written: str) -> str:
    """Return the point or comma that comes last, or "" if there is neither."""
    point = written.rfind(".")
    comma = written.rfind(",")
    if point == comma:
        return ""
    return "." if point > comma else ","


def _digits_alone(written: str) -> str:
    """Return digits without the marks between them: `1.250,50` -> `125050`."""
    return written.replace(".", "").replace(",", "")
