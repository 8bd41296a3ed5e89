"""Dates, months, times of day, and durations of several parts: `6 h 10 min`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import Final

import re2

from controlplane.gates.values.notations import (
    ERA_YEARS,
    TWELVE_HOUR_MARKS,
    UNIT_BY_NAME,
    ZONE_OFFSETS,
    Unit,
    locale_names,
)
from controlplane.gates.values.numerals import fraction_text, unit_of
from controlplane.gates.values.spans import (
    Form,
    FormGroup,
    Reader,
    Span,
    ValueKind,
    WrittenValue,
)

# The year, month and day that a match of a date's pattern has, in numbers.
#
# `span.part("day")` is what the group `day` of the pattern matched.

_CENTURY: Final = "20"
"""The century of a year with two digits."""
_LEAP_YEAR: Final = 2000
"""A date without a year is checked in this leap year, so that 29 February is valid."""
_FIRST_ERA_YEAR: Final = "元"

_EVERYDAY_WORDS: Final = frozenset(
    {"may", "mar", "mag", "out", "set", "ago", "mai", "sep", "dec"}
)
"""Names of months that are also everyday words: `out` is October in Portuguese.

They count as months only with a year or a capital letter: `4 out of 12` is not a date.
"""


@dataclass(frozen=True, slots=True)
class _CalendarDay:
    """A date as its parts are written: `2026`, `3`, `12`. The year may be empty."""

    year: str
    month: str
    day: str

    @property
    def exists(self) -> bool:
        """True if the date exists. A date without a year may be in any year."""
        try:
            date(int(self.year or _LEAP_YEAR), int(self.month), int(self.day))
        except ValueError:
            return False
        return True

    @property
    def swapped(self) -> _CalendarDay:
        """The date with day and month exchanged."""
        return _CalendarDay(self.year, month=self.day, day=self.month)

    @property
    def canonical(self) -> str:
        """`2026-03-12`, or `--03-12` without a year: a form of the older ISO 8601."""
        month_and_day = f"{int(self.month):02d}-{int(self.day):02d}"
        return f"{self.year}-{month_and_day}" if self.year else f"--{month_and_day}"


def _day_at(span: Span) -> _CalendarDay:
    """Return year, month and day: `12.03.26` -> 2026, 03 and 12, `12. März` -> "", 3 and 12."""
    year = _year_of(span)
    month = span.part("month")
    if span.part("name"):
        month = _month_number(span.part("name"), has_year=bool(year))
    if len(year) == 2:
        year = f"{_CENTURY}{year}"
    return _CalendarDay(year, month, span.part("day"))


def _year_of(span: Span) -> str:
    """Return the year as it is written, or that of an era: `令和8` -> 2026; "" without a year."""
    era = span.part("era")
    if not era:
        return span.part("year")
    era_year = span.part("era_year")
    if era_year == _FIRST_ERA_YEAR:
        era_year = "1"
    return str(ERA_YEARS[era] + int(era_year))


def _month_number(name: str, *, has_year: bool) -> str:
    """Return the number of a month by its name in any language.

    Returns "0" for another word. There is no month 0, so the date does not exist.
    """
    folded_name = name.casefold()
    is_lower_case = name == folded_name
    is_everyday_word = folded_name in _EVERYDAY_WORDS and is_lower_case and not has_year
    if is_everyday_word:
        return "0"
    return str(locale_names().months.get(folded_name, 0))


# The patterns of dates and months: `12 March 2026`, `03/04/2026`, `令和8年3月`.
#
# They share these groups: `year`, `month` (a number) or `name` (of a month), `day`,
# `first` (the first day of a range), `mark` and `mark2` (the two marks of `12/03/2026`),
# `era` and `era_year` (`令和` and `8`).

# Parts of the patterns. RE2 cannot demand that the two marks of `12/03/2026` are equal, so
# `_read_date` compares them.

_YEAR: Final = r"(?P<year>\d{4})"
_SHORT_YEAR: Final = r"(?P<year>\d{2})"
_MONTH: Final = r"(?P<month>\d{1,2})"
"""`3` of `12/3/2026`. A month in words is in the group `name`."""
_DAY: Final = r"(?P<day>\d{1,2})"
_ORDINAL: Final = r"(?:\.|st|nd|rd|th|er|º|ª|°|e)?"
"""The end of `12.`, `12th` and `1er`."""
_TO_WORDS: Final = (
    "to", "to the", "and", "until",  # English
    "bis", "bis zum", "und",  # German
    "au", "jusqu'au", "et",  # French
    "al", "hasta el", "y", "e", "a",  # Italian, Spanish, Portuguese
    "do", "i",  # Polish, Czech
    "tot", "en",  # Dutch
    "til", "och",  # Danish, Swedish
)  # fmt: skip
_TO: Final = rf"(?: ?- ?| (?:{'|'.join(_TO_WORDS)}) )"
"""The sign or word between the first and the last day of `13 to 27 May`."""
_FIRST_DAY_OF_RANGE: Final = rf"(?:(?P<first>\d{{1,2}}){_ORDINAL}{_TO})?"
"""`13 to ` of `13 to 27 May`, or nothing."""
_BLANK_OR_MARK: Final = r"[ \x{a0}/-]"
"""What separates day, month and year: `12 March 2026`, `12-Mar-2026`. `a0` is a hard blank."""
_BLANKS_OR_MARKS: Final = _BLANK_OR_MARK + "{1,2}"
_OF_BEFORE_MONTH: Final = r"(?:(?:of|de|d[aei]) |ב-?)?"
"""`of ` of `12 of March`, `de ` of `12 de marzo`, the letter before a Hebrew month, or nothing."""
_OF_BEFORE_YEAR: Final = r"(?:(?:de|del|of) )?"
"""`de ` of `marzo de 2026`, or nothing."""
_ERA: Final = "|".join(ERA_YEARS)
"""`令和`, and the names of other eras of Japan and Taiwan."""
_YEAR_OF_ERA: Final = rf"(?P<era>{_ERA}) ?(?P<era_year>元|\d{{1,2}})"
"""`令和8`; `令和元` is the first year."""
_CJK_YEAR: Final = rf"(?:{_YEAR_OF_ERA}|{_YEAR}) ?[年년]"
"""`2026年`, `令和8年`, `2026년`"""
_ERA_YEAR_PATTERN: Final = rf"{_YEAR_OF_ERA} ?[年년]"
"""`令和8年`"""


def _month_name_pattern() -> str:
    """Return a pattern of words that begin like the name of a month: `Mar`, `Marzo`, `Marker`.

    `_read_date` looks up the whole word, and skips `Marker`.
    """
    beginnings = sorted({name[:3] for name in locale_names().months})
    return rf"(?P<name>(?:{'|'.join(beginnings)})\pL*)"


def _date_patterns() -> list[str]:
    """Return the patterns of dates in the order in which they are tried.

    What one pattern finds is hidden from the next ones. So patterns with a year of four
    digits come first: with two digits, `12.03.20` would be found in `12.03.2026`.
    """
    month_name = _month_name_pattern()

    # 2026-03-12. It is the first one, because only this form may be joined by a slash, in a
    # range such as 2026-05-01/2026-05-06.
    iso_date = r"(?P<year>\d{4})(?P<mark>-)(?P<month>\d{2})(?P<mark2>-)(?P<day>\d{2})"

    # 2026-3-12, 2026/3/12, 2026.03.12
    year_first = rf"{_YEAR}(?P<mark>[-/.]){_MONTH}(?P<mark2>[-/.]){_DAY}"

    # 12.03.2026, 12. 3. 2026, 12/03/2026
    year_last = rf"{_DAY}(?P<mark>[-/.]) ?{_MONTH}(?P<mark2>[-/.]) ?{_YEAR}"

    # 12.03.26, 12/03/26
    short_year_last = rf"{_DAY}(?P<mark>[/.]){_MONTH}(?P<mark2>[/.]){_SHORT_YEAR}"

    # 12 March 2026, 12. März, 13 to 27 May, 12-Mar-2026, le 1er mars
    day_and_name = (
        rf"(?i){_FIRST_DAY_OF_RANGE}{_DAY}{_ORDINAL}"
        rf"{_BLANKS_OR_MARKS}{_OF_BEFORE_MONTH}{month_name}\.?"
        rf"(?:,?{_BLANK_OR_MARK}{_OF_BEFORE_YEAR}{_YEAR})?"
    )

    # March 12, 2026; March 12-14; Sept. 3rd
    name_and_day = rf"(?i){month_name}\.? {_FIRST_DAY_OF_RANGE}{_DAY}(?:st|nd|rd|th)?(?:,? {_YEAR})?"

    # 2026年3月12日, 3月12日, 令和8年3月12日, 2026년 3월 12일
    cjk_date = rf"(?:{_CJK_YEAR} ?)?{_MONTH} ?[月월] ?{_DAY} ?[日일号號]"

    # 20260312. Only digits that can be a date: there are no marks that show it.
    digits_alone = (
        r"(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])"
    )

    # 12.3. without a year
    without_year = rf"{_DAY}\. ?{_MONTH}\."

    return [
        iso_date,
        year_first,
        year_last,
        short_year_last,
        day_and_name,
        name_and_day,
        cjk_date,
        digits_alone,
        without_year,
    ]


def _month_patterns() -> list[str]:
    """Return the patterns of months with a year, in the order in which they are tried."""
    return [
        # March 2026, marzo de 2026
        rf"(?i){_month_name_pattern()}\.?,?{_BLANK_OR_MARK}{_OF_BEFORE_YEAR}{_YEAR}",
        # 2026年3月, 令和8年3月
        rf"{_CJK_YEAR} ?{_MONTH} ?[月월]",
        # 2026-03
        r"(?P<year>\d{4})-(?P<month>\d{2})",
        # 03/2026
        rf"{_MONTH}/{_YEAR}",
    ]


# Reads months, and years of eras: `March 2026`, `03/2026`, `令和8年`.
#
# `span.part("month")` is what the group `month` of the pattern matched.

_FIRST_YEAR: Final = 1900
_LAST_YEAR: Final = 2099
"""Only from `_FIRST_YEAR` to this year is `2026-05` read as a month. `1234-05` is an id."""


def _read_month(span: Span) -> list[WrittenValue]:
    """Read a month of a year: `March 2026` -> 2026-03, `03/2026` -> 2026-03."""
    year = _year_of(span)
    month = span.part("month")
    if span.part("name"):
        month = _month_number(span.part("name"), has_year=True)
    is_likely_year = _FIRST_YEAR <= int(year) <= _LAST_YEAR
    first_day = _CalendarDay(year, month, "1")
    if not is_likely_year or not first_day.exists:  # `1234-05`, `2026-13`
        return []
    # A slash is allowed before it, where it ends a folder: `/log/2026-03`.
    is_part_of_id = span.before(1) in ("-", "_") or span.behind(1) in ("-", "/")
    if is_part_of_id:  # `FB-1934-02`, `2026-03-x`
        return []
    return [span.value(ValueKind.MONTH, f"{year}-{int(month):02d}")]


def _read_era_year(span: Span) -> list[WrittenValue]:
    """Read a year of an era as a number: `令和8年` -> 2026."""
    return [span.value(ValueKind.NUMBER, _year_of(span))]


ERA_YEARS_ALONE: Final = Form(
    ValueKind.NUMBER, _ERA_YEAR_PATTERN, _read_era_year, is_alone=True
)


# Reads dates: `12 March 2026`, `03/04/2026`, `13 to 27 May`.
#
# `_date_patterns` has the patterns. `span.part("day")` is what their group `day` matched.


def _read_date(span: Span) -> list[WrittenValue]:
    """Read a date, or both dates of a range: `13 to 27 May` -> `--05-13` and `--05-27`.

    `span.part` returns what a named group of the pattern matched, or "":

    | text           | `first` | `day` | `month` | `name` | `year` | `mark`, `mark2` |
    | -------------- | ------- | ----- | ------- | ------ | ------ | --------------- |
    | `13 to 27 May` | `13`    | `27`  |         | `May`  |        |                 |
    | `12/03/2026`   |         | `12`  | `03`    |        | `2026` | `/`, `/`        |
    | `12.3.`        |         | `12`  | `3`     |        |        |                 |
    """
    if span.part("mark") != span.part("mark2"):  # `12/03.2026`
        return []
    date = _day_at(span)
    has_name = span.part("name") != ""
    has_points = not has_name and "." in span.written
    if has_points and not date.year and span.style.decimal_mark == ".":
        return []  # `It is 12.3.` is a number at the end of a sentence in a text with decimal points
    if has_points and _CLOCK_WORD_BEFORE.search(span.before(_CLOCK_WORD_CHARS)):
        return []  # `kl. 12.03.` at the end of a sentence
    # `3/4/2026` is 3 April or 4 March. In `2026/3/4`, the month always follows the year.
    has_western_year = span.part("year") != ""  # unlike `令和8年3月12日`
    begins_with_year = has_western_year and span.place("year")[0] == span.start
    if date.year and not has_name and not begins_with_year:
        return _in_either_order(span, date)
    if not date.exists:  # `31 June`
        return []

    if span.part("first"):  # the 13 of `13 to 27 May`
        first_date = replace(date, day=span.part("first"))
        if first_date.exists:  # not the 31 of `31 to 15 June`
            return _ends_of_range(span, first_date, date)
    return [span.value(ValueKind.DATE, date.canonical)]


def _in_either_order(span: Span, day_first: _CalendarDay) -> list[WrittenValue]:
    """Read a date that may begin with the day or the month.

    `day_first` is the date if the day comes first: 3 April for `3/4/2026`.

    | text         | date               | reason                                |
    | ------------ | ------------------ | ------------------------------------- |
    | `3/25/2026`  | 25 March           | there is no month 25                  |
    | `3.4.2026`   | 3 April            | with points, the day comes first      |
    | `25/3/2026`  | 25 March           | there is no month 25                  |
    | `3/4/2026`   | 3 April or 4 March | the other dates of the text may show  |
    """
    month_first = day_first.swapped
    if not day_first.exists and not month_first.exists:
        return []
    value = span.value(ValueKind.DATE, day_first.canonical)
    if not month_first.exists or month_first == day_first:
        return [value]
    is_month_first = span.part("mark") == "/" and span.style.date_order == "month first"
    if not day_first.exists or is_month_first:
        return [replace(value, canonical=month_first.canonical)]
    if span.part("mark") == "/" and not span.style.date_order:
        return [replace(value, other_canonical=month_first.canonical)]
    return [value]


def _ends_of_range(
    span: Span, first: _CalendarDay, last: _CalendarDay
) -> list[WrittenValue]:
    """Return the two dates of a range, each at its own part of the text.

    | text                | part of the first date | part of the last date |
    | ------------------- | ---------------------- | --------------------- |
    | `13 to 27 May 2026` | `13`                   | `27 May 2026`         |
    | `May 13-27, 2026`   | `13`                   | `-27, 2026`           |

    If the month comes first, the part of the last date begins right behind the first day, with
    the hyphen, so that no part of the text is left over.
    """
    first_start, first_end = span.place("first")
    first_date = WrittenValue(
        ValueKind.DATE, span.part("first"), first_start, first_end, first.canonical
    )
    month_start, _ = span.place("name")
    last_day_start, _ = span.place("day")
    month_comes_first = month_start < first_start
    last_start = first_end if month_comes_first else last_day_start
    last_date = replace(span.value(ValueKind.DATE, last.canonical), start=last_start)
    return [first_date, last_date]


def dates() -> FormGroup:
    """Return the forms of dates and months in the order in which they are tried."""
    # A date does not count if one of `joining_marks` joins it to another digit. The slash is not
    # among those of the ISO form, because ISO 8601 writes ranges `2026-05-01/2026-05-06`.
    iso_pattern, *patterns = _date_patterns()
    forms = [
        Form(ValueKind.DATE, iso_pattern, _read_date, is_alone=True, joining_marks="-.")
    ]
    readers: list[tuple[ValueKind, str, Reader]] = []
    for pattern in patterns:
        readers.append((ValueKind.DATE, pattern, _read_date))
    for pattern in _month_patterns():
        readers.append((ValueKind.MONTH, pattern, _read_month))
    for kind, pattern, read in readers:
        forms.append(Form(kind, pattern, read, is_alone=True, joining_marks="-/."))
    return FormGroup(forms)


# The patterns of times of day: `17:10 CET`, `5.10 pm`, `9.30 Uhr`, `kl. 11.30`, `午後5時`.
#
# They share these groups: `hour`, `minute`, `second`, `zone`, `am_or_pm` (`a` or `p`), `daytime`
# (`午後`), and `half_hour` (`半`, which is half past).

_ZONE_NAMES: Final = "|".join(ZONE_OFFSETS)
_ZONE_OFFSET: Final = (
    r"(?: ?(?:UTC|GMT) ?)?[+-]\d{1,2}(?::?\d{2})?\b| [+-]\d{2}:?\d{2}\b"
)
"""` UTC+2`, `+02:00`, `-0530`. Behind a blank, `06:30 -18` has a number in the next column."""
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
_CLOCK_WORD_BEFORE: Final = re2.compile(
    rf"(?i)\b(?:{_CLOCK_WORDS}|{_WORDS_BEFORE_MINUTES})\b\.? ?$"
)
_CLOCK_WORD_CHARS: Final = 10
_HOUR_BEHIND_CLOCK_WORD: Final = rf"(?i)\b(?:{_CLOCK_WORDS})\b\.? ?{_HOUR}"
"""`kl. 11`"""
_FULL_HOUR: Final = rf"(?i){_HOUR} ?(?:uhr\b|uur\b|o'clock\b|{_AM_OR_PM})"
"""`9 Uhr`, `9 a.m.`, `9 o'clock`"""
_HOUR_AND_MINUTE: Final = rf"(?i){_HOUR} ?(?:uhr|uur) ?{_MINUTE}"
"""`8 Uhr 30`"""
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
    _HOUR_AND_MINUTE,
    _FULL_HOUR,
    _EAST_ASIAN,
)
"""The patterns in the order in which they are tried, the more specific ones first."""


# Reads times of day: `17:10 CET`, `5.10 pm`, `9.30 Uhr`, `kl. 11.30`, `午後5時`.

_HOUR_SIGNS: Final = ("時", "时", "시")
"""`o'clock` in Japanese, Chinese and Korean."""
_LATER_TIME: Final = re2.compile(r" ?-(\d{1,2}):(\d{2})")
"""What may be a zone or the end of a range: the `-22:00` of `13:30-22:00`."""
_MOLARITIES: Final = ("pM", "aM")
"""Picomolar and attomolar, which are no hours before or after noon."""
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
    if minute > 59:
        return []
    # `45:09` and `39 h 58` are no times of day, but may be durations.
    if hour > 24 and _CLOCK.fullmatch(span.written) is None:
        return []

    # 2. The hour from 0 to 23.
    am_or_pm = span.part("am_or_pm").casefold()  # `a` or `p`
    if am_or_pm and span.written.rstrip(".").endswith(_MOLARITIES):  # `12 pM`
        return []
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
    end_of_range = _end_of_range(span, canonical)
    if end_of_range is not None:
        zone_start, _ = span.place("zone")
        text = span.written[: zone_start - span.start]
        first = WrittenValue(ValueKind.TIME, text, span.start, zone_start, canonical)
        return [first, end_of_range]
    if span.part("second"):
        canonical += f":{span.part('second')}"
    value = span.value(ValueKind.TIME, canonical)
    return [replace(value, unit=_zone_offset(span.part("zone")))]


def _end_of_range(span: Span, first: str) -> WrittenValue | None:
    """Return the second time of `13:30-22:00`, which looks like a zone; None for a zone.

    A zone behind a bare time is not later than the time itself, as in `17:10-05:00`.
    """
    match = _LATER_TIME.fullmatch(span.part("zone"))
    if match is None or span.part("second") or span.before(1) == "T":
        return None
    canonical = f"{int(match[1]):02d}:{match[2]}"
    if not first < canonical <= "24:00":
        return None
    _, end = span.place("zone")
    text = f"{match[1]}:{match[2]}"
    return WrittenValue(ValueKind.TIME, text, end - len(text), end, canonical)


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


# Reads durations of several parts: `6 h 10 min`, `2 days and 3 hours`, `3:25 min`, `3時間25分`.
#
# Such a duration is one number, in the unit of its last part: 370 min for `6 h 10 min`. The
# shorter `2:40` and `3 h 25` may be times of day, too: `seconds_of_clock` has what they may mean.

_UNIT_WORD: Final = (
    r"(?:[\p{Latin}\p{Cyrillic}\p{Greek}]{1,14}\.?"
    r"|小时|小時|時間|时|時|시간|分钟|分鐘|分|분|秒钟|秒|초|天|日間|일)"
)
"""A word that may be a unit. Without blanks between words, only these signs are."""
_AND: Final = r"(?:,? ?(?:(?:and|und|et|y|e|en|og|och|i|a|ja|и|і|és) )?)"
"""What may stand between the parts of a duration: a blank, a comma, a word."""
_PARTS: Final = (
    rf"(?i)(?P<first>\d{{1,4}}) ?(?P<unit1>{_UNIT_WORD}){_AND}"
    rf"(?P<second>\d{{1,2}}) ?(?P<unit2>{_UNIT_WORD})"
    rf"(?:{_AND}(?P<third>\d{{1,2}}) ?(?P<unit3>{_UNIT_WORD}))?"
)
"""`6 h 10 min`, `1 day, 2 hours and 30 minutes`"""
_CLOCK_WITH_UNIT: Final = (
    rf"(?i)(?P<first>\d{{1,3}}):(?P<second>\d{{2}}) ?(?P<unit>{_UNIT_WORD})"
)
"""`3:25 min`"""
_CLOCK_WITH_DECIMALS: Final = (
    r"(?P<first>\d{1,3}):(?P<second>[0-5]\d)[.,](?P<decimals>\d{1,3})"
)
"""`7:34.2`, minutes and seconds of a race"""
_MINUTE_LETTER: Final = "m"
"""The unit of the 25 in `3h 25m`. Alone, this letter is the unit of lengths."""
_CLOCK: Final = re2.compile(r"(\d{1,3}):(\d{2})(?::(\d{2}))?|(\d{1,3}) ?[hH] ?(\d{2})")
"""`2:40`, `0:02:40`, `3 h 25`"""


def _duration_unit(word: str) -> Unit | None:
    """Return a unit of durations by one of its names: `Std.` -> h; None for another word."""
    unit = UNIT_BY_NAME.get(unit_of(word))
    if unit is None or unit.quantity != "duration":
        return None
    return unit


def _read_parts(span: Span) -> list[WrittenValue]:
    """Read a duration of two or three parts: `6 h 10 min` -> 370 min.

    Each part must be less than one unit of the part before it. `5 min 90 s` is not read.
    """
    total = Fraction(0)
    larger: Unit | None = None
    for part, name in (("first", "unit1"), ("second", "unit2"), ("third", "unit3")):
        if not span.part(part):
            continue
        word = span.part(name)
        if word.rstrip(".").casefold() == _MINUTE_LETTER and larger is not None:
            word = "min"
        unit = _duration_unit(word)
        if unit is None:
            return []
        seconds = int(span.part(part)) * unit.size
        if larger is not None and not seconds < larger.size:
            return []
        total += seconds
        larger = unit
    assert larger is not None  # the pattern has at least two parts
    return [_duration(span, total, larger)]


def _read_clock_with_unit(span: Span) -> list[WrittenValue]:
    """Read a duration with a colon in minutes: `3:25 min` -> 205 s.

    `15:30 h` is left alone, because it is a time of day in some languages.
    """
    unit = _duration_unit(span.part("unit"))
    if unit is None or unit.name != "min" or int(span.part("second")) > 59:
        return []
    seconds = 60 * int(span.part("first")) + int(span.part("second"))
    return [_duration(span, Fraction(seconds), UNIT_BY_NAME["s"])]


def _read_clock_with_decimals(span: Span) -> list[WrittenValue]:
    """Read minutes and seconds with tenths or less: `7:34.2` -> 454.2 s."""
    decimals = span.part("decimals")
    seconds = 60 * int(span.part("first")) + Fraction(
        f"{span.part('second')}.{decimals}"
    )
    value = _duration(span, seconds, UNIT_BY_NAME["s"])
    return [replace(value, decimals=len(decimals))]


def _duration(span: Span, seconds: Fraction, unit: Unit) -> WrittenValue:
    """Return a number of units: 22,200 seconds in minutes -> 370 min."""
    value = span.value(ValueKind.NUMBER, fraction_text(seconds / unit.size))
    return replace(value, unit=unit.name)


@lru_cache(maxsize=256)  # one value is compared with those of many lines
def seconds_of_clock(written: str) -> frozenset[Fraction]:
    """Return the seconds that `2:40` may mean as a duration: 2 hours 40 minutes, or 2 minutes 40 s.

    `0:02:40` and `3 h 25` have one meaning, and a time of day such as `5:10 pm` has none.
    """
    match = _CLOCK.fullmatch(written.strip())
    if match is None:
        return frozenset()
    parts = [int(part) for part in match.groups() if part is not None]
    seconds = 0
    for part in parts:
        seconds = 60 * seconds + part
    if match[4] is not None:  # `3 h 25`
        return frozenset({Fraction(60 * seconds)})
    if max(parts[1:]) > 59:
        return frozenset()
    if len(parts) == 3:  # `0:02:40`
        return frozenset({Fraction(seconds)})
    return frozenset({Fraction(60 * seconds), Fraction(seconds)})


# `is_alone`: a match counts only if no letter or digit touches it. `joining_marks`: nor may
# one of these marks join it to a digit: `10:20` is not read in `1.10:20`.

_TIME_READERS: Final[list[tuple[ValueKind, str, Reader]]] = [
    (ValueKind.NUMBER, _PARTS, _read_parts),
    (ValueKind.NUMBER, _CLOCK_WITH_UNIT, _read_clock_with_unit),
    (ValueKind.NUMBER, _CLOCK_WITH_DECIMALS, _read_clock_with_decimals),
    *((ValueKind.TIME, pattern, _read_time) for pattern in _TIME_PATTERNS),
]
TIMES: Final = FormGroup(
    [
        Form(kind, pattern, read, is_alone=True, joining_marks=":.")
        for kind, pattern, read in _TIME_READERS
    ]
)
"""The forms of durations and of times of day. `6 h 10` of `6 h 10 min` is not a time of day."""
