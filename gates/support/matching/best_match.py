"""Chooses the line that is most likely the source of a value.

An answer says "The fee is 300". The 300 is on two lines, `Fee: 300` and `Room: 300`. The first
shares a word with the answer, so it is the likely source.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from controlplane.gates.support.matching.line_search import (
    LineBudget,
    Match,
    find_matches,
)
from controlplane.gates.support.matching.value_equality import is_year
from controlplane.gates.support.sources import Place, Source
from controlplane.gates.text_folding import distinctive_words
from controlplane.gates.values.spans import ValueKind, WrittenValue
from controlplane.sandbox.interface import bounds

# Texts that a trial was given and that may state a value of its answer, but are not files.
#
# They are the question, the clock, rules, and the names of files.

_KINDS_IN_FILE_NAMES: Final = frozenset(
    {
        ValueKind.ID,
        ValueKind.QUOTATION,
        ValueKind.URL,
        ValueKind.MAIL,
        ValueKind.DATE,
        ValueKind.MONTH,
    }
)
"""The kinds of values that the name of a file may state.

`/reports/2026-03.csv` supports `March 2026`, but not `3 items`.
"""


class GivenTexts:
    """The texts that a trial was given besides files, each as a source that can be searched."""

    def __init__(self, question: str, texts: Sequence[str], file_names: str) -> None:
        """Take the question, other texts such as the clock, and names of files, one a line."""
        self._question = question
        self._texts = texts
        self._file_names = file_names

    @cached_property
    def question_sources(self) -> list[Source]:
        """The question. It is apart from the other texts, because it is searched before them."""
        return [Source("", self._question)]

    @cached_property
    def _text_sources(self) -> list[Source]:
        """The texts other than the question, such as the clock."""
        return [Source("", text) for text in self._texts]

    @cached_property
    def _name_sources(self) -> list[Source]:
        """The names of files, as one text."""
        return [Source("", self._file_names)]

    def sources_for(self, value: WrittenValue) -> list[Source]:
        """Return the texts besides the question in which a value may be looked up.

        The names of files are among them only for years and for the kinds of values in
        `_KINDS_IN_FILE_NAMES`: their other numbers are not amounts.
        """
        if value.kind in _KINDS_IN_FILE_NAMES or is_year(value):
            return self._text_sources + self._name_sources
        return self._text_sources


@dataclass(frozen=True, slots=True)
class BestMatch:
    """The line that is most likely the source of a value."""

    note: str
    """How the line states the value, if differently: `rounded from 6.545`. Else empty."""
    place: Place | None = None
    """None if it is unknown which of several lines is the source."""
    is_cited: bool = False
    """True if the place is known, and in a file that the answer cites."""
    is_sure: bool = False
    """True if the line is unlikely to state the same value by chance.

    It shares words with the text around the value; or no other line states the value, and the
    answer cites the file.
    """


@dataclass(frozen=True, slots=True, order=True)
class _Rank:
    """How well a line fits. Ranks are compared by their first field, then by the second."""

    shared_words: int
    is_cited: bool


@dataclass(eq=False)
class LineChooser:
    """Searches sources for a value of an answer, and chooses among the lines that state it.

    Of two lines with 300, `Fee: 300` is more likely the source of "The fee is 300".
    """

    cited: frozenset[str]
    """The paths that the answer cites."""
    budget: LineBudget = field(default_factory=LineBudget)
    """How many lines may still be compared."""

    def choose(
        self, value: WrittenValue, sources: Iterable[Source], words: frozenset[str]
    ) -> BestMatch | None:
        """Return the line that is most likely the source of a value; None if no line states it.

        `words` are those around the value in the answer. The line with most of them wins. If
        several lines have as many, one of a cited file wins, and then the first.
        """
        matches = find_matches(value, sources, self.budget)
        if not matches:
            return None
        ranks = [self._rank(match, words) for match in matches]
        best_rank = max(ranks)
        best = matches[ranks.index(best_rank)]  # the first match of this rank
        note = best.agreement.note

        # Several lines state the value, and no word tells which of them is the source.
        shares_words = best_rank.shared_words > 0
        if not shares_words and _have_several_places(matches):
            return BestMatch(note, place=None)

        is_sure = shares_words or best_rank.is_cited
        return BestMatch(note, best.place, best_rank.is_cited, is_sure)

    def _rank(self, match: Match, words: frozenset[str]) -> _Rank:
        """Return how well a line, with the heading of its table, fits the words of the answer."""
        heading = match.source.rows.heading_of(match.line)
        text = f"{heading}\n{match.source.lines[match.line]}"
        # Of a text that is too long, only the end is read: the line rather than the heading.
        line_words = distinctive_words(text[-bounds.MOST_LINE_CHARS :])
        return _Rank(len(words & line_words), match.source.path in self.cited)


def _have_several_places(matches: Sequence[Match]) -> bool:
    """Return True if matches are on different lines."""
    return len({match.place for match in matches}) > 1
