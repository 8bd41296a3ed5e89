"""A match of a pattern in a text, with the characters around it.

In `It is 12.03.2026.`, the pattern of dates matches `12.03.2026`. The characters before and
behind the match show that it is not a part of something longer, such as `1.12.03.2026`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final, TypeAlias

import re2

from controlplane.gates.values.normal_text import NumberStyle

# The values that a text may state: their kinds, and a value as it is written.
#
# "Paid 1.250,50 € on 12 March 2026." has a number, 1250.5 EUR, and a date, 2026-03-12.


class ValueKind(StrEnum):
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


ALL_KINDS: Final = frozenset(ValueKind)


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

    kind: ValueKind
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

    -5 for `3.4 million`, whose last digit counts 100,000s (10 to the power of 5), and -2 for the
    rounded number of `about 86,300`.
    """
    other_canonical: str = ""
    """The second reading of an ambiguous value: 1.199, if the first reading of `1.199` is 1199.

    For `03/04/2026`, the first one is 3 April, and the second one 4 March.
    """
    other_decimals: int = 0
    follower: str = ""
    """The word behind a number that is not a known unit: `seats` in `45 seats`."""
    may_be_negative: bool = False
    """True for a number as bookkeepers write negative ones: `(1,234.50)`, `250,00-`.

    A parenthesis may also stand around a number that is not negative, so it may mean either.
    """

    has_plus: bool = False
    """True for `+3.2 %`, which is not what `-3.2 %` may be called in words."""

    @property
    def key(self) -> tuple[ValueKind, str, str]:
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
    """A match of a pattern in a normalised text, with access to the characters around it.

    In `It is 5:10 pm.`, the match is `5:10 pm`, its part `hour` is `5`, and `behind(1)` is `.`.
    """

    match: re2._Match
    """The match, whose pattern has named groups."""
    style: NumberStyle
    """How the text writes ambiguous numbers and dates, such as `1.199`."""

    @property
    def written(self) -> str:
        """The matched text."""
        return str(self.match[0])

    @property
    def start(self) -> int:
        """The offset in the text at which the match begins."""
        return int(self.match.start())

    @property
    def end(self) -> int:
        """The offset behind the match."""
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

    def value(self, kind: ValueKind, canonical: str) -> WrittenValue:
        """Return the value that the whole match states."""
        return WrittenValue(kind, self.written, self.start, self.end, canonical)


LAST_BEFORE_CJK: Final = "\u2e7f"
"""The last character before those of Chinese and other scripts without blanks between words.

Letters of these scripts may touch a value without being a part of it: `5時に`.
"""


def is_word_character(character: str) -> bool:
    """Return True for a letter or digit that continues the value next to it."""
    return character.isalnum() and character <= LAST_BEFORE_CJK


def _stands_alone(span: Span, joining_marks: str) -> bool:
    """Return True if a match is not a part of something longer.

    It is a part if a letter or digit touches it, or if a joining mark stands between it and
    a digit: `12.03.2026` is a part of `1.12.03.2026`. The T of `2026-03-12T17:10` and the Z of
    `17:10Z` may touch it, because they belong to dates and times in ISO 8601.
    """
    character_before = span.before(1)
    character_behind = span.behind(1)
    if is_word_character(character_before) and character_before != "T":
        return False
    # A sign such as the 日 of `10月22日14:00` ends a date, whatever follows.
    ends_with_sign = span.written[-1:] > LAST_BEFORE_CJK
    if is_word_character(character_behind) and not ends_with_sign:
        if character_behind not in ("T", "Z"):
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


# A form is one way to write a value: a pattern, and a function that reads a match.
#
#     MAILS = Form(Kind.MAIL, r"\S+@\S+", read_mail)
#     MAILS.values_in("Ask Ada@Example.org", style, 12)     # the value `ada@example.org`
#
# Patterns run on RE2, so the time for a text is linear in its length.

Reader: TypeAlias = Callable[[Span], list[WrittenValue]]
"""Returns the values of a match, or an empty list if the match turns out to be something else."""
_GROUP_NAME: Final = re2.compile(r"\(\?P<\w+>")
"""The start of a named group in a pattern: `(?P<year>`."""


@dataclass(frozen=True)
class Form:
    """One way to write a value."""

    kind: ValueKind
    pattern: str
    read: Reader
    is_alone: bool = False
    """True if a match counts only when no letter or digit touches it: not the `½` of `A½`.

    If it is False, `pattern` or `read` checks what touches the match.
    """
    joining_marks: str = ""
    """If `is_alone`, marks that must not stand between the match and a digit.

    With `.`, the date `12.03.2026` does not count in `1.12.03.2026`.
    """

    @cached_property
    def regexp(self) -> re2._Regexp:
        """The compiled pattern."""
        return re2.compile(self.pattern)

    def values_in(
        self, text: str, style: NumberStyle, max_values: int
    ) -> list[WrittenValue]:
        """Return the values of a text that are written in this form.

        `style` says how the text writes ambiguous numbers, such as `1.199`. A match may hold
        several values, so there may be a few more than `max_values`.
        """
        values: list[WrittenValue] = []
        for match in self.regexp.finditer(text):
            span = Span(match, style)
            if self.is_alone and not _stands_alone(span, self.joining_marks):
                continue
            values += self.read(span)
            if len(values) >= max_values:
                break
        return values


@dataclass(frozen=True)
class FormGroup:
    """Forms that are searched for one after another, but only in a text that has one of them.

    This saves time with the many forms of dates and times: a single search, for any of
    them, shows that most texts have none.
    """

    forms: Sequence[Form]

    def is_in(self, text: str) -> bool:
        """Return True if a text may have a value in one of the forms."""
        return len(self.forms) == 1 or self._any_form.search(text) is not None

    @cached_property
    def _any_form(self) -> re2._Regexp:
        """Matches what any of the forms matches.

        The names of groups are left out, because two forms with the same name cannot be joined.
        """
        patterns = [_GROUP_NAME.sub("(?:", form.pattern) for form in self.forms]
        return re2.compile("|".join(f"(?:{pattern})" for pattern in patterns))
