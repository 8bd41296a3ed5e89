"""The data of reading values: `Kind`, `WrittenValue`, and `Span`, the match from which a value is
read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import re2

from controlplane.gates.values.number_style import NumberStyle


class Kind(StrEnum):
    """What a value measures or names. Values of different kinds are never equal."""

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
    """The form that all spellings of a value share: `2026-03-12`, `--03-12` without a year,
    `1250.5`, `17:10`."""
    unit: str = ""
    """The unit of a number, such as `EUR`, `h` or `%`; the offset of a time's zone, such as
    `+02:00`."""
    decimals: int = 0
    """Decimals as stated: 2 for `12.50`, -5 for `3.4 million`."""
    other_canonical: str = ""
    """The second reading, if there are two: 1.199 for `1.199`, April 3 for `03/04/2026`."""
    other_decimals: int = 0
    follower: str = ""
    """The word behind a number that is not a known unit: `seats` in `45 seats`."""

    @property
    def key(self) -> tuple[Kind, str, str]:
        """The key by which equal values are found."""
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
        return str(self.match.string[self.end : self.end + count])

    def part(self, name: str) -> str:
        """Return the text of a named group, or "" if the group matched nothing."""
        return self.match.groupdict().get(name) or ""

    def place(self, name: str) -> tuple[int, int]:
        """Return the offsets of a named group."""
        start, end = self.match.span(self.match.re.groupindex[name])
        return start, end

    def value(self, kind: Kind, canonical: str) -> WrittenValue:
        return WrittenValue(kind, self.written, self.start, self.end, canonical)


LAST_BEFORE_CJK: Final = "\u2e7f"
"""The last character before the scripts that write no blanks between words. Their letters may touch
a value without being a part of it."""


def is_word_character(character: str) -> bool:
    """Return True for a letter or digit that continues the value next to it."""
    return character.isalnum() and character <= LAST_BEFORE_CJK


def stands_alone(span: Span, joining_marks: str) -> bool:
    """Return True if a match is not a part of something longer.

    It is a part if a letter or digit touches it, or a joining mark with a digit on the other
    side.
    """
    before = span.before(2)
    behind = span.behind(2)
    if is_word_character(before[-1:]) and before[-1:] != "T":  # the T of `2026-03-12T17:10`
        return False
    if is_word_character(behind[:1]) and behind[:1] not in ("T", "Z"):
        return False
    is_joined_before = before[-1:] in joining_marks and before[:1].isdigit()
    is_joined_behind = behind[:1] in joining_marks and behind[1:].isdigit()
    return not (is_joined_before or is_joined_behind)
