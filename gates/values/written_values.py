"""Reads the values that a text states into canonical forms.

    written_values("Paid 1.250,50 € on 12 March 2026.")
    # a number, 1250.5 EUR, and a date, 2026-03-12

The text is normalised. Then each form of value is searched for in turn, the most
specific first. Values that one form found are hidden from the next, so that the digits
of a date are not read again as numbers. Patterns run on RE2, so the time is linear in
the length of the text.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import Final

import re2

from controlplane.gates.values.dates import ERA_YEARS_ALONE, TIMES, dates
from controlplane.gates.values.identifiers import (
    IBANS,
    IDS,
    MAILS,
    QUOTATIONS,
    TELEPHONES,
    URLS,
    VERSIONS,
)
from controlplane.gates.values.normal_text import (
    NormalText,
    NumberStyle,
    normalize_text,
    number_style_of,
)
from controlplane.gates.values.notations import (
    APPROXIMATIONS,
    MYRIADS,
)
from controlplane.gates.values.numerals import (
    CJK_NUMERALS,
    Numeral,
    currency_of,
    fraction_of_sign,
    measure_behind,
    numeral_of_digits,
    numeral_of_digits_with_signs,
    numeral_of_signs,
    times_power_of_ten,
    with_fraction,
)
from controlplane.gates.values.spans import (
    ALL_KINDS,
    LAST_BEFORE_CJK,
    Form,
    FormGroup,
    Span,
    ValueKind,
    WrittenValue,
    is_word_character,
)
from controlplane.sandbox.interface import bounds

# Adds to a number what stands around it: sign, scale, unit, currency.
#
# `€-5` is -5 EUR, and `3.4 million euros` is 3400000 EUR.

_MAX_UNIT_CHARS: Final = 40
"""Characters after a number that are searched for its scale and unit."""
_CHARS_BEFORE: Final = 24
"""Characters before a number that are searched for its sign and currency, and a word such as `about`."""
_YEAR_DIGITS: Final = 4
_CURRENCY_SIGN: Final = r"[\p{L}]{0,3}\p{Sc}"
"""`€`, `US$`"""
_CURRENCY_CODE: Final = r"\b[A-Z]{3}"
"""`EUR`"""
_CURRENCY_ABBREVIATION: Final = r"\bRs\.?|\bFr\.?|\bkr\.?"
_CURRENCY_BEFORE: Final = re2.compile(
    rf"({_CURRENCY_SIGN}|{_CURRENCY_CODE}|{_CURRENCY_ABBREVIATION})[ \x{{a0}}]?$"
)
"""A currency at the end of the text before a number: `€`, `EUR `, `kr. `.

`\\x{a0}` is a hard blank; an f-string needs two braces for it.
"""
_BEFORE_SIGN: Final = r"(?:^|[\s(\x{a0}:=;,|>\p{Sc}\p{Hiragana}、。為为是至到])"
"""The beginning of a text, or a character after which `-5` is negative: `(`, `=`, `€`, は.

