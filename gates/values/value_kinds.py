"""The values that a text may state: their kinds, and a value as it is written.

"Paid 1.250,50 € on 12 March 2026." has a number, 1250.5 EUR, and a date, 2026-03-12.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """What a value measures or names."""

    QUOTATION = "quotation"
    URL = "url"
    MAIL = "mail"
    IBAN = "iban"
    DATE = "date"
    MONTH = "month"
    TIME = "time"
    TELEPHONE = "telephone"
    ID = "id"
    NUMBER = "number"


ALL_KINDS: Final = frozenset(Kind)


@dataclass(frozen=True, slots=True)
class WrittenValue:
    """One value of a text.

    text                canonical     unit     other fields
    `1.250,50 €`        `1250.5`      `EUR`    decimals 2
    `3.4 million`       `3400000`              decimals -5
    `45 seats`          `45`                   follower `seats`
    `17:10 CET`         `17:10`       `+01:00`
    `03/04/2026`        `2026-04-03`           other_canonical `2026-03-04`
    """

    kind: Kind
    text: str
    """The value as it is written: `1.250,50`, without the unit of a number."""
    start: int
    """The offset of `text` in the text that was read."""
    end: int
    canonical: str
    """The form that all spellings share: `2026-03-12`, `--03-12` without a year, `1250.5`."""
    unit: str = ""
    """A number's unit (`EUR`), a time's zone (`+02:00`), or `code` for code in back quotes."""
    decimals: int = 0
    """The place of the last written digit: 2 for `12.50` (hundredths), 0 for `12`.

    -5 for `3.4 million`, whose last digit counts 100,000s (10 to the power of 5).
    """
    other_canonical: str = ""
    """The second reading of an ambiguous value: 1.199, if the first reading of `1.199` is 1199.

    For `03/04/2026`, the first one is 3 April, and the second one 4 March.
    """
    other_decimals: int = 0
    follower: str = ""
    """The word behind a number that is not a known unit: `seats` in `45 seats`."""

    @property
    def key(self) -> tuple[Kind, str, str]:
        """The key by which equal values are found, by their first readings."""
        return self.kind, self.canonical, self.unit


def year_of_date(value: WrittenValue) -> str:
    """Return the year of a date: `2026` for 2026-03-12, "" for --03-12."""
    if value.canonical.startswith("-"):
        return ""
    return value.canonical.partition("-")[0]


def day_of_date(value: WrittenValue) -> str:
    """Return the month and day of a date: `03-12` for 2026-03-12 and for --03-12."""
    return value.canonical[-len("03-12") :]
