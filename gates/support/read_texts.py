"""Looks up values in the files that a trial read: the 300 of "The fee is 300" in `fees.md`, line 2.

Many lines may state a value. Those that the answer quotes come first, then those of the files
that it cites.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.gates.support.matching.best_match import BestMatch, LineChooser
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.values.value_kinds import WrittenValue


@dataclass(frozen=True, slots=True)
class ReadTexts:
    """The files, and parts of files, that a trial read."""

    quoted: Sequence[Source]
    """The lines that citations quote. They are searched first."""
    sources: Sequence[Source]
    """All that was read, with the cited files first."""
    chooser: LineChooser
    """Chooses among several lines that state a value."""

    @classmethod
    def of(
        cls, sources: Sequence[Source], quoted: Sequence[Source], cited: frozenset[str]
    ) -> ReadTexts:
        """Return the texts in the order of the search. `cited` are the paths of cited files."""
        cited_sources = [source for source in sources if source.path in cited]
        others = [source for source in sources if source.path not in cited]
        return cls(quoted, cited_sources + others, LineChooser(cited))

    def line_stating(
        self, value: WrittenValue, words: frozenset[str]
    ) -> BestMatch | None:
        """Return the line that states a value; None if no line does.

        `words` are those around the value in the answer: of several lines, the one with
        most of them is chosen.
        """
        quoted_line = self.chooser.choose(value, self.quoted, words)
        if quoted_line is not None:
            return quoted_line
        return self.chooser.choose(value, self.sources, words)
