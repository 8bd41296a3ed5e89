"""Reads dates, months and years of eras: `12 March 2026`, `03/04/2026`, `令和8年3月`.

`date_patterns` has the patterns. `span.part("day")` is what their group `day` matched.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from controlplane.gates.values.date_patterns import (
    ERA_YEAR_PATTERN,
    date_patterns,
    month_patterns,
)
from controlplane.gates.values.locale_names import ERA_YEARS, locale_names
from controlplane.gates.values.value_forms import Form, FormGroup, Reader
from controlplane.gates.values.value_kinds import Kind, Span, WrittenValue

FIRST_YEAR: Final = 1900
LAST_YEAR: Final = 2099
"""Only from `FIRST_YEAR` to this year is `2026-05` read as a month. `1234-05` is an id."""
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
class _Day:
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
    def swapped(self) -> _Day:
        """The date with day and month exchanged."""
        return _Day(self.year, month=self.day, day=self.month)

    @property
    def canonical(self) -> str:
        """`2026-03-12`, or `--03-12` without a year: a form of the older ISO 8601."""
        month_and_day = f"{int(self.month):02d}-{int(self.day):02d}"
        return f"{self.year}-{month_and_day}" if self.year else f"--{month_and_day}"


def read_date(span: Span) -> list[WrittenValue]:
    """Read a date, or both dates of a range: `13 to 27 May` -> `--05-13` and `--05-27`.

    `span.part` returns what a named group of the pattern matched, such as `day`.
    """
    if span.part("mark") != span.part("mark2"):  # `12/03.2026`
        return []
    day = _day_at(span)
    if not day.year and _may_end_sentence(span):
        return []

    if _may_begin_with_month(span, day):
        return _in_either_order(span, day)

    if not day.exists:
        return []
    if span.part("first"):  # the 13 of `13 to 27 May`
        first_day = replace(day, day=span.part("first"))
        if first_day.exists:  # in `31 to 15 June`, only the 15 June
            return _ends_of_range(span, first_day, day)
    return [span.value(Kind.DATE, day.canonical)]


def _day_at(span: Span) -> _Day:
    """Return year, month and day: `12.03.26` -> 2026, 03 and 12, `12. März` -> "", 3 and 12."""
    year = _year_of(span)
    month = span.part("month")
    if span.part("name"):
        month = _month_number(span.part("name"), has_year=bool(year))
    if len(year) == 2:
        year = f"{_CENTURY}{year}"
    return _Day(year, month, span.part("day"))


def _may_end_sentence(span: Span) -> bool:
    """Return True if `12.3.` may be a number at the end of a sentence: `It is 12.3.`

    This is possible only in a text with decimal points. In other texts, it is 12 March.
    """
    has_name = span.part("name") != ""
    return not has_name and "." in span.written and span.style.decimal_mark == "."


def _may_begin_with_month(span: Span, day: _Day) -> bool:
    """Return True for numbers with the year behind them: `3/4/2026`, `3/4/26`.

    If the year comes first, as in `2026/3/4`, the month is always next.
    """
    has_name = span.part("name") != ""
    if has_name or not day.year:
        return False
    begins_with_year = span.part("year") != "" and span.place("year")[0] == span.start
    return not begins_with_year


def _in_either_order(span: Span, day_first: _Day) -> list[WrittenValue]:
    """Read a date that may begin with the day or the month: `25/3/2026`, `3/25/2026`."""
    month_first = day_first.swapped
    if not day_first.exists and not month_first.exists:
        return []
    if not day_first.exists:  # 3/25/2026 has no month 25
        return [span.value(Kind.DATE, month_first.canonical)]
    if span.part("mark") == "/":  # 03/04/2026
        return [_in_order_of_text(span, day_first)]
    # With other marks, the day comes first: `3.4.2026`.
    return [span.value(Kind.DATE, day_first.canonical)]


def _in_order_of_text(span: Span, day_first: _Day) -> WrittenValue:
    """Return the date of `03/04/2026` by the order of day and month in the rest of the text.

    It is 3 April in a text with `25/03/2026`, and 4 March in one with `03/25/2026`. If
    the text has no such date, the value has both readings.
    """
    value = span.value(Kind.DATE, day_first.canonical)
    month_first = day_first.swapped
    if month_first == day_first or not month_first.exists:
        return value
    match span.style.date_order:
        case "day first":
            return value
        case "month first":
            return replace(value, canonical=month_first.canonical)
    return replace(value, other_canonical=month_first.canonical)


def _ends_of_range(span: Span, first: _Day, last: _Day) -> list[WrittenValue]:
    """Return the two dates of a range, each at its own part of the text.

    `13 to 27 May 2026` -> `13` and `27 May 2026`. In `May 13-27`, where the month
    belongs to both, they are `13` and `-27`.
    """
    start, end = span.place("first")
    first_date = WrittenValue(
        Kind.DATE, span.part("first"), start, end, first.canonical
    )
    name_start, _ = span.place("name")
    day_start, _ = span.place("day")
    # In `May 13-27`, the name comes first, and the second date begins right behind the 13.
    last_start = end if name_start < start else day_start
    last_date = replace(span.value(Kind.DATE, last.canonical), start=last_start)
    return [first_date, last_date]


def read_month(span: Span) -> list[WrittenValue]:
    """Read a month of a year: `March 2026` -> 2026-03, `03/2026` -> 2026-03."""
    year = _year_of(span)
    month = span.part("month")
    if span.part("name"):
        month = _month_number(span.part("name"), has_year=True)
    is_likely_year = FIRST_YEAR <= int(year) <= LAST_YEAR
    # A month exists if it has a first day.
    if not is_likely_year or not _Day(year, month, "1").exists:
        return []
    # It is a part of an id: `FB-1934-02`, `2026-03-x`.
    # A slash before it ends a folder: `/log/2026-03`.
    touches_mark = span.before(1) in ("-", "_") or span.behind(1) in ("-", "/")
    if touches_mark:
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
    """Return the number of a month by its name in any language.

    Returns "0" for another word. There is no month 0, so the date does not exist.
    """
    folded_name = name.casefold()
    is_lower_case = name == folded_name
    is_everyday_word = folded_name in _EVERYDAY_WORDS and is_lower_case and not has_year
    if is_everyday_word:
        return "0"
    return str(locale_names().months.get(folded_name, 0))


# Forms


def dates() -> FormGroup:
    """Return the forms of dates and months in the order in which they are tried."""
    # Of all dates, only this form may touch a slash: ISO 8601 writes `2026-05-01/2026-05-06`.
    iso_pattern, *patterns = date_patterns()
    forms = [Form(Kind.DATE, iso_pattern, read_date, is_alone=True, joining_marks="-.")]
    for pattern in patterns:
        forms.append(_form(Kind.DATE, pattern, read_date))
    for pattern in month_patterns():
        forms.append(_form(Kind.MONTH, pattern, read_month))
    return FormGroup(forms)


def _form(kind: Kind, pattern: str, read: Reader) -> Form:
    return Form(kind, pattern, read, is_alone=True, joining_marks="-/.")


ERA_YEARS_ALONE: Final = Form(
    Kind.NUMBER, ERA_YEAR_PATTERN, read_era_year, is_alone=True
)
