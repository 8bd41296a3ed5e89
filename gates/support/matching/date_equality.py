"""Compares dates and months: `3 May` with `3 May 2026`, `March 2026` with `12 March 2026`.

The `canonical` of a date is `2026-05-03`, or `--05-03` without a year.
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.support.matching.agreements import (
    EQUAL,
    Agreement,
    share_reading,
)
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.values.value_kinds import (
    Kind,
    WrittenValue,
    day_of_date,
    year_of_date,
)

HEAD_LINES: Final = 12
"""The year in these first lines, such as the head of a mail, holds for dates without a year."""


def compare_dates(
    stated: WrittenValue, found: WrittenValue, source: Source, line: int
) -> Agreement | None:
    """Compare a date that an answer states with one on a line of a text; None if they differ.

    | stated       | found        | they agree                                      |
    | ------------ | ------------ | ----------------------------------------------- |
    | `03/04/2026` | `2026-03-04` | yes, it may be read as 3 April or as 4 March    |
    | `3 May`      | `3 May 2026` | yes, the answer leaves the year out             |
    | `3 May 2026` | `3 May`      | if the text names 2026 near the date            |
    | `3 May 2026` | `3 May 2025` | no                                              |
    """
    if found.kind is not Kind.DATE:
        return None
    if share_reading(stated, found):
        return EQUAL
    if day_of_date(stated) != day_of_date(found):
        return None
    stated_year = year_of_date(stated)
    if not stated_year:
        return EQUAL
    if not year_of_date(found) and _names_year(source, line, stated_year):
        # The note names the year apart, because the text has it at another place: `3 May, 2026`
        return Agreement(f"{found.text}, {stated_year}")
    return None


def _names_year(source: Source, line: int, year: str) -> bool:
    """Return True if a text names a year near a line, which is given by its index.

    Near is the line itself, the heading of its table, and the first lines of the text.
    """
    if year in source.lines[line] or year in source.rows.heading_of(line):
        return True
    return any(year in head_line for head_line in source.lines[:HEAD_LINES])


def compare_months(stated: WrittenValue, found: WrittenValue) -> Agreement | None:
    """Accept the same month, and a day of it: 2026-03 is supported by `12 March 2026`."""
    if found.kind not in (Kind.MONTH, Kind.DATE):
        return None
    is_in_month = found.canonical.startswith(stated.canonical)
    return EQUAL if is_in_month else None
