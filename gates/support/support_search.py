"""Searches for what supports one value of an answer.

Several texts may state the same value, some of them by chance. The support that is least
likely to be chance is tried first, so the order of the search matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from controlplane.gates.support.answer_text import AnswerText
from controlplane.gates.support.computations.computations import Computations
from controlplane.gates.support.marks import Mark
from controlplane.gates.support.matching.best_match import BestMatch
from controlplane.gates.support.matching.given_texts import GivenTexts
from controlplane.gates.support.matching.line_budget import LineBudget
from controlplane.gates.support.matching.line_search import is_stated
from controlplane.gates.support.read_texts import ReadTexts
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.values.value_kinds import WrittenValue


@dataclass(frozen=True, slots=True)
class SupportSearch:
    """Looks up values in what one trial read, was given, computed and wrote."""

    read: ReadTexts
    given: GivenTexts
    computations: Computations
    written: Sequence[Source]
    """The cited files that the trial wrote itself, with their present content."""

    # How many lines may still be searched, which limits the work for an answer with many values
    question_budget: LineBudget = field(default_factory=LineBudget)
    given_budget: LineBudget = field(default_factory=LineBudget)

    def mark_of(self, value: WrittenValue, answer: AnswerText) -> Mark:
        """Return a value with its support: of "The fee is 300", 300 with `fees.md`, line 2."""
        words = answer.words_around(value)
        line = self.read.line_stating(value, words)

        # 1. A line of a file that the answer cites.
        if line is not None and line.is_cited:
            return found(value, line)

        # 2. The question.
        if is_stated(value, self.given.question_sources, self.question_budget):
            return Mark(value, "given")

        # 3. A line of another file that shares words with the text around the value (`is_sure`).
        if line is not None and line.is_sure:
            return found(value, line)

        # 4. A computation of the trial's scripts, functions or queries.
        computation = self.computations.describe(value, answer.text, answer.style)
        if computation is not None:
            return Mark(value, "computed", note=computation)

        # 5. Any other line, which may state the same value by chance.
        if line is not None:
            return found(value, line)

        # 6. The other texts that the trial was given, such as rules and names of files.
        if is_stated(value, self.given.sources_for(value), self.given_budget):
            return Mark(value, "given")

        # 7. A cited file that the trial wrote itself.
        written = self.read.chooser.choose(value, self.written, words)
        if written is not None:
            return Mark(value, "written", written.place, written.note)
        return Mark(value, "unverified")


def found(value: WrittenValue, line: BestMatch) -> Mark:
    """Return the mark of a value that a line states."""
    return Mark(value, "found", line.place, line.note)
