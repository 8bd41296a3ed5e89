"""Describes which expressions of a script computed a value: `= sum(fees), from /loans.csv`.

An expression such as `sum(fees) * 36` computed a value if

1. it wrote the value, in the answer or in an output (see `script_outputs`);
2. the script does not state the value itself;
3. it reads the environment, or has numbers such as 36, and all its numbers stand in the
   question or in what was read (see `script_origins`).

If several expressions may have written the value, all of this must be true of each.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.gates.support.computations.aligned_templates import Writers
from controlplane.gates.support.computations.computation_texts import ComputationTexts
from controlplane.gates.support.computations.known_numbers import KnownNumbers
from controlplane.gates.support.computations.possible_writers import PossibleWriters
from controlplane.gates.support.computations.script_outputs import WrittenTexts
from controlplane.gates.support.computations.traced_expressions import (
    ExpressionTracer,
    TracedExpression,
)
from controlplane.gates.support.matching.given_texts import GivenTexts
from controlplane.gates.support.matching.line_budget import LineBudget
from controlplane.gates.support.matching.line_search import is_stated
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.values.number_style import NumberStyle
from controlplane.gates.values.value_kinds import WrittenValue


class ScriptComputations:
    """Finds the expressions of scripts that computed a value of an answer.

    `sum(fees) * 36` computed the value if it wrote it, if the script does not state the value
    itself, and if all its inputs, such as 36, stand in the question or in what was read.
    """

    def __init__(
        self,
        written: WrittenTexts,
        sources: Sequence[Source],
        given_texts: GivenTexts,
        budget: LineBudget,
    ) -> None:
        """Take what the scripts wrote, and what the trial read and was given.

        `budget` limits the lines that are searched.
        """
        self._writers = PossibleWriters(written, budget)
        """Finds which expressions may have written a value, in the answer or in an output."""
        self._tracer = ExpressionTracer(written.stored)
        """Finds what an expression is computed from: its origins."""
        self._known_numbers = KnownNumbers(sources, given_texts)
        """Knows which numbers stand in the question or in what was read."""
        self._texts = ComputationTexts(sources, written.path_calls)
        """Writes the description: `= sum(fees), from /loans.csv`."""
        self._budget = budget

    def describe(
        self, value: WrittenValue, answer: str, style: NumberStyle
    ) -> str | None:
        """Return the expressions that computed a value; None if it is not computed.

        `style` is how the answer writes numbers.
        """
        for writers in self._writers.of(value, answer, style):
            expressions = self._expressions_that_computed(value, writers)
            if expressions:
                return self._texts.description(expressions)
        return None

    def _expressions_that_computed(
        self, value: WrittenValue, writers: Writers
    ) -> list[TracedExpression]:
        """Return the expressions that computed a value at one place.

        It is only known which expressions may have written it. So all of them must have computed
        it, and nothing is returned if one may have stated or invented it.
        """
        # The `000` of `f"{count}000"` is a known text: these digits are not computed.
        if any(character.isdigit() for character in writers.known_text):
            return []
        computing: list[TracedExpression] = []
        for expression in writers.expressions:
            traced = self._tracer.traced(expression)
            # The script states the value itself, in a text or number of its code.
            if is_stated(value, [traced.literals], self._budget):
                return []
            # A literal with another value cannot have written this one.
            if traced.is_literal:
                continue
            # Without inputs that the trial was given, the script may have invented the value.
            if not self._known_numbers.has_all_inputs(traced.origins):
                return []
            computing.append(traced)
        return computing
