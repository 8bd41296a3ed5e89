"""The text of a number in a cell: 1234.5 with the format `#,##0.00 "EUR"` is `1,234.50 EUR`.

A typed number keeps all its digits, also if its format shows fewer. So amounts that are shown in
whole euros keep their cents, and can be summed.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from controlplane.benchmarks.files.documents.cells.layout_parser import layout_for
from controlplane.benchmarks.files.documents.cells.number_layout import (
    PLACEHOLDERS,
    Layout,
)

SIGNIFICANT_DIGITS: Final = 15
"""The digits that a spreadsheet keeps. Later digits are noise, as in 0.30000000000000004."""
TYPED_DIGITS: Final = 10
"""A number with at most this many digits was typed by a person: 1234.56. It is not rounded.

A number with more digits was computed, as 1/3 = 0.333333333333333. It is rounded as its
format says, because nobody needs its further digits.
"""


def number_text(value: float | Decimal, number_format: str) -> str:
    """Return a number in its format: `1,234.50 EUR`."""
    layout = layout_for(value, number_format)
    if layout is None:
        return _general_text(value)
    number = rounded_number(layout.scaled(exact_decimal(value)), layout)
    has_minus = number < 0 and not layout.has_own_sign
    sign = "-" if has_minus else ""
    whole, _, decimals = f"{abs(number):f}".partition(".")
    # Zeros at the end are shown only where the format has a `0`.
    decimals = decimals.rstrip("0").ljust(layout.least_decimals, "0")
    text = _whole_text(whole, layout)
    if decimals:
        text += f".{decimals}"
    return f"{sign}{layout.before}{text}{layout.after}".strip()


def _general_text(value: float | Decimal) -> str:
    """Return a number without a format. Very small and large numbers use powers of ten."""
    if isinstance(value, int):
        return str(value)
    return f"{value:.{SIGNIFICANT_DIGITS}g}"


def exact_decimal(value: float | Decimal) -> Decimal:
    """Return a number without the noise of binary fractions: 0.3 for 0.30000000000000004."""
    if isinstance(value, int):
        return Decimal(value)
    return Decimal(f"{value:.{SIGNIFICANT_DIGITS}g}")


def rounded_number(number: Decimal, layout: Layout) -> Decimal:
    """Round a number by its format, unless it has so few digits that it was typed by hand."""
    digits = len(number.normalize().as_tuple().digits)
    if digits <= TYPED_DIGITS:
        return number
    return number.quantize(Decimal(1).scaleb(-layout.most_decimals), ROUND_HALF_UP)


def _whole_text(digits: str, layout: Layout) -> str:
    """Return the digits before the decimal point as the layout shows them.

    - In `00000`: `501` -> `00501`.
    - In `#,##0`: `123456` -> `123,456`.
    - In `00-00-00`: `123456` -> `12-34-56`.
    """
    least_digits = layout.whole_part.count("0")
    digits = digits.lstrip("0")
    if layout.has_thousands:
        # Python counts the commas in the width: 6 for the five digits of `00,501`.
        width = least_digits + max(least_digits - 1, 0) // 3
        return f"{int(digits or '0'):0{width},}"
    digits = digits.rjust(least_digits, "0")
    has_text_between = any(part not in PLACEHOLDERS for part in layout.whole_part)
    if has_text_between:
        return _interleaved(digits, layout.whole_part)
    return digits or "0"


def _interleaved(digits: str, whole_part: Sequence[str]) -> str:
    """Fill digits into a format such as `00-00`, from the right: `123` -> `1-23`.

    Text is shown only if there are digits before it. Surplus digits go in front.
    """
    reversed_parts: list[str] = []
    remaining_digits = digits
    for part in reversed(whole_part):
        if part in PLACEHOLDERS:
            reversed_parts.append(remaining_digits[-1:])
            remaining_digits = remaining_digits[:-1]
        elif remaining_digits:
            reversed_parts.append(part)
    return remaining_digits + "".join(reversed(reversed_parts))
