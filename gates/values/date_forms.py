"""Reads dates, months and years of eras: `12 March 2026`, `03/04/2026`, `令和8年3月`.

Patterns of dates share these groups: `year`, `month` (a number) or `name` (of a month), `day`,
`first` (the first day of a range), `mark` and `mark2` (the marks between numbers, which have to be
equal), `era` and `era_year`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Final

from controlplane.gates.values.locale_names import ERA_YEARS, locale_names
from controlplane.gates.values.value_kinds import Kind, Span, WrittenValue

FIRST_YEAR: Final = 1900
LAST_YEAR: Final = 2099
"""A month such as `2026-05` after this year, or before `FIRST_YEAR`, is taken for something else,
such as the id `1234-05`."""
_CENTURY: Final = "20"
"""The century of a year with two digits."""
_LEAP_YEAR: Final = 2000
"""A date without a year is checked in this leap year, so that 29 February is valid."""
_FIRST_ERA_YEAR: Final = "元"

_ORDINAL: Final = r"(?:\.|st|nd|rd|th|er|º|ª|°|e)?"
"""The end of `12.`, `12th` and `1er`."""
_TO_WORDS: Final = (
    "to", "and", "until",  # English
    "bis", "und",  # German
    "au", "et",  # French
    "al", "y", "e", "a",  # Italian, Spanish, Portuguese
    "do", "i",  # Polish, Czech
    "tot", "en",  # Dutch
    "til", "och",  # Danish, Swedish
)  # fmt: skip
_TO: Final = rf"(?: ?- ?| (?:{'|'.join(_TO_WORDS)}) )"
"""The sign or word between the first and the last day of `13 to 27 May`."""
_BLANK_OR_MARK: Final = r"[ \x{a0}/-]"
"""The blank or mark between day, month and year: `12 March 2026`, `12-Mar-2026`. `a0` is the
no-break space."""
_BLANKS_OR_MARKS: Final = _BLANK_OR_MARK + "{1,2}"
_OF_BEFORE_MONTH: Final = r"(?:(?:of|de|d[aei]) )?"
"""`12 of March`, `12 de marzo`"""
_OF_BEFORE_YEAR: Final = r"(?:(?:de|del|of) )?"
"""`marzo de 2026`"""
_ONE_OR_TWO_DIGITS: Final = r"\d{1,2}"
ERA_PATTERN: Final = "|".join(ERA_YEARS)
_YEAR_OF_ERA: Final = rf"(?P<era>{ERA_PATTERN}) ?(?P<era_year>元|{_ONE_OR_TWO_DIGITS})"
_ERA_OR_YEAR: Final = rf"(?:{_YEAR_OF_ERA}|(?P<year>\d\d\d\d)) ?[年년]"
"""`2026年`, `令和8年`, `2026년`"""
ERA_YEAR_PATTERN: Final = rf"{_YEAR_OF_ERA} ?[年년]"
"""`令和8年`"""
_EVERYDAY_WORDS: Final = frozenset({"may", "mar", "mag", "out", "set", "ago", "mai", "sep", "dec"})
"""Names of months that are also everyday words in some language. They count as months only with a
year or a capital letter: `4 out of 12` is not the fourth of October."""


def _month_name_pattern() -> str:
    """Return a pattern of words that begin like the name of a month. `read_date` then looks up the
    whole word."""
    beginnings = sorted({name[:3] for name in locale_names().months})
    return rf"(?P<name>(?:{'|'.join(beginnings)})\pL*)"


def date_patterns() -> list[str]:
    """Return the patterns of dates in the order in which they are tried."""
    month_name = _month_name_pattern()
    first_day = rf"(?:(?P<first>{_ONE_OR_TWO_DIGITS}){_ORDINAL}{_TO})?"
    return [
        # 2026-03-12; both ends of the interval `2026-05-01/2026-05-06`
        r"(?P<year>\d{4})(?P<mark>-)(?P<month>\d{2})(?P<mark2>-)(?P<day>\d{2})",
        # 2026-3-12, 2026/3/12, 2026.03.12
        r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P<mark2>[-/.])(?P<day>\d{1,2})",
        # 12.03.2026, 12. 3. 2026
        r"(?P<day>\d{1,2})(?P<mark>[-/.]) ?(?P<month>\d{1,2})(?P<mark2>[-/.]) ?(?P<year>\d{4})",
        # 12.03.26, 12/03/26
        r"(?P<day>\d{1,2})(?P<mark>[/.])(?P<month>\d{1,2})(?P<mark2>[/.])(?P<year>\d{2})",
        # 12 March 2026, 12. März, 13 to 27 May, 12-Mar-2026, le 1er mars
        rf"(?i){first_day}(?P<day>{_ONE_OR_TWO_DIGITS}){_ORDINAL}"
        rf"{_BLANKS_OR_MARKS}{_OF_BEFORE_MONTH}{month_name}\.?"
        rf"(?:,?{_BLANK_OR_MARK}{_OF_BEFORE_YEAR}(?P<year>\d\d\d\d))?",
        # March 12, 2026; March 12-14; Sept. 3rd
        rf"(?i){month_name}\.? {first_day}(?P<day>{_ONE_OR_TWO_DIGITS})"
        r"(?:st|nd|rd|th)?(?:,? (?P<year>\d{4}))?",
        # 2026年3月12日, 3月12日, 令和8年3月12日, 2026년 3월 12일
        rf"(?:{_ERA_OR_YEAR} ?)?(?P<month>{_ONE_OR_TWO_DIGITS}) ?[月월] ?"
        rf"(?P<day>{_ONE_OR_TWO_DIGITS}) ?[日일号號]",
        # 20260312
        r"(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])",
        # 12.3. without a year
        r"(?P<day>\d{1,2})\. ?(?P<month>\d{1,2})\.",
    ]


def month_patterns() -> list[str]:
    """Return the patterns of months with a year, in the order in which they are tried."""
    return [
        # March 2026, marzo de 2026
        rf"(?i){_month_name_pattern()}\.?,?{_BLANK_OR_MARK}{_OF_BEFORE_YEAR}(?P<year>\d\d\d\d)",
        # 2026年3月, 令和8年3月
        rf"{_ERA_OR_YEAR} ?(?P<month>{_ONE_OR_TWO_DIGITS}) ?[月월]",
        # 2026-03
        r"(?P<year>\d{4})-(?P<month>\d{2})",
        # 03/2026
        r"(?P<month>\d{1,2})/(?P<year>\d{4})",
    ]


def read_date(span: Span) -> list[WrittenValue]:
    """Read a date, or the first and the last day of a range: `13 to 27 May` -> --05-13, --05-27."""
    if span.part("mark") != span.part("mark2"):  # `12/03.2026`
        return []
    # 1. Year, month and day as they are written.
    day = span.part("day")
    month = span.part("month")
    name = span.part("name")
    year = _year_of(span)
    if name:
        month = _month_number(name, has_year=bool(year))
    if len(year) == 2:
        year = f"{_CENTURY}{year}"
    if not year and not name and _may_end_sentence(span):
        return []

    # 2. If they are not a date, swap day and month: 3/25/2026.
    if not _is_date(year, month, day):
        can_be_reversed = bool(year) and not name and not span.written.startswith(year)
        if can_be_reversed and _is_date(year, month=day, day=month):
            return [span.value(Kind.DATE, _canonical_date(year, month=day, day=month))]
        return []

    # 3. One date, or both ends of a range.
    value = span.value(Kind.DATE, _canonical_date(year, month, day))
    begins_with_year = bool(year) and span.written.startswith(year)
    if span.part("mark") == "/" and not begins_with_year:  # `03/04/2026`
        value = _with_order_of_text(value, span, year, month, day)
    first_day = span.part("first")
    if first_day and _is_date(year, month, first_day):
        return _ends_of_range(value, span, _canonical_date(year, month, first_day))
    return [value]


def _may_end_sentence(span: Span) -> bool:
    """Return True if a day and month with points may be a number at the end of a sentence:
    `It is 12.3.`

    This is possible only in a text with decimal points. In other texts, `12.3.` is the twelfth of
    March.
    """
    return "." in span.written and span.style.decimal_mark == "."


def _with_order_of_text(
    value: WrittenValue, span: Span, year: str, month: str, day: str
) -> WrittenValue:
    """Return a date with slashes as its text orders day and month, or with both readings.

    `03/04/2026` is read as 3 April by default. It becomes 4 March if the text has dates such as
    `03/25/2026`. If no date decides the order, the value has both readings.
    """
    can_be_reversed = month != day and _is_date(year, month=day, day=month)
    if not can_be_reversed:
        return value
    month_first = _canonical_date(year, month=day, day=month)
    match span.style.date_order:
        case "day first":
            return value
        case "month first":
            return replace(value, canonical=month_first)
    return replace(value, other_canonical=month_first)


def _ends_of_range(last_date: WrittenValue, span: Span, first_canonical: str) -> list[WrittenValue]:
    """Return the dates of `13 to 27 May 2026` or `May 13-27`, whose texts do not overlap."""
    first_start, first_end = span.place("first")
    first_date = WrittenValue(
        Kind.DATE, span.part("first"), first_start, first_end, first_canonical
    )
    day_start, _ = span.place("day")
    name_start, _ = span.place("name")
    last_start = max(min(day_start, name_start), first_end)
    return [first_date, replace(last_date, start=last_start)]


def read_month(span: Span) -> list[WrittenValue]:
    """Read a month of a year: `March 2026` -> 2026-03, `03/2026` -> 2026-03."""
    year = _year_of(span)
    month = span.part("month")
    if span.part("name"):
        month = _month_number(span.part("name"), has_year=True)
    is_known_year = str(FIRST_YEAR) <= year <= str(LAST_YEAR)
    if not is_known_year or not _is_date(year, month, "1"):
        return []
    is_part_of_id = span.before(1) in ("-", "_") or span.behind(1) in ("-", "/")
    if is_part_of_id:  # `FB-1934-02`
        return []
    return [span.value(Kind.MONTH, f"{year}-{int(month):02d}")]


def read_era_year(span: Span) -> list[WrittenValue]:
    """Read a year of an era as a number: `令和8年` -> 2026."""
    return [span.value(Kind.NUMBER, _year_of(span))]


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
    """Return the number of a month by its name in any language; "0" for another word."""
    folded_name = name.casefold()
    is_lower_case = name == folded_name
    if folded_name in _EVERYDAY_WORDS and is_lower_case and not has_year:
        return "0"
    return str(locale_names().months.get(folded_name, 0))


def _is_date(year: str, month: str, day: str) -> bool:
    """Return True if the date exists. A date without a year may be in any year."""
    try:
        date(int(year or _LEAP_YEAR), int(month), int(day))
    except ValueError:
        return False
    return True


def _canonical_date(year: str, month: str, day: str) -> str:
    """Return `2026-03-12`, or `--03-12` without a year."""
    return f"{year or '-'}-{int(month):02d}-{int(day):02d}"
