"""The data of reading values: `Kind`, `WrittenValue`, and `Span`, a match of a pattern."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import re2

from controlplane.gates.values.number_style import NumberStyle


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
    """One value of a text."""

    kind: Kind
    text: str
    """The value as it is written."""
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


@dataclass(frozen=True, slots=True)
class Span:
    """A match of a pattern in a normalised text, with access to the characters around it."""

    match: re2._Match
    style: NumberStyle
    """How the text writes ambiguous numbers and dates, such as `1.199`."""

    @property
    def written(self) -> str:
        return str(self.match[0])

    @property
    def start(self) -> int:
        return int(self.match.start())

    @property
    def end(self) -> int:
        return int(self.match.end())

    def before(self, count: int) -> str:
        """Return up to `count` characters in front of the match."""
        return str(self.match.string[max(self.start - count, 0) : self.start])

    def behind(self, count: int) -> str:
        """Return up to `count` characters after the match."""
        return str(self.match.string[self.end : self.end + count])

    def part(self, name: str) -> str:
        """Return what a named group of the pattern matched, or "" if it matched nothing."""
        return self.match.groupdict().get(name) or ""

    def place(self, name: str) -> tuple[int, int]:
        """Return where a named group of the pattern matched, as the offsets of start and end."""
        start, end = self.match.span(self.match.re.groupindex[name])
        return start, end

    def value(self, kind: Kind, canonical: str) -> WrittenValue:
        """Return the value that the whole match states."""
        return WrittenValue(kind, self.written, self.start, self.end, canonical)


LAST_BEFORE_CJK: Final = "\u2e7f"
"""Later characters are of scripts without blanks between words, such as Chinese.

Their letters may touch a value without being a part of it.
"""


def is_word_character(character: str) -> bool:
    """Return True for a letter or digit that continues the value next to it."""
    return character.isalnum() and character <= LAST_BEFORE_CJK


def stands_alone(span: Span, joining_marks: str) -> bool:
    """Return True if a match is not a part of something longer.

    It is a part if a letter or digit touches it, or if a joining mark stands between it and
    a digit: `12.03.2026` is a part of `1.12.03.2026`. The T of `2026-03-12T17:10` and the Z of
    `17:10Z` may touch it, because they belong to dates and times in ISO 8601.
    """
    character_before = span.before(1)
    character_behind = span.behind(1)
    if is_word_character(character_before) and character_before != "T":
        return False
    if is_word_character(character_behind) and character_behind not in ("T", "Z"):
        return False

    before = span.before(2)  # a digit and a joining mark: `1.`
    behind = span.behind(2)  # a joining mark and a digit: `.1`
    is_joined_before = (
        len(before) == 2 and before[0].isdigit() and before[1] in joining_marks
    )
    is_joined_behind = (
        len(behind) == 2 and behind[0] in joining_marks and behind[1].isdigit()
    )
    return not is_joined_before and not is_joined_behind
