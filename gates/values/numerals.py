"""Reads numbers in digits and in signs, and the scale, unit or next word behind them.

    `1.250,50`, `1 250.5`, `三百二十`          amounts
    ` million euros`, ` kg`, ` seats`       a scale of 6 and EUR, kg, and what is counted

A point or comma is a decimal mark in some languages, and groups digits in others. Often the
number itself shows which: the comma of `1.250,50` is a decimal mark.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact, InvalidOperation, Rounded
from fractions import Fraction
from typing import Final

import re2

from controlplane.gates.values.normal_text import HARD_BLANK, NumberStyle
from controlplane.gates.values.notations import (
    CURRENCIES,
    MYRIADS,
    SHARED_NAMES,
    locale_names,
)
from controlplane.gates.values.spans import LAST_BEFORE_CJK

# Exact amounts as texts in a canonical form, so that equal amounts are equal texts.
#
# The form is `1250.5`, or `10/3` for a fraction without finite decimals. The digits of a
# number with more than `MOST_DIGITS` are only moved, never converted to `int`: that would
# take too long for a million digits.

MOST_DIGITS: Final = 60
"""A number with more digits is compared with others, but is not used in calculations."""


def canonical_amount(digits: str) -> str:
    """Remove needless zeros from digits with at most one point: `0012.50` -> `12.5`."""
    whole, _, decimals = digits.partition(".")
    whole = whole.lstrip("0") or "0"
    decimals = decimals.rstrip("0")
    return f"{whole}.{decimals}" if decimals else whole


def _shifted(amount: str, power: int) -> str:
    """Return a canonical amount times a power of ten, by moving its point.

    `12.5` and 3 -> `12500`; `1250` and -2 -> `12.5`.
    A fraction such as `10/3` stays as it is.
    """
    if "/" in amount:
        return amount
    whole, _, decimals = amount.partition(".")
    if power >= 0:  # the first decimals become a part of the whole
        decimals = decimals.ljust(power, "0")
        return canonical_amount(f"{whole}{decimals[:power]}.{decimals[power:]}")
    places = -power  # the last digits of the whole become decimals
    whole = whole.rjust(places + 1, "0")
    return canonical_amount(f"{whole[:-places]}.{whole[-places:]}{decimals}")


def fraction_text(amount: Fraction) -> str:
    """Return an exact amount in canonical form: 5/2 -> `2.5`; 10/3 -> `10/3`."""
    # A result may have more digits than the numbers that it comes from. With these traps, the
    # division raises an exception if its decimals do not end, as with 10/3.
    context = Context(prec=2 * MOST_DIGITS, traps=[Inexact, InvalidOperation, Rounded])
    try:
        decimal = context.divide(Decimal(amount.numerator), Decimal(amount.denominator))
    except (Inexact, InvalidOperation, Rounded):
        return f"{amount.numerator}/{amount.denominator}"
    sign = "-" if decimal < 0 else ""
    return sign + canonical_amount(f"{abs(decimal):f}")


# A written number with its exact amount: `3½`, `3.4 million`.


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number as it is written.

    written          amount        decimals
    `12.50`          `12.5`         2
    `12`             `12`           0
    `3.4 million`    `3400000`     -5
    """

    amount: str
    """Its canonical form: `1250.5`, `10/3`; equal for equal amounts."""
    decimals: int = 0
    """The place of the last written digit: 2 for hundredths, -5 for 100,000s.

    It shows to which precision the number is given.
    """
    other_amount: str = ""
    """The second amount of a number that can be read in two ways: of `1.250`, 1.25."""
    other_decimals: int = 0


def with_fraction(numeral: Numeral, fraction: Fraction) -> Numeral:
    """Return a numeral with a fraction added: 3 and ½ -> 3.5.

    A number with more than `MOST_DIGITS` digits is returned without the fraction, because
    to calculate with it would take too long.
    """
    if len(numeral.amount) > MOST_DIGITS:
        return numeral
    amount = fraction_text(Fraction(numeral.amount) + fraction)
    decimals = amount.partition(".")[2]
    return Numeral(amount, len(decimals))


