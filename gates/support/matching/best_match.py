"""Chooses the line that is most likely the source of a value.

An answer says "The fee is 300". The 300 is on two lines, `Fee: 300` and `Room: 300`. The first
shares a word with the answer, so it is the likely source.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from controlplane.gates.support.matching.line_budget import LineBudget
from controlplane.gates.support.matching.line_search import Match, find_matches
from controlplane.gates.support.sources.places import Place
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.text_folding import distinctive_words
from controlplane.gates.values.value_kinds import WrittenValue
from controlplane.sandbox.interface import bounds


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