After a letter, as in `B-5`, the `-` is a hyphen.
"""
_SIGN_BEFORE: Final = re2.compile(_BEFORE_SIGN + "([+-])$")
"""A sign at the end of the text before a number: ` -`, `(-`, `€-`. Group 1 is `+` or `-`."""


_PERCENT_BEFORE: Final = re2.compile(r"(?:^|\n ?|[^\pN\s%]\s|[^\pL\pN\s%])%[ \x{a0}]?$")
"""The sign of a percentage before its number: `%13,8`, as in Turkish. Not in `12 %5` or `a%20`."""
_MINUS_WORD: Final = re2.compile(r"(?i)\bmin(?:us|ut) $")
"""The word of many languages before a negative number: `minus 2.5 °C`."""
_LAST_WORD: Final = re2.compile(r"([\pL~≈]+)\.?[ \x{a0}]?$")
"""The word before a number: `about `."""
_MINUS_BEHIND: Final = re2.compile(r"^-(?:$|[\s|;,)\p{Sc}])")
"""The minus sign of bookkeepers behind a number: `250,00-`."""
_CLOSING_PARENTHESIS: Final = re2.compile(r"^[ \x{a0}]?[\p{Sc}%]?\)")
"""The end of `(1,234.50)` or `(1.234,50 €)`."""


def _number_value(span: Span, numeral: Numeral, end: int) -> WrittenValue:
    """Return the number from the start of a match to an offset, with its sign, scale and unit.

    `numeral` has the amount of the digits alone: of 3.4 in `3.4 million euros`, the result is
    3400000 EUR, and of 5 in `€-5`, it is -5 EUR.
    """
    text = span.match.string
    start = span.start
    text_before = text[max(start - _CHARS_BEFORE, 0) : start]
    text_behind = text[end : end + _MAX_UNIT_CHARS]

    # 1. Behind the number: its scale and unit, as in `3.4 million euros`.
    measure = measure_behind(text_behind)
    if measure.power:
        numeral = times_power_of_ten(numeral, measure.power)
    unit = measure.unit
    if unit == "year" and len(numeral.amount) == _YEAR_DIGITS:
        unit = ""  # `2026年` names a year, and does not count 2026 years

    # 2. Directly before the number: its minus sign, which becomes a part of the value.
    minus = ""
    has_plus = False
    sign_match = _SIGN_BEFORE.search(text_before)
    if sign_match is not None and sign_match[1] == "-":
        minus = "-"
        start -= len(minus)
        text_before = text_before.removesuffix(minus)
    elif sign_match is not None:
        has_plus = True
        text_before = text_before.removesuffix("+")

    # 3. Before that: its currency, as in `€-5` and `-$5`, or the sign of a percentage.
    currency_match = _CURRENCY_BEFORE.search(text_before)
    currency = "" if currency_match is None else currency_of(currency_match[1])
    if currency_match is not None and currency:
        text_before = text_before[: currency_match.start()]
        sign_match = _SIGN_BEFORE.search(text_before)
        if sign_match is not None and sign_match[1] == "-":
            minus = "-"
    if not unit:
        unit = currency
    if not unit and _PERCENT_BEFORE.search(text_before) is not None:
        unit = "%"

    # 4. The word behind a number without a unit, which says what it counts: `45 seats`.
    follower = ""
    if not unit:
        follower = measure.follower

    # 5. The second reading of an ambiguous number: `1.199` is 1199 or 1.199.
    is_in_parentheses = text_before.endswith("(") and not minus
    may_be_negative = _MINUS_BEHIND.search(text_behind) is not None
    if is_in_parentheses and _CLOSING_PARENTHESIS.search(text_behind) is not None:
        may_be_negative = True
    if _MINUS_WORD.search(text_before) is not None:
        may_be_negative = True
    other_amount = ""
    if numeral.other_amount:
        other_amount = minus + numeral.other_amount

    # 6. The zeros of a rounded number: `about 86,300`.
    decimals = numeral.decimals
    last_word = _LAST_WORD.search(text_before)
    if last_word is not None and _is_approximation(last_word[1]):
        digits = numeral.amount.rstrip("0")
        if decimals == 0 and len(digits) >= _LEAST_ROUNDED_DIGITS:
            decimals = len(digits) - len(numeral.amount)
    return WrittenValue(
        kind=ValueKind.NUMBER,
        text=text[start:end],
        start=start,
        end=end,
        canonical=minus + numeral.amount,
        unit=unit,
        decimals=decimals,
        other_canonical=other_amount,
        other_decimals=numeral.other_decimals,
        follower=follower,
        may_be_negative=may_be_negative,
        has_plus=has_plus,
    )


_LEAST_ROUNDED_DIGITS: Final = 3
"""The zeros of `about 86,300` come from rounding. Too many numbers are near 2,400."""


def _is_approximation(word: str) -> bool:
    """Return True for a word such as `about`; of signs without blanks, the last ones count: は約."""
    if word.casefold() in APPROXIMATIONS:
        return True
    is_cjk = word[-1:] > LAST_BEFORE_CJK
    return is_cjk and any(word.endswith(sign) for sign in APPROXIMATIONS)


# Reads numbers of Chinese, Japanese and Korean: `6,189万9,000`, `2.4億円`, `三百二十`.

_THOUSANDS: Final = ("千", "천")
"""Signs for a thousand, in Chinese characters and in Korean ones."""
_NEVER_FIRST: Final = frozenset(MYRIADS) - {"千"}
"""Signs with which no number begins, because they multiply what is before them.