def times_power_of_ten(numeral: Numeral, power: int) -> Numeral:
    """Return a numeral times a power of ten, such as 6 for a million: `3.4` -> 3400000.

    `decimals` falls by the power: it is 1 for `3.4`, and 1 - 6 = -5 for `3.4 million`.
    """
    other_amount = ""
    if numeral.other_amount:  # the number can be read in two ways: `1.250 million`
        other_amount = _shifted(numeral.other_amount, power)
    return Numeral(
        amount=_shifted(numeral.amount, power),
        decimals=numeral.decimals - power,
        other_amount=other_amount,
        other_decimals=numeral.other_decimals - power,
    )


def fraction_of_sign(sign: str) -> Fraction:
    """Return the amount of a fraction's sign: `½` -> 1/2."""
    # `numeric` returns a float, 0.333… for ⅓. All signs have denominators far below 1000.
    return Fraction(unicodedata.numeric(sign)).limit_denominator(1000)


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
    last_mark = "." if written.rfind(".") > written.rfind(",") else ","
    if last_mark not in written:
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
    # `1.5`, `1250.500`, `.125`, `0.125`: a group has three digits, and no number begins with 0.
    may_be_groups = len(behind) == _GROUP_DIGITS and 0 < len(before) <= _GROUP_DIGITS
    if not may_be_groups or before.startswith("0"):
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


def _digits_alone(written: str) -> str:
    """Return digits without the marks between them: `1.250,50` -> `125050`."""
    return written.replace(".", "").replace(",", "")


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


# Recognises units by their names in any of the known languages: `Std.` is h.


def unit_of(spelling: str) -> str:
    """Return the name of a unit by one of its spellings: `Std.` -> h, `m²` -> m2; "" for none.

    Case matters for a single letter, and for a spelling that is listed with this case:
    `mW` and `MW` are two units, but `KWH` is `kWh`.
    """
    names = locale_names()
    plain = spelling.replace("²", "2").replace("³", "3")
    without_end_mark = plain.rstrip(".,/")
    for form in (plain, without_end_mark):  # `Std.`, and then `Std`
        if form in names.units:  # with this case: `mW`
            return names.units[form]
        is_single_letter = len(form) == 1 and form.isascii()
        folded_form = form.casefold()
        if not is_single_letter and folded_form in names.folded_units:  # `KWH`
            return names.folded_units[folded_form]
    return ""


def currency_of(spelling: str) -> str:
    """Return the currency by one of its spellings: `€` -> EUR; "" for another unit or word."""
    unit = unit_of(spelling)
    # Several currencies share a name such as `$`. A `pound` is a mass, too, so it may be none.
    is_shared_by_currencies = unit in SHARED_NAMES and unit != "pound"
    return unit if unit in CURRENCIES or is_shared_by_currencies else ""


_MAX_UNIT_WORDS: Final = 3
"""Words of a unit, such as `cubic metres` or `US dollars`."""

# What may stand between a number and its unit

_CITATION_MARK: Final = re2.compile(r"^[ \x{a0}]?\[\^?\d{1,3}(?:[ ,;-]{1,2}\d{1,3})*\]")
"""`[4]` between a number and its unit, as in `3 [4] hours`; also `[^4]` and `[4, 7]`."""
_MARKDOWN: Final = "*_`"
"""Signs between a number and its unit in Markdown: `**12** kg`."""
_BLANKS_AND_HYPHEN: Final = (" ", "\u00a0", "-")
"""Characters between a number and its unit: `12 kg`, `10-day`. The second is a hard blank."""

# The words of a scale or unit

_UNIT_LETTER: Final = r"\p{Latin}\p{Greek}\p{Cyrillic}"
"""Letters of units. A Japanese word may touch a unit: `10kgまで`."""
_FIRST_UNIT_WORD: Final = rf"[{_UNIT_LETTER}%°\p{{Sc}}][{_UNIT_LETTER}\pM%°²³23./]*"
"""`kg`, `m²`, `m2`, `km/h`, `%`, `€`.

`\\pM` are accents, `\\p{Sc}` signs of currencies; 2 and 3 are exponents.
"""
_NEXT_WORD_OR_NOTHING: Final = rf"(?: [{_UNIT_LETTER}][{_UNIT_LETTER}\pM²³.]*)?"
"""` metres` of `cubic metres`, or nothing."""
_UNIT_WORDS: Final = re2.compile(
    "^" + _FIRST_UNIT_WORD + _NEXT_WORD_OR_NOTHING * (_MAX_UNIT_WORDS - 1)
)
"""The words that may be a unit: `kg`, `cubic metres`."""
_CJK_UNIT: Final = re2.compile(r"^ ?([\p{Han}\p{Hangul}\p{Katakana}]{1,6})")
"""Chinese, Japanese or Korean signs whose beginning may be a unit: `円の売上` begins with 円."""
_MILLION_SIGN: Final = "M"
"""`5 M EUR` is five million. In lower case, `m` is the unit meter."""
_MILLION_POWER: Final = 6


