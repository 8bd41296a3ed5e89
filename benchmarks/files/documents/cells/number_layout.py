"""How a number is shown in a cell: with which signs, digits, separators and texts.

The format `"ca. "#,##0.00" km"` shows 1234.5 as `ca. 1,234.50 km`. `layout_parser` reads this
layout from the format, and `number_text` writes a number in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

PLACEHOLDERS: Final = frozenset("0#?")
"""Codes of a format that stand for a digit.

`0` shows a zero if the number has no digit there.
"""


@dataclass(frozen=True, slots=True)
class Layout:
    """How a number is shown, read from one section of a number format.

    For `"ca. "#,##0.00" km"`, the text `ca. ` is before the digits and ` km` after
    them. Thousands have commas, and there are always two decimals.
    """

    before: str = ""
    """The text before the digits, such as a currency sign."""
    after: str = ""
    """The text after the digits, such as a unit."""
    whole_part: tuple[str, ...] = ()
    """The placeholders before the decimal point, and the texts between them.

    For `00-00` it is `("0", "0", "-", "0", "0")`: 1234 is shown as `12-34`."""
    least_decimals: int = 0
    """The number of decimals that are shown even if they are zeros: 1 for `0.0#`."""
    most_decimals: int = 0
    """The number of decimals that have room: 2 for `0.0#`."""
    has_thousands: bool = False
    """True if commas separate thousands."""
    percent_signs: int = 0
    """Each multiplies the number by 100."""
    scaling_commas: int = 0
    """The number of commas after the digits, as in `0,`. Each divides the number by 1,000."""
    has_own_sign: bool = False
    """True if `before` and `after` show that the number is negative, as in `(0.00)`."""

    def scaled(self, number: Decimal) -> Decimal:
        """Return the number to display: 25 for 0.25 with a percent sign."""
        exponent = 2 * self.percent_signs - 3 * self.scaling_commas
        return number.scaleb(exponent)
