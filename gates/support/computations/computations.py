"""Describes what a value was computed from: a query, a function of the benchmark, or a script.

    fees = harness.sql("SELECT fee FROM '/loans.csv'")
    print(sum(fees))                                       1070

The 1070 of this output is computed: `= sum(fees), from /loans.csv`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from controlplane.gates.support.computations.script_computations import (
    ScriptComputations,
)
from controlplane.gates.support.computations.script_outputs import (
    WrittenTexts,
    written_texts,
)
from controlplane.gates.support.matching.given_texts import GivenTexts
from controlplane.gates.support.matching.line_budget import LineBudget
from controlplane.gates.support.matching.line_search import is_stated
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.trial.script_runs import FunctionResultValue, ScriptRun
from controlplane.gates.values.number_style import NumberStyle
from controlplane.gates.values.value_kinds import WrittenValue


@dataclass(frozen=True, slots=True)
class _FunctionCall:
    """A call of a function: what it was given and what it returned."""

    arguments: Source
    result: Source

    def computes(self, value: WrittenValue, budget: LineBudget) -> bool:
        """Return True if a value is in the result, but not in the arguments.

        Otherwise, the function may only repeat what it was given.
        """
        is_given = is_stated(value, [self.arguments], budget)
        return not is_given and is_stated(value, [self.result], budget)


class Computations:
    """Finds which query, function or script of a trial computed a value of its answer.

    If a script prints `sum(fees)`, the 1070 of this output is `= sum(fees), from /loans.csv`.

    `sources` are the texts that the trial read, and `given_texts` its question, clock
    and the like. Numbers in a script must occur in one of them, because a script could
    contain invented ones.
    """

    def __init__(
        self,
        steps: Sequence[ScriptRun],
        function_results: Sequence[FunctionResultValue],
        query_results: Sequence[Source],
        sources: Sequence[Source],
        given_texts: GivenTexts,
    ) -> None:
        self._steps = steps
        self._query_results = query_results
        self._sources = sources
        self._given_texts = given_texts
        self._budget = LineBudget()
        """The number of lines that may still be searched for computed values."""
        self._function_calls = [
            _FunctionCall(Source("", call.arguments), Source("", call.value))
            for call in function_results
        ]

    @cached_property
    def written(self) -> WrittenTexts:
        """What the scripts printed and stored."""
        return written_texts(self._steps)

    def describe(
        self, value: WrittenValue, answer: str, style: NumberStyle
    ) -> str | None:
        """Return in words what a value was computed from; None if the trial did not compute it.

        `= sum(fees), from /loans.csv`, for example, or `by a function`. `style` is how
        the answer writes numbers: scripts may have written numbers in the same way.
        """
        for result in self._query_results:
            if is_stated(value, [result], self._budget):
                return self._description_of_query(result.path)
        for call in self._function_calls:
            if call.computes(value, self._budget):
                return "by a function"
        return self._scripts.describe(value, answer, style)

    @cached_property
    def _scripts(self) -> ScriptComputations:
        """Finds the expressions of scripts that computed a value."""
        return ScriptComputations(
            self.written, self._sources, self._given_texts, self._budget
        )

    def _description_of_query(self, path: str) -> str:
        """Return the call of a query, or else the path of its result.

        `= harness.sql("SELECT …")`, `by /bin/query`
        """
        for call in self.written.path_calls:
            if path and call.path == path:
                return f"= {call.text}"
        return f"by {path or 'a query'}"
