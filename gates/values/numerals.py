"""Exact amounts of written numbers: grouped digits, fractions, and the numerals of Chinese,
Japanese and Korean.

No number is turned into an integer by its digits, so their count does not matter.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, InvalidOperation, Rounded
from fractions import Fraction
from typing import Final

from controlplane.gates.values.locale_names import MYRIADS
from controlplane.gates.values.normal_text import HARD_BLANK
from controlplane.gates.values.number_style import NumberStyle

MOST_DIGITS: Final = 60
"""Digits of a number with which is reckoned. A longer one is compared by its digits alone."""
_GROUP_BLANKS: Final = (" ", HARD_BLANK, "'", "_")
_CJK_DIGITS: Final = {
    "〇": 0, "零": 0, "一": 1, "壱": 1, "二": 2, "弐": 2, "两": 2, "三": 3, "参": 3, "四": 4, "五": 5,
    "六": 6, "七": 7, "八": 8, "九": 9,
}  # fmt: skip
_CJK_TENS: Final = {"十": 10, "百": 100, "千": 1000}
CJK_NUMERALS: Final = frozenset({*_CJK_DIGITS, *_CJK_TENS, *MYRIADS})


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number as it is written."""

    amount: str
    """Its canonical form: `1250.5`, `10/3`; equal for equal amounts."""
    decimals: int = 0
    """Decimals as written: 2 for `12.50`, -5 for `3.4 million`."""
    other_amount: str = ""
    """The second reading of a number that may be read in two ways."""
    other_decimals: int = 0


def numeral_of_digits(written: str, style: NumberStyle) -> Numeral:
    """Return the amount of digits with decimal and grouping marks, such as `1.250,50`.

    A single mark with three digits behind it is read by the style of the text; if that is open, the
    numeral has both readings.
    """
    has_blank_groups = False
    for blank in _GROUP_BLANKS:
        if blank in written:
            has_blank_groups = True
            written = written.replace(blank, "")
    last_mark = _last_mark(written)
    if not last_mark:
        return Numeral(canonical_amount(written))
    other_mark = "," if last_mark == "." else "."
    whole, _, rest = written.rpartition(last_mark)
    as_decimal = f"{_digits_alone(whole)}.{rest}"
    as_whole = _digits_alone(written)
    if last_mark in whole:  # `1.250.000`
        return Numeral(canonical_amount(as_whole))
    is_group = len(rest) == 3 and 0 < len(whole) <= 3 and whole[0] != "0"
    if other_mark in whole or has_blank_groups or not is_group:
        return Numeral(canonical_amount(as_decimal), len(rest))
    if style.decimal_mark == last_mark:
        return Numeral(canonical_amount(as_decimal), len(rest))
    if style.decimal_mark == other_mark:
        return Numeral(canonical_amount(as_whole))
    return Numeral(
        canonical_amount(as_whole),
        other_amount=canonical_amount(as_decimal),
        other_decimals=len(rest),
    )


def _last_mark(written: str) -> str:
    point = written.rfind(".")
    comma = written.rfind(",")
    if point == comma:
        return ""
    return "." if point > comma else ","


def _digits_alone(written: str) -> str:
    return written.replace(".", "").replace(",", "")


def canonical_amount(digits: str) -> str:
    """Return digits with at most one point without leading and closing zeros."""
    whole, _, rest = digits.partition(".")
    whole = whole.lstrip("0") or "0"
    rest = rest.rstrip("0")
    return f"{whole}.{rest}" if rest else whole


def with_fraction(numeral: Numeral, fraction: Fraction) -> Numeral:
    """Return a numeral with a fraction added, as in `3½`."""
    if len(numeral.amount) > MOST_DIGITS:
        return numeral
    amount = fraction_text(Fraction(numeral.amount) + fraction)
    return Numeral(amount, len(amount.partition(".")[2]))


def times_power_of_ten(numeral: Numeral, power: int) -> Numeral:
    """Return a numeral times a scale, such as 6 for a million."""
    other_amount = numeral.other_amount and shifted(numeral.other_amount, power)
    return Numeral(
        shifted(numeral.amount, power),
        numeral.decimals - power,
        other_amount,
        numeral.other_decimals - power,
    )


def shifted(amount: str, power: int) -> str:
    """Return a canonical amount with its point moved by `power` digits; a fraction such as
    `10/3` stays as it is."""
    if "/" in amount:
        return amount
    whole, _, rest = amount.partition(".")
    if power >= 0:
        rest = rest.ljust(power, "0")
        return canonical_amount(f"{whole}{rest[:power]}.{rest[power:]}")
    whole = whole.rjust(1 - power, "0")
    return canonical_amount(f"{whole[:power]}.{whole[power:]}{rest}")


def fraction_text(amount: Fraction) -> str:
    """Return an exact amount in canonical form: as a decimal if it has one, else as
    `numerator/denominator`."""
    context = Context(prec=2 * MOST_DIGITS, traps=[Inexact, InvalidOperation, Rounded])
    try:
        decimal = context.divide(Decimal(amount.numerator), Decimal(amount.denominator))
    except (Inexact, InvalidOperation, Rounded):
        return f"{amount.numerator}/{amount.denominator}"
    sign = "-" if decimal < 0 else ""
    return sign + canonical_amount(f"{abs(decimal):f}")


def numeral_of_sign(sign: str) -> Fraction:
    """Return the amount of a fraction's sign, such as `½`."""
    return Fraction(unicodedata.numeric(sign)).limit_denominator(1000)


def numeral_of_myriads(written: str, style: NumberStyle) -> Numeral:
    """Return the amount of digits with signs of powers of ten, such as `6,189万9,000` and `2.4億`."""
    total = Fraction(0)
    decimals = 0
    digits = ""
    for character in f"{written} ":
        power = MYRIADS.get(character)
        if power is None and character != " ":
            digits += character
            continue
        if digits and len(digits) <= MOST_DIGITS:
            part = times_power_of_ten(numeral_of_digits(digits, style), power or 0)
            total += Fraction(part.amount)
            decimals = part.decimals
        digits = ""
    return Numeral(fraction_text(total), decimals)


def numeral_of_cjk(written: str) -> Numeral | None:
    """Return the amount of a number in signs, such as `三百二十` or `二〇二六`; None if it is not one."""
    if len(written) > MOST_DIGITS:
        return None
    if all(sign in _CJK_DIGITS for sign in written):
        return Numeral(canonical_amount("".join(str(_CJK_DIGITS[sign]) for sign in written)))
    total = 0
    section = 0
    digit = 0
    for sign in written:
        if sign in _CJK_DIGITS:
            digit = digit * 10 + _CJK_DIGITS[sign]
        elif sign in _CJK_TENS:
            section += (digit or 1) * _CJK_TENS[sign]
            digit = 0
        elif sign in MYRIADS:
            total += (section + digit or 1) * 10 ** MYRIADS[sign]
            section = 0
            digit = 0
        else:
            return None
    return Numeral(str(total + section + digit))
