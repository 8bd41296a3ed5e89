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

    `sum(fees) * 36` computed the 1296 of an answer if it may have written it, if no 1296 stands
    in the script, and if its number 36 stands in the question or in what was read.
    """

    def __init__(
        self,
        written: WrittenTexts,
        sources: Sequence[Source],
        given_texts: GivenTexts,
        budget: LineBudget,
    ) -> None:
        """Take what the scripts wrote (`written`), and what the trial read and was given.

        `budget` limits the lines of outputs and literals that are searched for values.
        """
        self._budget = budget
        # The questions that `describe` asks in this order:
        # 1. Which expressions may have written the value?
        self._writers = PossibleWriters(written, budget)
        # 2. What is an expression computed from?
        self._tracer = ExpressionTracer(written.stored)
        # 3. Do its numbers stand in the question or in what was read?
        self._known_numbers = KnownNumbers(sources, given_texts)
        # 4. How is it described? `= sum(fees), from /loans.csv`
        self._texts = ComputationTexts(sources, written.path_calls)

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
        """Return the expressions that may have computed a value at the place where it is written.

        `writers` are the expressions that may have written it. One that may have stated or
        invented it spoils the place, and nothing is returned:

        | expression            | if the value is 72                               |
        | --------------------- | ------------------------------------------------ |
        | `"72 months"`         | the script states it: nothing is returned        |
        | `"36 months"`         | cannot have written it, so it is left out        |
        | `ord("H")`            | has no known inputs: nothing is returned         |
        | `count * 36`          | nothing is returned if no text states the 36     |
        | `len(rows)`           | returned                                         |
        """
        # The `000` of `f"{count}000"` is a known text: these digits are not computed.
        if any(character.isdigit() for character in writers.known_text):
            return []
        computing: list[TracedExpression] = []
        for expression in writers.expressions:
            traced = self._tracer.traced(expression)
            if is_stated(value, [traced.literal_lines], self._budget):
                return []
            if traced.computes_nothing:
                continue
            origins = traced.origins
            if not origins.has_known_inputs:
                return []
            if not self._known_numbers.has_all(origins.numbers):
                return []
            computing.append(traced)
        return computing
