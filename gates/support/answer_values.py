"""The values of an answer, and which of them need support.

In "14. Loans: 3 files, 470 EUR [2]", the values are 14, 3 and 470; the [2] is a citation mark.
Only 470 needs support: the 14 is the number of a list item, and the 3 a small count.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import re2

from controlplane.gates.support.matching import is_stated
from controlplane.gates.support.sources import Source
from controlplane.gates.text_folding import encodable
from controlplane.gates.values.spans import ValueKind, WrittenValue
from controlplane.gates.values.written_values import written_values
from controlplane.sandbox.interface import bounds

_MAX_SMALL_COUNT: Final = 12
"""Whole numbers up to this one need no support: they may count what the answer lists."""
_MAX_CITATION_MARK_DIGITS: Final = 3
"""A longer number in brackets is a value of its own: `[2026]`."""
_BLOCK_IN_BACK_QUOTES: Final = r"```.*?(?:^[ \t]*```|\z)"
_BLOCK_IN_TILDES: Final = r"~~~.*?(?:^[ \t]*~~~|\z)"
_CODE_BLOCK: Final = re2.compile(
    rf"(?ms)^[ \t]*(?:{_BLOCK_IN_BACK_QUOTES}|{_BLOCK_IN_TILDES})"
)
"""A block of code: from a line with three back quotes or tildes to the next one, or the end.

`(?ms)`: `^` is the start of any line, and `.` any character.
"""
_ENDS_OF_ITEM_NUMBER: Final = (". ", ") ")
"""What stands behind the number of a list item: `14. Loans`, `14) Loans`."""


def answer_values(answer: str) -> list[WrittenValue]:
    """Return the values of an answer in order, except citation marks (`[4]`) and code blocks.

    Of a longer answer, the first `bounds.MOST_COMPARED_CHARS` characters are read.
    """
    text = encodable(answer[: bounds.MOST_COMPARED_CHARS])
    text = _CODE_BLOCK.sub(_blank_lines, text)
    values: list[WrittenValue] = []
    for value in written_values(text):
        is_in_brackets = text.endswith("[", 0, value.start) and text.startswith(
            "]", value.end
        )
        is_short_number = (
            value.kind is ValueKind.NUMBER
            and len(value.text) <= _MAX_CITATION_MARK_DIGITS
        )
        if not is_in_brackets or not is_short_number:  # not `[4]`
            values.append(value)
    return values


def _blank_lines(block: re2._Match) -> str:
    """Return as many line breaks as a code block has characters.

    The block then has no values, and the values behind it keep their offsets.
    """
    return "\n" * len(block[0])


def needs_no_support(value: WrittenValue, answer: str) -> bool:
    """Return True for a small count (`3 files`) and for the number of a list item (`14. `)."""
    is_plain_number = (
        value.kind is ValueKind.NUMBER and not value.unit and value.text.isdecimal()
    )
    if not is_plain_number:
        return False
    # Checked first, because `int` refuses a text of thousands of digits.
    has_few_digits = len(value.canonical) <= len(str(_MAX_SMALL_COUNT))
    if has_few_digits and int(value.canonical) <= _MAX_SMALL_COUNT:
        return True
    # The number of an item begins a line, and a point or parenthesis follows: `14. Loans`.
    line_start = answer.rfind("\n", 0, value.start) + 1
    begins_line = not answer[line_start : value.start].strip()
    behind = answer[value.end : value.end + 2]
    return begins_line and behind in _ENDS_OF_ITEM_NUMBER


# The values that a text states, and which of them another text states, too.
#
#     values_reported("It is 1,250 EUR for KR-204.", "total: 1250.00")     # ["1,250"]
#
# Values are compared in any spelling, but not the words around them.


def states_value(text: str, value: WrittenValue) -> bool:
    """Return True if a text states a value, in any spelling: `1250.00` states the `1,250`."""
    return is_stated(value, [_source_of(text)])


@lru_cache(maxsize=8)
def _source_of(text: str) -> Source:
    """Return a text as a source. Many values are compared with the same text, one after another."""
    return Source("", text)


def values_reported(text: str, other_text: str | None = None) -> list[str]:
    """Return the values of a text as they are written, except quotations.

    With `other_text`, return only those that it states, too: `1,250` if it has `1250.00`.
    """
    reported: list[str] = []
    for value in answer_values(text):
        if value.kind is ValueKind.QUOTATION:
            continue
        if other_text is None or states_value(other_text, value):
            reported.append(value.text)
    return reported
