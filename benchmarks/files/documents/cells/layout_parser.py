"""Reads from a cell's number format how the cell shows a number.

For `"ca. "#,##0.00" km"`, the text `ca. ` is before the digits, and there are commas and two
decimals. Authors of spreadsheets put units and currencies into formats. A question about
amounts in EUR could not be answered without them.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Final

from controlplane.benchmarks.files.documents.cells.format_tokens import (
    Token,
    format_sections,
)
from controlplane.benchmarks.files.documents.cells.number_layout import (
    PLACEHOLDERS,
    Layout,
)

GENERAL: Final = "General"


# The layout of a number


def layout_for(value: float | Decimal, number_format: str) -> Layout | None:
    """Return how a number is shown. None: as it is, without a format.

    A format has up to four sections: for positive numbers, negative numbers, zero, and
    texts, as in `0.00;(0.00);"-"`. If the section for negative numbers or zero is
    missing, the first one is used.
    """
    if number_format == GENERAL or not math.isfinite(value):
        return None
    sections = format_sections(number_format)
    if value < 0 and len(sections) > 1:
        return _negative_layout(sections[1])
    if value == 0 and len(sections) > 2:
        return _zero_layout(sections[2])
    return _parsed_layout(sections[0])


def _negative_layout(section: list[Token]) -> Layout | None:
    """Return the layout of the section for negative numbers: `(0.00)` or `-0.00`.

    If the section shows a minus or parentheses, no other minus is added to the number.
    """
    layout = _parsed_layout(section)
    if layout is not None:
        surrounding_text = layout.before + layout.after
        layout.has_own_sign = "-" in surrounding_text or "(" in surrounding_text
    return layout


def _zero_layout(section: list[Token]) -> Layout | None:
    """Return the layout of the section for zero, or None if zero is then shown as `0`.

    That is so for a section without a digit, such as `"-"`, so that a column of numbers
    has only numbers.
    """
    layout = _parsed_layout(section)
    if layout is None or "0" not in layout.whole_part:
        return None
    return layout


def _parsed_layout(section: list[Token]) -> Layout | None:
    """Return the layout that a section of a format describes, from its tokens: `0.00" km"`.

    A token is a code (`0`), a text (` km`) or something in brackets (`[Red]`). The result is
    None if the section shows no digits (`"n/a"`), or has a code that is not supported
    (`# ?/?`).
    """
    last_placeholder = _last_placeholder(section)
    if last_placeholder is None or not _is_supported(section):
        return None
    layout = Layout(has_thousands=_has_comma_between_digits(section))
    decimal_placeholders = ""
    is_after_point = False
    for position, token in enumerate(section):
        is_after_digits = position > last_placeholder
        code = token.text if token.kind == "code" else ""
        if code in PLACEHOLDERS and is_after_point:
            decimal_placeholders += code
        elif code in PLACEHOLDERS:
            layout.whole_part.append(code)
        elif code == ".":
            is_after_point = True
        elif code == "," and is_after_digits:
            layout.scaling_commas += 1
        elif code == ",":
            continue  # A comma between digits is in `has_thousands` already.
        else:
            if code == "%":
                layout.percent_signs += 1
            _add_text(layout, _shown_text(token), is_after_digits=is_after_digits)
    layout.least_decimals = decimal_placeholders.count("0")
    layout.most_decimals = len(decimal_placeholders)
    return layout


UNSUPPORTED_CODES: Final = frozenset("/eE@")
"""Codes of fractions, powers of ten and texts.

A number with such a format is shown as if it had none.
"""


def _is_supported(section: list[Token]) -> bool:
    """Return True if a section has no condition and no unsupported code."""
    for token in section:
        if token.kind == "code" and token.text in UNSUPPORTED_CODES:
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


def _shown_text(token: Token) -> str:
    """Return the text that a token shows: the currency for `[$€-407]`, nothing for a colour."""
    if token.kind != "bracket":
        return token.text
    inside = token.text[1:-1]
    if inside.startswith("$"):
        return inside[1:].partition("-")[0]
    return ""


def _add_text(layout: Layout, text: str, *, is_after_digits: bool) -> None:
    """Add a text to a layout: before, between or after the digits, as far as these are read."""
    if is_after_digits:
        layout.after += text
    elif layout.whole_part:  # between digits
        layout.whole_part.append(text)
    else:
        layout.before += text


def _last_placeholder(tokens: list[Token]) -> int | None:
    """Return the index of the last digit placeholder; None if there is none."""
    last = None
    for position, token in enumerate(tokens):
        if token.kind == "code" and token.text in PLACEHOLDERS:
            last = position
    return last


def _has_comma_between_digits(tokens: list[Token]) -> bool:
    """Return True for a comma that separates thousands: in `#,##0`, but not in `0,`."""
    codes = [token.text for token in tokens if token.kind == "code"]
    for before, comma, after in zip(codes, codes[1:], codes[2:], strict=False):
        if comma == "," and before in PLACEHOLDERS and after in PLACEHOLDERS:
            return True
    return False
