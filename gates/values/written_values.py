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
from functools import cache
from typing import Final

import re2

from controlplane.gates.values.addresses import MAILS, QUOTATIONS, URLS
from controlplane.gates.values.cjk_numerals import (
    CJK_NUMERALS,
    numeral_of_digits_with_signs,
    numeral_of_signs,
)
from controlplane.gates.values.dates import ERA_YEARS_ALONE, dates
from controlplane.gates.values.digits import (
    Numeral,
    fraction_of_sign,
    numeral_of_digits,
    times_power_of_ten,
    with_fraction,
)
from controlplane.gates.values.ids import IDS
from controlplane.gates.values.locale_names import (
    MYRIADS,
    TWELVE_HOUR_MARKS,
    ZONE_OFFSETS,
)
from controlplane.gates.values.measures import currency_of, measure_behind
from controlplane.gates.values.normal_text import NormalText, normalize_text
from controlplane.gates.values.number_style import NumberStyle, number_style_of
from controlplane.gates.values.spans import (
    ALL_KINDS,
    Form,
    FormGroup,
    Span,
    ValueKind,
    WrittenValue,
    is_word_character,
)
from controlplane.sandbox.interface import bounds

# Reads international account numbers (IBAN): `DE89 3704 0044 0532 0130 00`.

_IBAN_BLANK: Final = r"[ \x{a0}-]?"
_IBAN_COUNTRY_AND_CHECKSUM: Final = r"[A-Z]{2}\d{2}"
"""`DE89`"""
_IBAN_GROUPS: Final = (
    rf"(?:{_IBAN_BLANK}[A-Z\d]{{4}}){{2,7}}(?:{_IBAN_BLANK}[A-Z\d]{{1,3}})?"
)
"""Groups of four letters and digits, and a shorter last one: ` 3704 0044 0532 0130 00`."""
_IBAN: Final = rf"(?i)\b{_IBAN_COUNTRY_AND_CHECKSUM}{_IBAN_GROUPS}\b"
"""`DE89 3704 0044 0532 0130 00`. The standard allows 15 to 34 characters."""


def _read_iban(span: Span) -> list[WrittenValue]:
    """Return an international account number if its checksum is right."""
    account = _letters_and_digits(span.written).upper()
    if not _has_iban_checksum(account):
        return []
    return [span.value(ValueKind.IBAN, account)]


def _has_iban_checksum(account: str) -> bool:
    """Check an account number by ISO 13616.

    The country and the checksum are moved to the end, and each letter becomes
    a number (A is 10, Z is 35). The resulting number must leave the remainder
    1 when divided by 97.
    """
    rearranged = account[4:] + account[:4]
    digits = ""
    for character in rearranged:
        digits += str(int(character, base=36))
    return int(digits) % 97 == 1


def _letters_and_digits(text: str) -> str:
    """Return the letters and digits of a text: `GB33 BUKB` -> `GB33BUKB`."""
    return "".join(character for character in text if character.isalnum())


# `is_alone`: a match counts only if no letter or digit touches it.

_IBANS: Final = Form(ValueKind.IBAN, _IBAN, _read_iban, is_alone=True)


# Reads telephone numbers: `+49 (0) 30 1234567`, `030/1234567`, `555-123-4567`.
#
# A pattern finds digits with blanks and marks that may be telephone numbers. `_read_telephone`
# divides them if they are several numbers in a row, and drops what is something else.

_TELEPHONE_START: Final = r"(?:\+|\(?0)\d{0,5}\)?"
"""The code of the country or the area: `+49`, `(030)`, `0171`."""
_TELEPHONE_GROUP: Final = r"(?:[ \x{a0}/.-]{0,3}\(?\d+\)?)"
"""Further digits: ` 123`, `/1234567`, ` (0)`. `\\x{a0}` is a hard blank."""
_TELEPHONE_FORMS: Final = (
    _TELEPHONE_START
    + _TELEPHONE_GROUP
    + "{1,8}",  # `+49 (0) 30 1234567`, `030/1234567`
    r"\(\d{3}\) ?\d{3}[ -]\d{4}",  # the American `(555) 123-4567`
    r"\b\d{3}-\d{3}-\d{4}\b",  # the American `555-123-4567`
)
_TELEPHONE: Final = "|".join(_TELEPHONE_FORMS)
"""Several telephone numbers in a row are one match: `030 1234567 +49 171 2345678`."""
_LEAST_TELEPHONE_DIGITS: Final = 7
"""A number with fewer digits is taken for something else, such as an amount."""
_MOST_TELEPHONE_DIGITS: Final = 15
"""The longest number by the recommendation E.164."""