@dataclass(frozen=True, slots=True)
class _Measure:
    """What the text behind a number says about it."""

    unit: str = ""
    """`EUR` for ` million euros`, `kg` for ` kg`; empty if no known unit is there."""
    power: int = 0
    """The power of ten of a scale: 6 for ` million euros`; 0 without a scale."""
    follower: str = ""
    """The first word, if it is neither a unit nor a scale: `seats`."""


def measure_behind(behind: str) -> _Measure:
    """Return the scale, the unit or the next word in the text after a number.

    ` million euros` -> unit EUR, power 6; ` kg` -> unit kg; ` seats` -> follower `seats`
    """
    # 1. Skip a citation mark and Markdown: `3 [4] hours`, `**12** kg`.
    citation_mark = _CITATION_MARK.match(behind)
    if citation_mark is not None:
        behind = behind[citation_mark.end() :]
    behind = behind.lstrip(_MARKDOWN)

    # 2. A unit in Chinese or Japanese signs. No blank ends it, so it is the longest unit with
    #    which the signs begin: `円` (yen) of `円の売上`.
    cjk_signs = _CJK_UNIT.match(behind)
    if cjk_signs is not None:
        return _Measure(unit=_unit_at_start_of_signs(cjk_signs[1]))

    # 3. The next three words, if they may be a scale or a unit: `million euros`, `seats at the`.
    if behind[:1] in _BLANKS_AND_HYPHEN:
        behind = behind[1:]
    words = _UNIT_WORDS.match(behind)
    if words is None:
        return _Measure()
    first_word, _, other_words = words[0].partition(" ")

    # 4. A scale, and the unit behind it: `million euros`, `millions de dollars`. A word that is
    #    both counts as a unit: `t` is a ton, though it is a thousand in some languages.
    power = _power_of(first_word)
    if power and not unit_of(first_word):
        unit_words = other_words.removeprefix("de ").removeprefix("of ")
        return _Measure(unit=_unit_at_start_of_words(unit_words), power=power)

    # 5. A unit, or else the word for what is counted: `seats`.
    unit = _unit_at_start_of_words(words[0])
    if unit:
        return _Measure(unit=unit)
    return _Measure(follower=_bare(first_word))


def _power_of(word: str) -> int:
    """Return the power of ten of a scale: `million` -> 6, `Mio.` -> 6; 0 for another word."""
    if word == _MILLION_SIGN:
        return _MILLION_POWER
    return locale_names().scales.get(_bare(word), 0)


def _bare(word: str) -> str:
    """Return a word in lower case, without the point of an abbreviation."""
    return word.rstrip(".").casefold()


def _unit_at_start_of_signs(signs: str) -> str:
    """Return the longest unit at the start of signs without blanks: `円の売上` -> JPY."""
    for size in range(len(signs), 0, -1):
        unit = unit_of(signs[:size])
        if unit:
            return unit
    return ""


def _unit_at_start_of_words(text: str) -> str:
    """Return the longest unit at the start of words: `US dollars a month` -> USD."""
    # Behind a scale, the unit may be in Chinese, Japanese or Korean: `million 円`.
    if text[:1] > LAST_BEFORE_CJK:
        return _unit_at_start_of_signs(text)
    words = text.split(" ")[:_MAX_UNIT_WORDS]
    for count in range(len(words), 0, -1):
        unit = unit_of(" ".join(words[:count]))
        if unit:
            return unit
    # `EUR/month` is not a unit like `km/h`, but an amount of money.
    before_slash = words[0].partition("/")[0]
    return currency_of(before_slash)
