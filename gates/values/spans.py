"""A match of a pattern in a text, with the characters around it.

In `It is 12.03.2026.`, the pattern of dates matches `12.03.2026`. The characters before and
behind the match show that it is not a part of something longer, such as `1.12.03.2026`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import re2

from controlplane.gates.values.number_style import NumberStyle
from controlplane.gates.values.value_kinds import Kind, WrittenValue


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

    def value(self, kind: Kind, canonical: str) -> WrittenValue:
        """Return the value that the whole match states."""
        return WrittenValue(kind, self.written, self.start, self.end, canonical)


LAST_BEFORE_CJK: Final = "\u2e7f"
"""The last character before those of Chinese and other scripts without blanks between words.

Letters of these scripts may touch a value without being a part of it: `5時に`.
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
