"""Marks each value of an answer with its support.

The support is one of five:

- "found": a text that was read states it.
- "computed": the trial or the answer itself computes it.
- "given": the question, or another text that the trial was given, states it.
- "written": the trial wrote it into a file that the answer cites.
- "unverified": none of these.

A mark is a value with its support and, for a found one, the line that states it. Only
values are compared, not names and sentences.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from controlplane.gates.evidence import FunctionResultValue, ScriptRun
from controlplane.gates.support.answer_values import answer_values, needs_no_support
from controlplane.gates.support.arithmetic_marks import with_arithmetic
from controlplane.gates.support.computations.computations import Computations
from controlplane.gates.support.marks import Mark
from controlplane.gates.support.matching.best_match import BestMatch, LineChooser
from controlplane.gates.support.matching.given_texts import GivenTexts
from controlplane.gates.support.matching.line_search import LineBudget, is_stated
from controlplane.gates.support.matching.nearest_value import nearest_value
from controlplane.gates.support.sources.sources import Source, distinctive_words
from controlplane.gates.text_folding import BOILERPLATE
from controlplane.gates.values.normal_text import normalize_text
from controlplane.gates.values.number_style import NumberStyle, number_style_of
from controlplane.gates.values.value_kinds import WrittenValue

NEAR_CHARS: Final = 160
"""Characters before and after a value in an answer.

Of the lines that state the value, the one that shares most words with them is its source.
"""
MAX_NEAREST: Final = 8
"""The nearest value is searched for this many unverified values of an answer."""


@dataclass(eq=False)
class ValueMarker:
    """Marks the values of answers by what one trial read and computed."""

    sources: Sequence[Source]
    """The files, and parts of files, that the trial read."""
    question: str = ""
    context_texts: Sequence[str] = ()
    """Other texts that the trial was given: the clock, rules."""
    names: str = ""
    """Paths and names of files, one a line. They support ids and dates, but no amounts."""
    steps: Sequence[ScriptRun] = ()
    """The scripts, with what they printed and stored."""
    function_results: Sequence[FunctionResultValue] = ()
    """What functions of the benchmark returned."""
    query_results: Sequence[Source] = ()
    """Results of queries and tools, which have no line in a file."""
    cited: frozenset[str] = frozenset()
    """The paths that the answer cites."""
    quoted: Sequence[Source] = ()
    """The lines that citations quote. They are searched first."""
    written: Sequence[Source] = ()
    """The cited files that the trial wrote itself, with their present content."""

    # How many lines of the question, and of the other given texts, may still be searched
    _question_budget: LineBudget = field(default_factory=LineBudget)
    _given_budget: LineBudget = field(default_factory=LineBudget)

    def marks(self, answer: str) -> tuple[Mark, ...]:
        """Return the values of an answer in order, each with what supports it."""
        values = answer_values(answer)
        style = number_style_of(normalize_text(answer).text)
        marks = [
            self._mark(value, answer, style)
            for value in values
            if not needs_no_support(value, answer)
        ]
        marks = with_arithmetic(marks, values, answer)
        return tuple(self._with_nearest_values(marks, answer))

    def _mark(self, value: WrittenValue, answer: str, style: NumberStyle) -> Mark:
        """Return a value with its support.

        Several texts may state the same value, some of them by chance. The support that
        is least likely to be chance is tried first, so the order of the steps matters.
        """
        words = self._words_around(value, answer)
        match = self._matching_line(value, words)

        # 1. A line of a file that the answer cites.
        if match is not None and match.is_cited:
            return Mark(value, "found", match.place, match.note)

        # 2. The question.
        if is_stated(value, self._given.question_sources, self._question_budget):
            return Mark(value, "given")

        # 3. A line of another file that shares words with the text around the value (`is_sure`).
        if match is not None and match.is_sure:
            return Mark(value, "found", match.place, match.note)

        # 4. A computation of the trial's scripts, functions or queries.
        computation = self.computations.describe(value, answer, style)
        if computation is not None:
            return Mark(value, "computed", note=computation)

        # 5. Any other line, which may state the same value by chance.
        if match is not None:
            return Mark(value, "found", match.place, match.note)

        # 6. The other texts that the trial was given, such as rules and names of files.
        if is_stated(value, self._given.sources_for(value), self._given_budget):
            return Mark(value, "given")

        # 7. A cited file that the trial wrote itself.
        written = self._lines.choose(value, self.written, words)
        if written is not None:
            return Mark(value, "written", written.place, written.note)
        return Mark(value, "unverified")

    def _matching_line(
        self, value: WrittenValue, words: frozenset[str]
    ) -> BestMatch | None:
        """Return the line that states a value: one that a citation quotes, or any."""
        quoted = self._lines.choose(value, self.quoted, words)
        if quoted is not None:
            return quoted
        return self._lines.choose(value, self._sources_by_citation, words)

    @cached_property
    def _lines(self) -> LineChooser:
        return LineChooser(self.cited)

    @cached_property
    def computations(self) -> Computations:
        return Computations(
            self.steps,
            self.function_results,
            self.query_results,
            self.sources,
            self._given,
        )

    @cached_property
    def _given(self) -> GivenTexts:
        return GivenTexts(self.question, self.context_texts, self.names)

    @cached_property
    def _sources_by_citation(self) -> list[Source]:
        """All sources, with the cited ones first."""
        cited = [source for source in self.sources if source.path in self.cited]
        others = [source for source in self.sources if source.path not in self.cited]
        return cited + others

    def _words_around(self, value: WrittenValue, answer: str) -> frozenset[str]:
        """Return the words near a value in the answer, and those of the question.

        Leaves out the value itself and very common words.
        """
        near_text = answer[max(value.start - NEAR_CHARS, 0) : value.end + NEAR_CHARS]
        words = distinctive_words(f"{near_text}\n{self.question}")
        return words - distinctive_words(value.text) - BOILERPLATE

    def _with_nearest_values(self, marks: Sequence[Mark], answer: str) -> list[Mark]:
        """Return the marks. The first unverified ones get a note: `nearest: 470`."""
        completed = list(marks)
        unverified = [i for i, mark in enumerate(marks) if not mark.is_supported]
        for index in unverified[:MAX_NEAREST]:
            completed[index] = self._with_nearest_value(marks[index], answer)
        return completed

    def _with_nearest_value(self, mark: Mark, answer: str) -> Mark:
        words = self._words_around(mark.value, answer)
        nearest = nearest_value(mark.value, words, self._sources_by_citation)
        if nearest is None:
            return mark
        note = f"nearest: {nearest.value.text}"
        return replace(mark, place=nearest.place, note=note)
