"""Reads from a cell's number format how the cell shows a number.

For `"ca. "#,##0.00" km"`, the text `ca. ` is before the digits, and there are commas and two
decimals. Authors of spreadsheets put units and currencies into formats. A question about
amounts in EUR could not be answered without them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from typing import Final, NamedTuple

from controlplane.benchmarks.files.documents.cells.format_tokens import (
    Token,
    format_sections,
)
from controlplane.benchmarks.files.documents.cells.number_layout import (
    PLACEHOLDERS,
    Layout,
)

GENERAL: Final = "General"
UNSUPPORTED_CODES: Final = frozenset("/eE@")
"""Codes of fractions, powers of ten and texts.

A number with such a format is shown as if it had none.
"""


def layout_for(value: float | Decimal, number_format: str) -> Layout | None:
    """Return how a number is shown. None: as it is, without a format."""
    if number_format == GENERAL or not math.isfinite(value):
        return None
    layouts = _layouts_of(number_format)
    if value < 0:
        return layouts.negative
    if value == 0:
        return layouts.zero
    return layouts.positive


class _Layouts(NamedTuple):
    """The layouts of one format, by the sign of the number."""

    positive: Layout | None
    negative: Layout | None
    zero: Layout | None


@lru_cache(maxsize=256)
def _layouts_of(number_format: str) -> _Layouts:
    """Return the layouts of a format: three for `0.00;(0.00);0`.

    A format has up to four sections: for positive numbers, negative numbers, zero, and
    texts. If the section for negative numbers or zero is missing, the first one is used.
    """
    sections = format_sections(number_format)
    positive = _layout_of(sections[0])
    negative = positive
    zero = positive
    if len(sections) > 1:
        negative = _negative_layout(sections[1])
    if len(sections) > 2:
        zero = _zero_layout(sections[2])
    return _Layouts(positive, negative, zero)


def _negative_layout(section: Sequence[Token]) -> Layout | None:
    """Return the layout of the section for negative numbers: `(0.00)` or `-0.00`.

    If the section shows a minus or parentheses, no other minus is added to the number.
    """
    layout = _layout_of(section)
    if layout is None:
        return None
    surrounding_text = layout.before + layout.after
    has_own_sign = "-" in surrounding_text or "(" in surrounding_text
    return replace(layout, has_own_sign=has_own_sign)


def _zero_layout(section: Sequence[Token]) -> Layout | None:
    """Return the layout of the section for zero, or None if zero is then shown as `0`.

    That is so for a section without a digit, such as `"-"`, so that a column of numbers
    has only numbers.
    """
    layout = _layout_of(section)
    if layout is None or "0" not in layout.whole_part:
        return None
    return layout


def _layout_of(section: Sequence[Token]) -> Layout | None:
    """Return the layout that a section of a format describes, from its tokens: `0.00" km"`.

    A token is a code (`0`), a text (` km`) or something in brackets (`[Red]`). The result is
    None if the section shows no digits (`"n/a"`), or has a code that is not supported
    (`# ?/?`).
    """
    digit_positions = []
    for position, token in enumerate(section):
        if token.code in PLACEHOLDERS:
            digit_positions.append(position)
    if not digit_positions or not _is_supported(section):
        return None

    end_of_digits = digit_positions[-1] + 1
    after_digits = section[end_of_digits:]
    layout = _layout_up_to_last_digit(section[:end_of_digits])
    return replace(
        layout,
        after="".join(_shown_text(token) for token in after_digits),
        scaling_commas=sum(token.code == "," for token in after_digits),
        percent_signs=sum(token.code == "%" for token in section),
    )


def _is_supported(section: Sequence[Token]) -> bool:
    """Return True if a section has no condition and no unsupported code."""
    for token in section:
        if token.code in UNSUPPORTED_CODES:
            return False
        if token.kind == "bracket" and _is_condition(token.text):
            return False
    return True


def _is_condition(bracket: str) -> bool:
    """Return True if a bracket is a condition, such as `[>=100]`.

    An empty one counts, too: nobody knows what it means, so its format is not used.
    """
    inside = bracket[1:-1]
    return not inside or inside[0] in "<>="


def _layout_up_to_last_digit(tokens: Sequence[Token]) -> Layout:
    """Return the layout of the tokens up to the last placeholder of a digit: `"ca. "#,##0.00`."""
    before = ""
    whole_part: list[str] = []
    decimals = ""
    is_after_point = False
    for token in tokens:
        if token.code == ".":
            is_after_point = True
        elif token.code in PLACEHOLDERS and is_after_point:
            decimals += token.code
        elif token.code in PLACEHOLDERS:
            whole_part.append(token.code)
        elif token.code == ",":
            continue  # It may separate thousands (`has_thousands`).
        elif whole_part:
            whole_part.append(_shown_text(token))
        else:
            before += _shown_text(token)
    return Layout(
        before=before,
        whole_part=tuple(whole_part),
        least_decimals=decimals.count("0"),
        most_decimals=len(decimals),
        has_thousands=_has_comma_between_digits(tokens),
    )


def _shown_text(token: Token) -> str:
    """Return the text that a token shows beside the digits.

    It is `€` for `[$€-407]`, and empty for a colour such as `[Red]`, a point and a comma.
    """
    if token.code in (".", ","):
        return ""
    if token.kind != "bracket":
        return token.text
    inside = token.text[1:-1]
    if inside.startswith("$"):
        return inside[1:].partition("-")[0]
    return ""


def _has_comma_between_digits(tokens: Sequence[Token]) -> bool:
    """Return True for a comma that separates thousands: in `#,##0`, but not in `0,`."""
    codes = [token.code for token in tokens if token.code]
    for before, comma, after in zip(codes, codes[1:], codes[2:], strict=False):
        if comma == "," and before in PLACEHOLDERS and after in PLACEHOLDERS:
            return True
    return False
