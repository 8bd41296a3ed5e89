"""The year, month and day that a match of a date's pattern has, in numbers.

`span.part("day")` is what the group `day` of the pattern matched.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from controlplane.gates.values.locale_names import ERA_YEARS, locale_names
from controlplane.gates.values.spans import Span

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
class CalendarDay:
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
    def swapped(self) -> CalendarDay:
        """The date with day and month exchanged."""
        return CalendarDay(self.year, month=self.day, day=self.month)

    @property
    def canonical(self) -> str:
        """`2026-03-12`, or `--03-12` without a year: a form of the older ISO 8601."""
        month_and_day = f"{int(self.month):02d}-{int(self.day):02d}"
        return f"{self.year}-{month_and_day}" if self.year else f"--{month_and_day}"


def day_at(span: Span) -> CalendarDay:
    """Return year, month and day: `12.03.26` -> 2026, 03 and 12, `12. März` -> "", 3 and 12."""
    year = year_of(span)
    month = span.part("month")
    if span.part("name"):
        month = month_number(span.part("name"), has_year=bool(year))
    if len(year) == 2:
        year = f"{_CENTURY}{year}"
    return CalendarDay(year, month, span.part("day"))


def year_of(span: Span) -> str:
    """Return the year as it is written, or that of an era: `令和8` -> 2026; "" without a year."""
    era = span.part("era")
    if not era:
        return span.part("year")
    era_year = span.part("era_year")
    if era_year == _FIRST_ERA_YEAR:
        era_year = "1"
    return str(ERA_YEARS[era] + int(era_year))


def month_number(name: str, *, has_year: bool) -> str:
    """Return the number of a month by its name in any language.

    Returns "0" for another word. There is no month 0, so the date does not exist.
    """
    folded_name = name.casefold()
    is_lower_case = name == folded_name
    is_everyday_word = folded_name in _EVERYDAY_WORDS and is_lower_case and not has_year
    if is_everyday_word:
        return "0"
    return str(locale_names().months.get(folded_name, 0))
