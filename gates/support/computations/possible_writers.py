"""Finds the expressions of a trial's scripts that may have written a value of the answer.

A script prints `f"total: {total} EUR"`, and the answer says "12 EUR". The value 12 was written by
the expression `total`, so the value is supported if `total` was computed from what was read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from controlplane.gates.support.computations.aligned_templates import Writers
from controlplane.gates.support.computations.outputs import Output
from controlplane.gates.support.computations.script_outputs import (
    ANSWER_KEY,
    WrittenTexts,
    stored_output,
)
from controlplane.gates.support.matching.line_budget import LineBudget
from controlplane.gates.support.matching.line_search import find_matches
from controlplane.gates.values.number_style import NumberStyle
from controlplane.gates.values.value_kinds import WrittenValue

_PYTHON_STYLE: Final = NumberStyle(".")
"""How Python prints numbers: with a decimal point."""


@dataclass(eq=False)
class PossibleWriters:
    """Finds what may have written a value: expressions, and texts in the code of scripts.

    It is searched for in all that scripts printed and stored. Scripts are only read, so of
    several expressions it may be unknown which one wrote the value. Then all are returned.
    """

    written: WrittenTexts
    """What the scripts printed and stored."""
    budget: LineBudget
    """How many lines may still be searched."""
    _answers: dict[str, Output] = field(default_factory=dict)
    """The answers whose values were asked for. Each is made once for all its values."""

    def of(
        self, value: WrittenValue, answer: str, style: NumberStyle
    ) -> Iterator[Writers]:
        """Yield what may have written a value of the answer, for each place where a script wrote it.

        The first place is in the answer itself, which a script put together:
        `scratchpad["answer"] = f"{total} EUR"`. The others are in what scripts printed or
        stored, with the number written as Python or as the answer writes it: `1234.5`, `1,234.50`.
        """
        yield self._answer_output(answer).writers_of(value.start, value.end)

        styles = dict.fromkeys((_PYTHON_STYLE, style))
        for output in self.written.outputs:
            for output_style in styles:
                source = output.source(output_style)
                for match in find_matches(value, [source], self.budget):
                    yield output.writers_of_match(match)

    def _answer_output(self, answer: str) -> Output:
        """Return the answer as the text that a script stored in the scratchpad."""
        if answer not in self._answers:
            stored = self.written.stored
            self._answers[answer] = stored_output(ANSWER_KEY, answer, stored)
        return self._answers[answer]
