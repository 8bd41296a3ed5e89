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
from dataclasses import dataclass
from functools import cached_property

from controlplane.gates.support.answer_text import AnswerText
from controlplane.gates.support.answer_values import answer_values, needs_no_support
from controlplane.gates.support.arithmetic_marks import with_arithmetic
from controlplane.gates.support.computations.computations import Computations
from controlplane.gates.support.marks import Mark
from controlplane.gates.support.matching.given_texts import GivenTexts
from controlplane.gates.support.nearest_marks import with_nearest_values
from controlplane.gates.support.read_texts import ReadTexts
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.support_search import SupportSearch
from controlplane.gates.trial.script_runs import FunctionResultValue, ScriptRun


@dataclass(eq=False)
class ValueMarker:
    """Marks each value of an answer with its support, by what one trial read and computed.

    In "The fee is 300", the value 300 is `found` if a text that was read states it, `computed`
    if a script computed it, `given` if the question states it, or else `unverified`.
    """

    # What the trial has read
    sources: Sequence[Source]
    """The files, and parts of files, that the trial read."""

    # What it was given
    question: str = ""
    """The request that the trial answers."""
    context_texts: Sequence[str] = ()
    """Other texts that the trial was given: the clock, rules."""
    names: str = ""
    """Paths and names of files, one a line. They support ids and dates, but no amounts."""

    # What has computed values
    script_runs: Sequence[ScriptRun] = ()
    """The scripts of the trial, with what they printed and stored."""
    function_results: Sequence[FunctionResultValue] = ()
    """What functions of the benchmark returned."""
    query_results: Sequence[Source] = ()
    """Results of queries and tools, which have no line in a file."""

    # What the answer cites
    cited: frozenset[str] = frozenset()
    """The paths that the answer cites."""
    quoted: Sequence[Source] = ()
    """The lines that citations quote. They are searched first."""
    written: Sequence[Source] = ()
    """The cited files that the trial wrote itself, with their present content."""

    def marks(self, answer: str) -> tuple[Mark, ...]:
        """Return the values of an answer in order, each with what supports it."""
        # 1. What the trial read, was given, computed or wrote.
        values = answer_values(answer)
        answer_text = AnswerText.of(answer, self.question)
        marks = [
            self._search.mark_of(value, answer_text)
            for value in values
            if not needs_no_support(value, answer)
        ]
        # 2. What the answer itself computes from other values: `12 + 4 = 16`.
        marks = with_arithmetic(marks, values, answer)
        # 3. Beside a value without support, the nearest one that was read.
        return tuple(with_nearest_values(marks, answer_text, self._read.sources))

    @cached_property
    def _search(self) -> SupportSearch:
        """Finds the support of one value."""
        return SupportSearch(self._read, self._given, self.computations, self.written)

    @cached_property
    def _read(self) -> ReadTexts:
        """The texts that were read, those that the answer quotes or cites first."""
        return ReadTexts.of(self.sources, self.quoted, self.cited)

    @cached_property
    def _given(self) -> GivenTexts:
        """The texts that the trial was given, such as the question."""
        return GivenTexts(self.question, self.context_texts, self.names)

    @cached_property
    def computations(self) -> Computations:
        """Finds what computed a value: a query, a function or a script."""
        return Computations(
            self.script_runs,
            self.function_results,
            self.query_results,
            self.sources,
            self._given,
        )