def _read_telephone(span: Span) -> list[WrittenValue]:
    """Return the telephone numbers of a match, which may contain several in a row.

    `030 1234567 +49 171 2345678` -> both numbers. A match that touches a letter or digit, or
    that follows a mark, is a part of something else, such as an id. A mark behind it may just
    end the sentence.
    """
    before = span.before(1)
    follows_mark = before != "" and before in ".,-/#_"
    if follows_mark or is_word_character(before) or is_word_character(span.behind(1)):
        return []
    values: list[WrittenValue] = []
    remaining = span.written
    while remaining:
        written = _first_telephone(remaining)
        canonical = _canonical_telephone(written)
        if not canonical:  # what remains is something else, such as an amount
            break
        start = span.end - len(remaining)
        end = start + len(written)
        values.append(WrittenValue(ValueKind.TELEPHONE, written, start, end, canonical))
        remaining = remaining[len(written) :].lstrip(" ")
    return values


def _first_telephone(written: str) -> str:
    """Return the first of several telephone numbers in a row.

    `030 1234567 +49 171 2345678` -> `030 1234567`
    """
    # 1. A `+` or `(` begins the next number, but not in `+49 (30) 1234567`: there are fewer
    #    characters before this `(` than a telephone number has digits.
    first = written
    for sign_of_next in (" +", " ("):
        position = first.find(sign_of_next, _LEAST_TELEPHONE_DIGITS)
        if position >= 0:
            first = first[:position]

    # 2. Without such a sign, too many digits show a second number: `030 1234567 0171 2345678`.
    #    The last groups are dropped until the digits can be one number.
    while len(_digits_of(first)) > _MOST_TELEPHONE_DIGITS and " " in first:
        first = first.rpartition(" ")[0]
    return first.rstrip(" /.-")


def _canonical_telephone(written: str) -> str:
    """Return the digits of a telephone number, or "" if it cannot be one.

    `+49 (0) 30 1234567`, `0049 30 1234567` -> `+49301234567`; `030 1234567` -> `0301234567`
    """
    if not _looks_like_telephone(written):
        return ""
    # The zero of `+49 (0) 30` is dialled only within the country.
    without_trunk_zero = written.replace("(0)", "")
    digits = _digits_of(without_trunk_zero)
    if not _LEAST_TELEPHONE_DIGITS <= len(digits) <= _MOST_TELEPHONE_DIGITS:
        return ""
    # `0049`, not `0003`: the code of a country never begins with 0.
    has_international_prefix = digits.startswith("00") and digits[2] != "0"
    if without_trunk_zero.startswith("+") or has_international_prefix:
        return "+" + digits.removeprefix("00")
    return digits


def _looks_like_telephone(written: str) -> bool:
    """Return True if digits look like a telephone number rather than an amount.

    `+49 30 1234567`, `030 1234567` and `(030) 1234567` show it by their beginning, and
    `555-123-4567` by its hyphens. `0.1234567` is an amount.
    """
    if written.startswith("0."):
        return False
    return "-" in written or written[:1] in ("+", "0", "(")


def _digits_of(text: str) -> str:
    """Return the digits of a text: `(030) 12` -> `03012`."""
    return "".join(character for character in text if character.isdigit())


_TELEPHONES: Final = Form(ValueKind.TELEPHONE, _TELEPHONE, _read_telephone)


# The patterns of times of day: `17:10 CET`, `5.10 pm`, `9.30 Uhr`, `kl. 11.30`, `午後5時`.
#
# They share these groups: `hour`, `minute`, `second`, `zone`, `am_or_pm` (`a` or `p`), `daytime`
# (`午後`), and `half_hour` (`半`, which is half past).

_ZONE_NAMES: Final = "|".join(ZONE_OFFSETS)
_ZONE_OFFSET: Final = r" ?(?:UTC|GMT)? ?[+-]\d{1,2}(?::?\d{2})?\b"
"""` UTC+2`, `+02:00`, `-0530`"""
_ZONE: Final = rf"(?P<zone>Z\b|{_ZONE_OFFSET}| (?:{_ZONE_NAMES})\b)?"
"""`Z`, ` UTC+2`, `+02:00`, ` CET`, or nothing."""
_AM_OR_PM: Final = r"(?P<am_or_pm>[ap])\.?m\b\.?"
"""`am`, `p.m.`; the group has the `a` or the `p`."""
_DAYTIME: Final = rf"(?:(?P<daytime>{'|'.join(TWELVE_HOUR_MARKS)}) ?)?"
"""`午後` (after noon), `오전` (before noon), or nothing."""
_HOUR: Final = r"(?P<hour>\d{1,2})"
_MINUTE: Final = r"(?P<minute>\d{2})"

_SECOND: Final = r"(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
"""`:05`, `:05.250`, or nothing."""

