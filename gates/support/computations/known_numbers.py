"""Tells whether the numbers in a script were given to the trial, or may be invented.

The model writes the scripts, so a number in one may come from the model alone. The 36 of
`sum(rows) * 36` is known if the question says `36 months`, or a file that was read does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from controlplane.gates.support.matching.given_texts import GivenTexts
from controlplane.gates.support.matching.line_budget import LineBudget
from controlplane.gates.support.matching.line_search import is_stated
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.values.value_kinds import WrittenValue
from controlplane.gates.values.written_values import written_values


class KnownNumbers:
    """Looks up numbers in the question, in texts that were read, in the clock and the like.

    Each number is searched for only once. When the budget for searching is spent, further
    numbers count as unknown.
    """

    def __init__(self, sources: Sequence[Source], given_texts: GivenTexts) -> None:
        self._sources = sources
        self._given_texts = given_texts
        self._budget = LineBudget()  # how many lines may still be searched
        self._is_known: dict[str, bool] = {}

    def has_all(self, numbers: Iterable[str]) -> bool:
        """Return True if all numbers of a script, such as `36`, were given to the trial."""
        return all(self._has(number) for number in numbers)

    def _has(self, number: str) -> bool:
        """Return True if a number was given; from `_is_known` if it was asked for before."""
        if number not in self._is_known:
            values = written_values(number)
            self._is_known[number] = all(self._is_given(value) for value in values)
        return self._is_known[number]

    def _is_given(self, value: WrittenValue) -> bool:
        """Return True if the question, a text that was read, or another given one states a number."""
        sources = [
            *self._given_texts.question_sources,
            *self._sources,
            *self._given_texts.sources_for(value),
        ]
        return is_stated(value, sources, self._budget)
