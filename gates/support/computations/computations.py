"""Describes what a value was computed from: a query, a function of the benchmark, or a script.

    fees = harness.table("/loans.csv", columns="fee").rows
    print(sum(fees))                                          1070

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
    """A call of a function of the benchmark, as texts in which values can be searched."""

    arguments: Source
    """What the script gave to the function."""
    result: Source
    """What the function returned."""

    def computes(self, value: WrittenValue, budget: LineBudget) -> bool:
        """Return True if the result states a value, and the arguments do not.

        If the arguments state it, too, the function may only repeat what it was given.
        """
        is_given = is_stated(value, [self.arguments], budget)
        return not is_given and is_stated(value, [self.result], budget)


class Computations:
    """Finds which query, function or script of a trial computed a value of its answer.

    If a script prints `sum(fees)`, the 1070 of this output is `= sum(fees), from /loans.csv`.
    """

    def __init__(
        self,
        script_runs: Sequence[ScriptRun],
        function_results: Sequence[FunctionResultValue],
        query_results: Sequence[Source],
        sources: Sequence[Source],
        given_texts: GivenTexts,
    ) -> None:
        """Take what a trial did (the first three), and what it read and was given.

        A script that computes with a number, such as 36, must have it from `sources`, the texts
        that the trial read, or from `given_texts`, such as the question. Else the model may have
        invented the number.
        """
        self._script_runs = script_runs
        self._query_results = query_results
        self._sources = sources
        self._given_texts = given_texts
        self._budget = LineBudget()
        """How many lines may still be searched. Then further values count as not computed."""
        self._function_calls = [
            _FunctionCall(Source("", call.arguments), Source("", call.value))
            for call in function_results
        ]

    def describe(
        self, value: WrittenValue, answer: str, style: NumberStyle
    ) -> str | None:
        """Return in words what a value was computed from; None if the trial did not compute it.

        - a query: `= harness.table("/loans.csv", columns="sum(fee)")`
        - a function of the benchmark: `by a function`
        - a script: `= sum(fees), from /loans.csv`

        `style` is how the answer writes numbers: scripts may have written numbers in the same way.
        """
        # A query or function that returned the value itself comes before an expression that may
        # have computed it.
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

    @cached_property
    def written(self) -> WrittenTexts:
        """What the scripts printed and stored."""
        return written_texts(self._script_runs)

    def _description_of_query(self, path: str) -> str:
        """Return the call of the query whose result has this path; without a call, the path.

        `= harness.table("/loans.csv", columns="sum(fee)")`, or `by /bin/query`
        """
        for call in self.written.path_calls:
            if path and call.path == path:
                return f"= {call.text}"
        return f"by {path or 'a query'}"