_WITH_COLON: Final = (
    rf"(?i){_DAYTIME}{_HOUR}:{_MINUTE}{_SECOND}(?: ?{_AM_OR_PM})?{_ZONE}"
)
"""`17:10`, `17:10:05`, `5:10 pm`, `17:10 CET`"""
_WITH_H: Final = rf"(?i){_HOUR} ?h ?{_MINUTE}"
"""`17h10`, `17 h 10`"""
_WITH_POINT: Final = rf"(?i){_HOUR}\.{_MINUTE} ?(?:uhr\b|uur\b|hod\b\.?|{_AM_OR_PM})"
"""`9.30 Uhr`, `11.30 a.m.`"""

_CLOCK_WORDS: Final = "kl|godz|klo|klokken|kello"
"""Words for "o'clock", "hour" or "at" in several languages."""
_WORDS_BEFORE_MINUTES: Final = "ore|ob|godzinie"
"""Words that only introduce a time with minutes: `ore 9.30`. `ore 9` may be 9 of anything."""
_BEHIND_CLOCK_WORD: Final = (
    rf"(?i)\b(?:{_CLOCK_WORDS}|{_WORDS_BEFORE_MINUTES})\b\.? ?{_HOUR}[.:]{_MINUTE}"
)
"""`kl. 11.30`, `godz. 9.00`"""
_HOUR_BEHIND_CLOCK_WORD: Final = rf"(?i)\b(?:{_CLOCK_WORDS})\b\.? ?{_HOUR}"
"""`kl. 11`"""
_FULL_HOUR: Final = rf"(?i){_HOUR} ?(?:uhr\b|uur\b|o'clock\b|{_AM_OR_PM})"
"""`9 Uhr`, `9 a.m.`, `9 o'clock`"""
_EAST_ASIAN_MINUTE: Final = r"(?: ?(?P<minute>\d{1,2}) ?[分분]|(?P<half_hour>半))?"
"""`10分`, `5分` (unlike elsewhere, one digit will do), `半`, or nothing."""
_EAST_ASIAN: Final = rf"{_DAYTIME}{_HOUR} ?[時时点點시]{_EAST_ASIAN_MINUTE}"
"""`17時10分`, `午後5時半`, `오후 5시`, `下午3点`; 半 is half past."""
_TIME_PATTERNS: Final = (
    _WITH_COLON,
    _WITH_H,
    _WITH_POINT,
    _BEHIND_CLOCK_WORD,
    _HOUR_BEHIND_CLOCK_WORD,
    _FULL_HOUR,
    _EAST_ASIAN,
)
"""The patterns in the order in which they are tried, the more specific ones first."""


# Reads times of day: `17:10 CET`, `5.10 pm`, `9.30 Uhr`, `kl. 11.30`, `午後5時`.

_HOUR_SIGNS: Final = ("時", "时", "시")
"""`o'clock` in Japanese, Chinese and Korean."""
_DURATION_SIGNS: Final = ("間", "间", "간")
"""Signs that make a duration of hours: `18時間` is 18 hours, and `18時` is 18:00."""


def _read_time(span: Span) -> list[WrittenValue]:
    """Read a time of day: `5:10 pm CET` -> 17:10 in the zone +01:00.

    `span.part("hour")` is what the group `hour` of the pattern matched. Returns nothing for a
    duration or an impossible time: `18時間` (18 hours), `17:65`.
    """
    # 1. The hour and the minute as they are written.
    if span.written[-1] in _HOUR_SIGNS and span.behind(1) in _DURATION_SIGNS:
        return []
    hour = int(span.part("hour"))
    minute = int(span.part("minute") or 0)
    if span.part("half_hour"):  # 半
        minute = 30
    if hour > 24 or minute > 59:
        return []

    # 2. The hour from 0 to 23.
    am_or_pm = span.part("am_or_pm").casefold()  # `a` or `p`
    daytime = span.part("daytime")  # such as 午後, "after noon"
    if am_or_pm or daytime:
        is_afternoon = am_or_pm == "p" or TWELVE_HOUR_MARKS.get(daytime, False)
        hour = hour % 12  # 12 am is midnight, 12 pm is noon
        if is_afternoon:
            hour += 12
    if hour == 24:  # 24:00 is the end of a day, and 00:00 the start of the next one
        hour = 0

    # 3. The value, whose unit is the zone.
    canonical = f"{hour:02d}:{minute:02d}"
    if span.part("second"):
        canonical += f":{span.part('second')}"
    value = span.value(ValueKind.TIME, canonical)
    return [replace(value, unit=_zone_offset(span.part("zone")))]


