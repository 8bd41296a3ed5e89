"""Tells whether the numbers in a script were given to the trial, or may be invented."""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.gates.support.matching.given_texts import GivenTexts
from controlplane.gates.support.matching.line_budget import LineBudget
from controlplane.gates.support.matching.line_search import is_stated
from controlplane.gates.support.scripts.origins import Origins
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.values.value_kinds import WrittenValue
from controlplane.gates.values.written_values import written_values


class KnownNumbers:
    """The numbers in the question, in texts that were read, in the clock and the like."""

    def __init__(self, sources: Sequence[Source], given_texts: GivenTexts) -> None:
        self._sources = sources
        self._given_texts = given_texts
        self._budget = LineBudget()  # limits the lines that are searched
        self._is_known: dict[str, bool] = {}

    def has_all_inputs(self, origins: Origins) -> bool:
        """Return True if an expression has inputs, and all of them were given to the trial.

        `origins` is what the expression is computed from: 36 and a file for `sum(rows) * 36`.
        It is not traceable if an input is unknown.
        """
        if not origins.has_inputs or not origins.is_traceable:
            return False
        return all(self.has(number) for number in origins.numbers)

    def has(self, number: str) -> bool:
        """Return True if a number of a script was given to the trial; cached."""
        if number not in self._is_known:
            values = written_values(number)
            self._is_known[number] = all(self._is_given(value) for value in values)
        return self._is_known[number]

    def _is_given(self, value: WrittenValue) -> bool:
        """Return True if the question, a text that was read or another given text states a number."""
        sources = [
            *self._given_texts.question_sources,
            *self._sources,
            *self._given_texts.sources_for(value),
        ]
        return is_stated(value, sources, self._budget)
