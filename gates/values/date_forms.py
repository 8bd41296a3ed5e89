"""Reads dates, months and years of eras: `12 March 2026`, `03/04/2026`, `令和8年3月`.

Patterns of dates share these groups: `year`, `month` (a number) or `name` (of a month),
`day`, `first` (the first day of a range), `mark` and `mark2` (the two marks of
`12/03/2026`), `era` and `era_year` (`令和` and `8`).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Final

from controlplane.gates.values.locale_names import ERA_YEARS, locale_names
from controlplane.gates.values.value_kinds import Kind, Span, WrittenValue

FIRST_YEAR: Final = 1900
LAST_YEAR: Final = 2099
"""Only from `FIRST_YEAR` to this year is `2026-05` read as a month. `1234-05` is an
id."""
_CENTURY: Final = "20"
"""The century of a year with two digits."""
_LEAP_YEAR: Final = 2000
"""A date without a year is checked in this leap year, so that 29 February is valid."""
_FIRST_ERA_YEAR: Final = "元"

# Parts of the patterns. RE2 cannot demand that two marks are equal, so `read_date`
# compares them.

_YEAR: Final = r"(?P<year>\d{4})"
_SHORT_YEAR: Final = r"(?P<year>\d{2})"
_MONTH: Final = r"(?P<month>\d{1,2})"
_DAY: Final = r"(?P<day>\d{1,2})"
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
_FIRST_DAY_OF_RANGE: Final = rf"(?:(?P<first>\d{{1,2}}){_ORDINAL}{_TO})?"
"""`13 to ` of `13 to 27 May`, or nothing."""
_BLANK_OR_MARK: Final = r"[ \x{a0}/-]"
"""The blank or mark between day, month and year: `12 March 2026`, `12-Mar-2026`. `a0`
is the no-break space."""
_BLANKS_OR_MARKS: Final = _BLANK_OR_MARK + "{1,2}"
_OF_BEFORE_MONTH: Final = r"(?:(?:of|de|d[aei]) )?"
"""`of ` of `12 of March`, `de ` of `12 de marzo`, or nothing."""
_OF_BEFORE_YEAR: Final = r"(?:(?:de|del|of) )?"
"""`de ` of `marzo de 2026`, or nothing."""
ERA_PATTERN: Final = "|".join(ERA_YEARS)
_YEAR_OF_ERA: Final = rf"(?P<era>{ERA_PATTERN}) ?(?P<era_year>元|\d{{1,2}})"
_CJK_YEAR: Final = rf"(?:{_YEAR_OF_ERA}|{_YEAR}) ?[年년]"
"""`2026年`, `令和8年`, `2026년`"""
ERA_YEAR_PATTERN: Final = rf"{_YEAR_OF_ERA} ?[年년]"
"""`令和8年`"""
_EVERYDAY_WORDS: Final = frozenset(
    {"may", "mar", "mag", "out", "set", "ago", "mai", "sep", "dec"}
)
"""Names of months that are also everyday words in some language. They count as months
only with a year or a capital letter: `out` is October in Portuguese, but `4 out of 12`
is no date."""


def _month_name_pattern() -> str:
    """Return a pattern of words that begin like the name of a month. `read_date` then
    looks up the whole word."""
    beginnings = sorted({name[:3] for name in locale_names().months})
    return rf"(?P<name>(?:{'|'.join(beginnings)})\pL*)"


def date_patterns() -> list[str]:
    """Return the patterns of dates in the order in which they are tried.

    Each value that one pattern finds is hidden from the next ones. So patterns with a
    year of four digits come before those that would find only a part of it: the
    `12.03.20` of `12.03.2026`.
    """
    month_name = _month_name_pattern()

    # 2026-03-12. It is the first one, because only this form may be joined by a slash.
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


def month_patterns() -> list[str]:
    """Return the patterns of months with a year, in the order in which they are
    tried."""
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


def read_date(span: Span) -> list[WrittenValue]:
    """Read a date, or the first and the last day of a range: `13 to 27 May` -> --05-13,
    --05-27.

    `span` is the match of a date's pattern, and `span.part("day")` its group `day`.
    """
    # 1. Year, month and day as they are written.
    has_equal_marks = span.part("mark") == span.part("mark2")
    if not has_equal_marks:  # `12/03.2026`
        return []
    day = span.part("day")
    month = span.part("month")
    month_name = span.part("name")
    year = _year_of(span)
    if month_name:
        month = _month_number(month_name, has_year=bool(year))
    if len(year) == 2:
        year = f"{_CENTURY}{year}"
    has_only_day_and_month = not year and not month_name  # `12.3.`
    if has_only_day_and_month and _may_end_sentence(span):
        return []

    # 2. A date that exists only with day and month swapped: 3/25/2026.
    begins_with_year = bool(year) and span.written.startswith(year)
    if not _is_date(year, month, day):
        may_be_swapped = bool(year) and not month_name and not begins_with_year
        if may_be_swapped and _is_date(year, month=day, day=month):
            return [span.value(Kind.DATE, _canonical_date(year, month=day, day=month))]
        return []

    # 3. A range.
    value = span.value(Kind.DATE, _canonical_date(year, month, day))
    first_day = span.part("first")
    if first_day and _is_date(year, month, first_day):
        return _ends_of_range(value, span, _canonical_date(year, month, first_day))

    # 4. A date whose day and month may be swapped: 03/04/2026.
    if span.part("mark") == "/" and not begins_with_year:
        return [_in_order_of_text(value, span, year, month, day)]
    return [value]


def _may_end_sentence(span: Span) -> bool:
    """Return True if a day and month with points may be a number at the end of a
    sentence: `It is 12.3.`

    This is possible only in a text with decimal points. In other texts, `12.3.` is the
    twelfth of March.
    """
    return "." in span.written and span.style.decimal_mark == "."


def _in_order_of_text(
    value: WrittenValue, span: Span, year: str, month: str, day: str
) -> WrittenValue:
    """Return the date of `03/04/2026`, in the order of day and month that its text uses
    elsewhere.

    It is 3 April in a text with `25/03/2026`, and 4 March in one with `03/25/2026`. If
    the text has no such date, the value has both readings.
    """
    can_be_swapped = month != day and _is_date(year, month=day, day=month)
    if not can_be_swapped:
        return value
    month_first = _canonical_date(year, month=day, day=month)
    match span.style.date_order:
        case "day first":
            return value
        case "month first":
            return replace(value, canonical=month_first)
    return replace(value, other_canonical=month_first)


def _ends_of_range(
    last_date: WrittenValue, span: Span, first_canonical: str
) -> list[WrittenValue]:
    """Return the two dates of a range, each marked at its own part of the text.

    `13 to 27 May 2026` -> `13` and `27 May 2026`. In `May 13-27`, the month belongs to
    both days. There, the first date is `13`, and the last one is all that follows:
    `-27`.
    """
    first_start, first_end = span.place("first")
    first_date = WrittenValue(
        Kind.DATE, span.part("first"), first_start, first_end, first_canonical
    )
    day_start, _ = span.place("day")
    name_start, _ = span.place("name")
    is_name_first = name_start < first_start  # `May 13-27`
    last_start = first_end if is_name_first else day_start
    return [first_date, replace(last_date, start=last_start)]


def read_month(span: Span) -> list[WrittenValue]:
    """Read a month of a year: `March 2026` -> 2026-03, `03/2026` -> 2026-03."""
    year = _year_of(span)
    month = span.part("month")
    if span.part("name"):
        month = _month_number(span.part("name"), has_year=True)
    is_likely_year = FIRST_YEAR <= int(year) <= LAST_YEAR
    if not is_likely_year or not _is_date(year, month, "1"):
        return []
    # It is a part of an id: `FB-1934-02`, `2026-03-x`. A slash before it ends a folder:
    # `/log/2026-03`.
    touches_mark = span.before(1) in ("-", "_") or span.behind(1) in ("-", "/")
    if touches_mark:
        return []
    return [span.value(Kind.MONTH, f"{year}-{int(month):02d}")]


def read_era_year(span: Span) -> list[WrittenValue]:
    """Read a year of an era as a number: `令和8年` -> 2026."""
    return [span.value(Kind.NUMBER, _year_of(span))]


def _year_of(span: Span) -> str:
    """Return the year as it is written, or that of an era: `令和8` -> 2026; "" without a
    year."""
    era = span.part("era")
    if not era:
        return span.part("year")
    era_year = span.part("era_year")
    if era_year == _FIRST_ERA_YEAR:
        era_year = "1"
    return str(ERA_YEARS[era] + int(era_year))


def _month_number(name: str, *, has_year: bool) -> str:
    """Return the number of a month by its name in any language.

    Returns "0" for another word. `_is_date` then refuses the date, because there is no
    month 0.
    """
    folded_name = name.casefold()
    is_lower_case = name == folded_name
    is_everyday_word = folded_name in _EVERYDAY_WORDS and is_lower_case and not has_year
    if is_everyday_word:
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
    """Return `2026-03-12`, or `--03-12` without a year, as ISO 8601 wrote it."""
    month_and_day = f"{int(month):02d}-{int(day):02d}"
    if not year:
        return f"--{month_and_day}"
    return f"{year}-{month_and_day}"