So `万一` is not a number, but a word (emergency). Only 千 can come first: `千二百` is 1200.
"""
_MYRIAD_SIGN: Final = "[" + "".join(MYRIADS) + "]"
"""`万` (10,000), `億`, and other signs of powers of ten."""
_DIGITS_WITH_SIGN: Final = rf"\d[\d.,]* ?{_MYRIAD_SIGN}+ ?"
"""`6,189万`, `2.4億 `"""
_CLOSING_DIGITS: Final = r"(?:\d[\d.,]*\d|\d)?"
"""`9,000` of `6,189万9,000`. A comma or point at the end is not part of the number."""
_MYRIADS: Final = rf"(?:{_DIGITS_WITH_SIGN})+{_CLOSING_DIGITS}"
"""`6,189万9,000`"""
_CJK_NUMBER: Final = "[" + "".join(sorted(CJK_NUMERALS)) + "]{2,}"
"""`三百二十`"""


def _read_myriads(span: Span) -> list[WrittenValue]:
    """Read digits with signs of powers of ten: `6,189万9,000` -> 61899000, `2.4億` -> 240000000.

    `5千` is read only if text follows, because a name may end with 千, too. So is `5万 ` with a
    blank.
    """
    is_at_end_of_text = span.behind(1) == ""
    if is_at_end_of_text and span.written.endswith((" ", *_THOUSANDS)):
        return []
    written = span.written.rstrip()
    numeral = numeral_of_digits_with_signs(written, span.style)
    return [_number_value(span, numeral, span.start + len(written))]


def _read_cjk_number(span: Span) -> list[WrittenValue]:
    """Read a number in signs: `三百二十` -> 320. Returns nothing for signs that may be a word."""
    if span.written[0] in _NEVER_FIRST:  # `万一` (emergency)
        return []
    numeral = numeral_of_signs(span.written)
    if numeral is None:
        return []
    value = _number_value(span, numeral, span.end)
    is_short = len(span.written) <= 2
    if is_short and not value.unit:  # `十分` (enough)
        return []
    return [value]


_MYRIAD_NUMBERS: Final = Form(ValueKind.NUMBER, _MYRIADS, _read_myriads)
_CJK_NUMBERS: Final = Form(ValueKind.NUMBER, _CJK_NUMBER, _read_cjk_number)


# Reads numbers with fractions: `3½`, `½`, `3 1/2`.

_FRACTION: Final = r"(?:(?P<whole>\d{1,9}) ?)?[¼½¾⅐-⅞]"
"""`3½`, `3 ½`, `½`"""
_MIXED_FRACTION: Final = (
    r"(?P<whole>\d{1,9})[ \x{a0}-](?P<numerator>[1-7])/(?P<denominator>[2-8])"
)
"""`3 1/2`, `3-1/2`"""


def _read_fraction(span: Span) -> list[WrittenValue]:
    """Read a number with a fraction, or a fraction's sign alone: `3 1/2` -> 3.5, `½` -> 0.5."""
    if span.part("denominator"):
        fraction = Fraction(int(span.part("numerator")), int(span.part("denominator")))
    else:
        fraction = fraction_of_sign(span.written[-1])  # the `½` of `3½`
    whole = Numeral(span.part("whole") or "0")
    return [_number_value(span, with_fraction(whole, fraction), span.end)]


# A match counts only if no letter or digit touches it (`is_alone`), and if no mark joins it to
# a digit (`joining_marks`): `3 1/2` is not read in `3 1/2/26`.

_MIXED_FRACTIONS: Final = Form(
    ValueKind.NUMBER,
    _MIXED_FRACTION,
    _read_fraction,
    is_alone=True,
    joining_marks="/.,",
)
_FRACTIONS: Final = Form(ValueKind.NUMBER, _FRACTION, _read_fraction, is_alone=True)


# Reads numbers in digits: `1,250.50`, `1 250`, `12`.

