"""Reads months, and years of eras: `March 2026`, `03/2026`, `令和8年`.

`span.part("month")` is what the group `month` of the pattern matched.
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.values.dates.date_parts import (
    CalendarDay,
    month_number,
    year_of,
)
from controlplane.gates.values.dates.date_patterns import ERA_YEAR_PATTERN
from controlplane.gates.values.spans import Span
from controlplane.gates.values.value_forms import Form
from controlplane.gates.values.value_kinds import Kind, WrittenValue

FIRST_YEAR: Final = 1900
LAST_YEAR: Final = 2099
"""Only from `FIRST_YEAR` to this year is `2026-05` read as a month. `1234-05` is an id."""


def read_month(span: Span) -> list[WrittenValue]:
    """Read a month of a year: `March 2026` -> 2026-03, `03/2026` -> 2026-03."""
    year = year_of(span)
    month = span.part("month")
    if span.part("name"):
        month = month_number(span.part("name"), has_year=True)
    is_likely_year = FIRST_YEAR <= int(year) <= LAST_YEAR
    first_day = CalendarDay(year, month, "1")
    if not is_likely_year or not first_day.exists:  # `1234-05`, `2026-13`
        return []
    # A slash is allowed before it, where it ends a folder: `/log/2026-03`.
    is_part_of_id = span.before(1) in ("-", "_") or span.behind(1) in ("-", "/")
    if is_part_of_id:  # `FB-1934-02`, `2026-03-x`
        return []
    return [span.value(Kind.MONTH, f"{year}-{int(month):02d}")]


def read_era_year(span: Span) -> list[WrittenValue]:
    """Read a year of an era as a number: `令和8年` -> 2026."""
    return [span.value(Kind.NUMBER, year_of(span))]


ERA_YEARS_ALONE: Final = Form(
    Kind.NUMBER, ERA_YEAR_PATTERN, read_era_year, is_alone=True
)
