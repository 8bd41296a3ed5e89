"""Reads the amounts of Chinese and Japanese numbers: `6,189万9,000`, `三百二十`."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from controlplane.gates.values.digits import (
    MOST_DIGITS,
    Numeral,
    canonical_amount,
    fraction_text,
    numeral_of_digits,
    times_power_of_ten,
)
from controlplane.gates.values.locale_names import MYRIADS
from controlplane.gates.values.number_style import NumberStyle

_END_OF_NUMBER: Final = " "
"""Appended to a number before a loop over its characters, so that its last digits end, too."""
_CJK_DIGITS: Final = {
    "〇": 0, "零": 0, "一": 1, "壱": 1, "二": 2, "弐": 2, "两": 2, "三": 3, "参": 3, "四": 4, "五": 5,
    "六": 6, "七": 7, "八": 8, "九": 9,
}  # fmt: skip
# Ten, hundred and thousand. `MYRIADS` has the higher signs, such as 万 (10,000).
_CJK_TENS: Final = {"十": 10, "百": 100, "千": 1000}
CJK_NUMERALS: Final = frozenset({*_CJK_DIGITS, *_CJK_TENS, *MYRIADS})


def numeral_of_digits_with_signs(written: str, style: NumberStyle) -> Numeral:
    """Return the amount of digits with signs of powers of ten: `6,189万9,000` -> 61899000.

    Each sign multiplies the digits before it, and the parts are added: 6,189 * 10,000 + 9,000.
    A part with more than `MOST_DIGITS` is left out. The `decimals` are those of the last part.
    """
    total = Fraction(0)
    decimals = 0
    digits = ""
    for character in written + _END_OF_NUMBER:
        if character not in MYRIADS and character != _END_OF_NUMBER:
            digits += character
            continue
        # The digits of a part end here: `6,189` at the 万, `9,000` at the end of the number.
        if digits and len(digits) <= MOST_DIGITS:
            power = MYRIADS.get(character, 0)  # 4 for 万; 0 at the end of the number
            part = times_power_of_ten(numeral_of_digits(digits, style), power)
            total += Fraction(part.amount)
            decimals = part.decimals
        digits = ""
    return Numeral(fraction_text(total), decimals)


def numeral_of_signs(written: str) -> Numeral | None:
    """Return the amount of a number in signs: `三百二十` -> 320, `二〇二六` -> 2026.

    Returns None if a sign is not a part of a number.
    """
    if len(written) > MOST_DIGITS:
        return None

    # 1. Digits alone are read as in 2026.
    if all(sign in _CJK_DIGITS for sign in written):
        digits = [str(_CJK_DIGITS[sign]) for sign in written]
        return Numeral(canonical_amount("".join(digits)))

    # 2. Else a digit is multiplied by the ten, hundred or thousand behind it, and the sum of these
    #    by the 万 behind them: 三百二十万 is (3 * 100 + 2 * 10) * 10,000.
    total = 0  # the amount up to the last 万 or higher sign
    section = 0  # the thousands, hundreds and tens since then
    digit = 0  # the digit that waits for the sign behind it
    for sign in written:
        if sign in _CJK_DIGITS:
            # Several digits in a row are one number: 二五万 is 250,000.
            digit = digit * 10 + _CJK_DIGITS[sign]
        elif sign in _CJK_TENS:
            factor = digit or 1  # 十 alone is ten
            section += factor * _CJK_TENS[sign]
            digit = 0
        elif sign in MYRIADS:
            factor = (section + digit) or 1  # 万 alone is 10,000
            total += factor * 10 ** MYRIADS[sign]
            section = 0
            digit = 0
        else:
            return None
    return Numeral(str(total + section + digit))