_GROUPED: Final = r"\d{1,3}(?:[ \x{a0}']\d{3})+(?:[.,]\d+)?\b"
"""`1 250`, `17 342 500.5`: groups of three digits. `\\x{a0}` is a hard blank."""
_PLAIN: Final = r"\d+(?:[.,]\d+)*"
"""`12`, `1,250.50`"""
_ONE_NUMBER: Final = re2.compile(
    r"\d+(?:[.,]\d+)?"  # `12`, `12.5`, `12,5`
    r"|\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?"  # `1,250,000.50`, `12,50,000`
    r"|\d{1,3}(?:\.\d{3})+(?:,\d+)?"  # `1.250.000,50`
)
"""Digits whose marks are those of one number. Others are cells side by side: `101,2.3`."""


def _read_number(span: Span) -> list[WrittenValue]:
    """Read digits with marks: `1,250.50 EUR` -> 1250.5 EUR.

    `17 342 500` without a unit is one number in a text that groups digits by blanks, and three
    in another text.
    """
    before = span.before(2)
    is_in_word = is_word_character(before[-1:])
    is_exponent = before[-1:] == "^" and before[:1].isalnum()  # `10^6`
    if is_in_word or is_exponent:
        return []
    has_blanks = any(blank in span.written for blank in (" ", "\u00a0", "'"))
    if not has_blanks and _ONE_NUMBER.fullmatch(span.written) is None:
        return _separate_numbers(span, ",")
    numeral = numeral_of_digits(span.written, span.style)
    value = _number_value(span, numeral, span.end)
    if " " in span.written and not value.unit and not span.style.groups_by_blanks:
        return _separate_numbers(span, " ")
    return [value]


def _separate_numbers(span: Span, separator: str) -> list[WrittenValue]:
    """Return the numbers between the separators of a match: `17 342 500` -> 17, 342, 500."""
    values: list[WrittenValue] = []
    start = span.start
    for part in span.written.split(separator):
        end = start + len(part)
        numeral = numeral_of_digits(part, span.style)
        value = WrittenValue(
            kind=ValueKind.NUMBER,
            text=part,
            start=start,
            end=end,
            canonical=numeral.amount,
            decimals=numeral.decimals,
            other_canonical=numeral.other_amount,
            other_decimals=numeral.other_decimals,
        )
        values.append(value)
        start = end + 1
    return values


_NUMBERS: Final = Form(ValueKind.NUMBER, f"{_GROUPED}|{_PLAIN}", _read_number)


RANGE_SIGNS: Final = ("-", "to", "bis", "à", "až", "do", "al", "tot", "~")
"""The signs and words between the first and the last number of a range: `10-12 %`, `10 to 12 %`."""
_HIDDEN: Final = "\x00"
"""Replaces each character of a value that was found."""
_UNKNOWN_DATE: Final = re2.compile(
    r"\b\d{1,2} [\p{Thai}\p{Devanagari}\p{Bengali}\p{Tamil}\p{Hebrew}\p{Arabic}\p{Georgian}\p{Armenian}]"
    r"[\pL\pM.]* \d{4}\b"
)
"""A day, a word and a year in a script whose months are not known: they are not three numbers."""


def written_values(
    text: str,
    *,
    kinds: Collection[ValueKind] = ALL_KINDS,
    style: NumberStyle | None = None,
    max_values: int = bounds.MOST_READ_VALUES,
) -> list[WrittenValue]:
    """Return the values of a text in order, at most `max_values` of each form.

    "Paid 1.250,50 € on 12 March 2026." has the number 1250.5 EUR and the date 2026-03-12.

    `style` decides how ambiguous numbers such as `1.199` are read. By default, it is
    derived from the text. For a part of a longer text, pass the style of the whole.
    """
    normal = normalize_text(text)
    if style is None:
        style = number_style_of(normal.text)

    # A form is one way to write a value: a date in words (`12 May`), digits (`1,250.50`).
    values: list[WrittenValue] = []
    remaining_text = normal.text
    for group in _form_groups():
        if not group.is_in(remaining_text):
            continue
        for form in group.forms:
            if form is _NUMBERS:
                remaining_text = _UNKNOWN_DATE.sub(_hidden, remaining_text)
            if form.kind in kinds:
                found = form.values_in(remaining_text, style, max_values)
                values += found
                # The 12 of `12 May` must not be read again, as a number.
                remaining_text = _without(found, remaining_text)

    values.sort(key=lambda value: value.start)
    values = _with_units_of_ranges(values, normal.text)
    return [_as_in_given_text(value, text, normal) for value in values]