def _zone_offset(zone: str) -> str:
    """Return the offset of a zone: `CET` -> +01:00, `UTC+2` -> +02:00, `-0530` -> -05:30.

    Returns "" without a zone.
    """
    name = zone.strip().upper()
    if not name:
        return ""
    if name in ZONE_OFFSETS:
        return ZONE_OFFSETS[name]
    # A bare `UTC` has its own entry, so a sign and digits follow: `+2`, `-0530`, `+05:30`.
    offset = name.removeprefix("UTC").removeprefix("GMT").strip()
    sign = offset[0]
    digits = offset[1:].replace(":", "")
    has_minutes = len(digits) > 2
    hours = digits[:-2] if has_minutes else digits
    minutes = digits[-2:] if has_minutes else "00"
    return f"{sign}{hours.zfill(2)}:{minutes}"


# `is_alone`: a match counts only if no letter or digit touches it. `joining_marks`: nor may
# one of these marks join it to a digit: `10:20` is not read in `1.10:20`.

TIMES: Final = FormGroup(
    [
        Form(ValueKind.TIME, pattern, _read_time, is_alone=True, joining_marks=":.")
        for pattern in _TIME_PATTERNS
    ]
)


# Adds to a number what stands around it: sign, scale, unit, currency.
#
# `€-5` is -5 EUR, and `3.4 million euros` is 3400000 EUR.

_MAX_UNIT_CHARS: Final = 40
"""Characters after a number that are searched for its scale and unit."""
_CHARS_BEFORE: Final = 5
"""Characters before a number that are searched for its sign and currency: `CHF -`."""
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
_BEFORE_SIGN: Final = r"(?:^|[\s(\x{a0}:=;,|>\p{Sc}])"
"""The beginning of a text, or a character after which `-5` is negative: `(`, `=`, `€`.

After a letter, as in `B-5`, the `-` is a hyphen.
"""
_SIGN_BEFORE: Final = re2.compile(_BEFORE_SIGN + "([+-])$")
"""A sign at the end of the text before a number: ` -`, `(-`, `€-`. Group 1 is `+` or `-`."""


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
    sign_match = _SIGN_BEFORE.search(text_before)
    if sign_match is not None and sign_match[1] == "-":
        minus = "-"
        start -= len(minus)
        text_before = text_before.removesuffix(minus)

    # 3. Before that: its currency, as in `€-5`, if it has no unit yet.
    if not unit:
        currency_match = _CURRENCY_BEFORE.search(text_before)
        if currency_match is not None:
            unit = currency_of(currency_match[1])

    # 4. The word behind a number without a unit, which says what it counts: `45 seats`.
    follower = ""
    if not unit:
        follower = measure.follower

    # 5. The second reading of an ambiguous number: `1.199` is 1199 or 1.199.
    other_amount = ""
    if numeral.other_amount:
        other_amount = minus + numeral.other_amount
    return WrittenValue(
        kind=ValueKind.NUMBER,
        text=text[start:end],
        start=start,
        end=end,
        canonical=minus + numeral.amount,
        unit=unit,
        decimals=numeral.decimals,
        other_canonical=other_amount,
        other_decimals=numeral.other_decimals,
        follower=follower,
    )


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
    numeral = numeral_of_digits(span.written, span.style)
    value = _number_value(span, numeral, span.end)
    has_blanks = " " in span.written
    if has_blanks and not value.unit and not span.style.groups_by_blanks:
        return _separate_numbers(span)
    return [value]


def _separate_numbers(span: Span) -> list[WrittenValue]:
    """Return the numbers between the blanks of a match: `17 342 500` -> 17, 342, 500."""
    values: list[WrittenValue] = []
    start = span.start
    for part in span.written.split(" "):
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


NUMBERS: Final = Form(ValueKind.NUMBER, f"{_GROUPED}|{_PLAIN}", _read_number)


_RANGE_SIGNS: Final = ("-", "to", "bis", "à", "až", "do", "al", "tot", "~")
"""The signs and words between the first and the last number of a range: `10-12 %`, `10 to 12 %`."""
_HIDDEN: Final = "\x00"
"""Replaces each character of a value that was found."""


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
            if form.kind in kinds:
                found = form.values_in(remaining_text, style, max_values)
                values += found
                # The 12 of `12 May` must not be read again, as a number.
                remaining_text = _without(found, remaining_text)

    values.sort(key=lambda value: value.start)
    values = _with_units_of_ranges(values, normal.text)
    return [_as_in_given_text(value, text, normal) for value in values]


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
        is_range = text[first.end : last.start].strip() in _RANGE_SIGNS
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
    forms_before_dates = [QUOTATIONS, URLS, MAILS, _IBANS]
    forms_behind_times = [
        ERA_YEARS_ALONE,
        _TELEPHONES,
        _MIXED_FRACTIONS,
        IDS,
        _FRACTIONS,
        _MYRIAD_NUMBERS,
        _CJK_NUMBERS,
        NUMBERS,
    ]
    return [
        *(FormGroup([form]) for form in forms_before_dates),
        dates(),
        TIMES,
        *(FormGroup([form]) for form in forms_behind_times),
    ]
