"""How dates and months are written."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Final

from controlplane.gates.values.locale_names import (
    ERA_YEARS,
    locale_names,
)
from controlplane.gates.values.value_kinds import Kind, Span, WrittenValue

_SUFFIX: Final = r"(?:\.|st|nd|rd|th|er|º|ª|°|e)?"
_RANGE: Final = r"(?: ?- ?| (?:to|and|until|bis|und|au|et|al|y|e|do|i|tot|en|til|och|a) )"
"""What stands between the first and the last day of `13 to 27 May`."""
_JOINED_BY: Final = r"[ \x{a0}/-]"
ERA_PATTERN: Final = "|".join(ERA_YEARS)


def _month_pattern() -> str:
    """Return a pattern of words that may begin like a month; the reader looks the whole word up."""
    beginnings = sorted({name[:3] for name in locale_names().months})
    return r"(?P<name>(?:" + "|".join(beginnings) + r")\pL*)"


def date_patterns() -> list[str]:
    month = _month_pattern()
    return [
        # 2026-03-12; of an interval `2026-05-01/2026-05-06` both ends
        r"(?P<year>\d{4})(?P<mark>-)(?P<month>\d{2})(?P<mark2>-)(?P<day>\d{2})",
        # 2026-3-12, 2026/3/12, 2026.03.12
        r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?P<mark2>[-/.])(?P<day>\d{1,2})",
        # 12.03.2026, 12. 3. 2026
        r"(?P<day>\d{1,2})(?P<mark>[-/.]) ?(?P<month>\d{1,2})(?P<mark2>[-/.]) ?(?P<year>\d{4})",
        # 12.03.26, 12/03/26
        r"(?P<day>\d{1,2})(?P<mark>[/.])(?P<month>\d{1,2})(?P<mark2>[/.])(?P<year>\d{2})",
        # 12 March 2026, 12. März, 13 to 27 May, 12-Mar-2026, le 1er mars
        rf"(?i)(?:(?P<first>\d{{1,2}}){_SUFFIX}{_RANGE})?(?P<day>\d{{1,2}}){_SUFFIX}{_JOINED_BY}{{1,2}}"
        rf"(?:(?:of|de|d[aei]) )?{month}\.?(?:,?{_JOINED_BY}(?:(?:de|del|of) )?(?P<year>\d{{4}}))?",
        # March 12, 2026; March 12-14; Sept. 3rd
        rf"(?i){month}\.? (?:(?P<first>\d{{1,2}}){_SUFFIX}{_RANGE})?(?P<day>\d{{1,2}})"
        r"(?:st|nd|rd|th)?(?:,? (?P<year>\d{4}))?",
        # 2026年3月12日, 3月12日, 令和8年3月12日, 2026년 3월 12일
        rf"(?:(?:(?P<era>{ERA_PATTERN}) ?(?P<era_year>元|\d{{1,2}})|(?P<year>\d{{4}})) ?[年년] ?)?"
        r"(?P<month>\d{1,2}) ?[月월] ?(?P<day>\d{1,2}) ?[日일号號]",
        # 20260312
        r"(?P<year>(?:19|20)\d\d)(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])",
        # 12.3. without a year
        r"(?P<day>\d{1,2})\. ?(?P<month>\d{1,2})\.",
    ]


def month_of_year_patterns() -> list[str]:
    return [
        # March 2026, marzo de 2026
        rf"(?i){_month_pattern()}\.?,?{_JOINED_BY}(?:(?:de|del|of) )?(?P<year>\d{{4}})",
        # 2026年3月, 令和8年3月
        rf"(?:(?P<era>{ERA_PATTERN}) ?(?P<era_year>元|\d{{1,2}})|(?P<year>\d{{4}})) ?[年년] ?(?P<month>\d{{1,2}}) ?[月월]",
        r"(?P<year>\d{4})-(?P<month>\d{2})",
        r"(?P<month>\d{1,2})/(?P<year>\d{4})",
    ]


_NOT_MONTHS: Final = frozenset({"may", "mar", "mag", "out", "set", "ago", "mai", "sep", "dec"})
"""Months that are everyday words, too: only with a year or a capital they are months (`4 out of
12`)."""


def read_date(span: Span) -> list[WrittenValue]:
    if span.part("mark") != span.part("mark2"):
        return []
    year = _year_of(span)
    month = span.part("month")
    day = span.part("day")
    name = span.part("name")
    if name:
        month = _month_number(name, has_year=bool(year))
    if len(year) == 2:
        year = f"20{year}"
    if not year and not name and span.style.decimal_mark == "." and "." in span.written:
        return []  # the end of a sentence: `It is 12.3.`
    if not _is_date(year, month, day):
        month, day = day, month  # 3/25/2026
        is_fixed = bool(name) or not year or span.written.startswith(year)
        if is_fixed or not _is_date(year, month, day):
            return []
        return [span.value(Kind.DATE, _date_text(year, month, day))]
    value = span.value(Kind.DATE, _date_text(year, month, day))
    values = [_with_other_order(value, span, year, month, day)]
    if span.part("first") and _is_date(year, month, span.part("first")):
        values.insert(0, _first_day_of_range(span, year, month))
        start, _ = span.place("name" if span.place("name") < span.place("day") else "day")
        start = max(start, values[0].end)
        values[1] = replace(values[1], start=start)
    return values


def _first_day_of_range(span: Span, year: str, month: str) -> WrittenValue:
    """Return the first day of `13 to 27 May 2026`, which shares month and year with the last
    one."""
    start, end = span.place("first")
    canonical = _date_text(year, month, span.part("first"))
    return WrittenValue(Kind.DATE, span.part("first"), start, end, canonical)


def _with_other_order(
    value: WrittenValue, span: Span, year: str, month: str, day: str
) -> WrittenValue:
    """Return a date with slashes as its text orders day and month, or with both readings if that
    is open."""
    if span.part("mark") != "/" or span.written.startswith(year or "?"):
        return value
    if month == day or not _is_date(year, day, month):
        return value
    other = _date_text(year, day, month)
    match span.style.date_order:
        case "day first":
            return value
        case "month first":
            return replace(value, canonical=other)
    return replace(value, other_canonical=other)


def _year_of(span: Span) -> str:
    era = span.part("era")
    if not era:
        return span.part("year")
    era_year = span.part("era_year")
    if era_year == "元":  # the first year
        era_year = "1"
    return str(ERA_YEARS[era] + int(era_year))


def _month_number(name: str, *, has_year: bool) -> str:
    """Return the number of a month by its name in any language; `0` for another word."""
    folded = name.casefold()
    if not has_year and name == folded and folded in _NOT_MONTHS:
        return "0"
    return str(locale_names().months.get(folded, 0))


def _is_date(year: str, month: str, day: str) -> bool:
    try:
        date(int(year or "2000"), int(month), int(day))
    except ValueError:
        return False
    return True


def _date_text(year: str, month: str, day: str) -> str:
    return f"{year or '-'}-{int(month):02d}-{int(day):02d}"


def read_month(span: Span) -> list[WrittenValue]:
    year = _year_of(span)
    month = span.part("month")
    if span.part("name"):
        month = _month_number(span.part("name"), has_year=True)
    if not "1900" <= year < "2100" or not _is_date(year, month, "1"):
        return []
    if span.before(1) in ("-", "_") or span.behind(1) in ("-", "/"):  # `FB-1934-02`
        return []
    return [span.value(Kind.MONTH, f"{year}-{int(month):02d}")]


def read_era_year(span: Span) -> list[WrittenValue]:
    return [span.value(Kind.NUMBER, _year_of(span))]