def values_of_line(line: str, style: NumberStyle) -> tuple[WrittenValue, ...]:
    """Return all values of a line but quotations, in a text of a style.

    What provenance has read of a file is read again by the marks of the answer, and by gate 5 for
    each reason. So a line is read once for all of them.
    """
    if len(line) > bounds.MOST_LINE_CHARS:  # not kept
        return _values_of_line.__wrapped__(line, style)
    return _values_of_line(line, style)


@lru_cache(maxsize=1_024)
def _values_of_line(line: str, style: NumberStyle) -> tuple[WrittenValue, ...]:
    # A line has fewer values than characters, so this finds all of them.
    values = written_values(
        line, kinds=_KINDS_ON_LINES, style=style, max_values=len(line)
    )
    return tuple(values)


_KINDS_ON_LINES: Final = ALL_KINDS - {ValueKind.QUOTATION}
"""The kinds of values that are read from lines; quotations are searched for in the whole text."""


def _hidden(match: re2._Match) -> str:
    """Return what hides a match."""
    return _HIDDEN * len(match[0])


def _without(values: list[WrittenValue], text: str) -> str:
    """Return a text of the same length in which the characters of values are hidden.

    `12 May, 3 kg` without the date -> six times `_HIDDEN`, and `, 3 kg`
    """
    if not values:
        return text
    parts: list[str] = []
    end = 0
    for value in values:
        if value.end <= end:  # inside the previous value: the 20 kg of `below_20_kg`
            continue
        parts.append(text[end : value.start])
        parts.append(_HIDDEN * (value.end - value.start))
        end = value.end
    parts.append(text[end:])
    return "".join(parts)


def _with_units_of_ranges(values: list[WrittenValue], text: str) -> list[WrittenValue]:
    """Give the first number of a range the unit of the last: both of `10-12 %` are percentages."""
    completed = list(values)
    # From the end, so that a unit passes through a chain of ranges: `5 - 10 - 15 kg`.
    for index in reversed(range(len(values) - 1)):
        first = completed[index]
        last = completed[index + 1]
        if first.kind is not ValueKind.NUMBER or last.kind is not ValueKind.NUMBER:
            continue
        is_range = text[first.end : last.start].strip() in RANGE_SIGNS
        if is_range and not first.unit:
            # `follower` is the word that says what is counted: `seats` for both of `3-5 seats`.
            completed[index] = replace(first, unit=last.unit, follower=last.follower)
    return completed


def _as_in_given_text(
    value: WrittenValue, text: str, normal: NormalText
) -> WrittenValue:
    """Return a value with the text and offsets that it has in the original text.

    The value was read in the normalised text, which may be longer or shorter: `12.5` of `１２．５`.
    """
    start = normal.offset_of(value.start)
    # The end is behind the last character of the value. The offset of the next character may be
    # too far, because invisible characters between the two were dropped from the normal text.
    last_character = normal.offset_of(value.end - 1)
    end = last_character + 1
    return replace(value, text=text[start:end], start=start, end=end)


@cache
def _form_groups() -> list[FormGroup]:
    """Return the forms in the order in which they are looked for, the most specific first.

    Each would also match a part of an earlier one: an id in the telephone number
    `030/1234567` or the fraction `3 1/2`, and a number in the id `KR-204`.

    Most groups have one form. Dates and times have many, which are tried only in a text that
    has one of them.
    """
    forms_before_dates = [QUOTATIONS, URLS, MAILS, IBANS]
    forms_behind_times = [
        ERA_YEARS_ALONE,
        TELEPHONES,
        _MIXED_FRACTIONS,
        VERSIONS,
        IDS,
        _FRACTIONS,
        _MYRIAD_NUMBERS,
        _CJK_NUMBERS,
        _NUMBERS,
    ]
    return [
        *(FormGroup([form]) for form in forms_before_dates),
        dates(),
        TIMES,
        *(FormGroup([form]) for form in forms_behind_times),
    ]
