"""The values that a text states, and which of them another text states, too.

    values_reported("It is 1,250 EUR for KR-204.", "total: 1250.00")     # ["1,250"]

Values are compared in any spelling, but not the words around them.
"""

from __future__ import annotations

from functools import lru_cache

from controlplane.gates.support.answer_values import answer_values
from controlplane.gates.support.matching.line_budget import LineBudget
from controlplane.gates.support.matching.line_search import is_stated
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.values.value_kinds import Kind, WrittenValue


def states_value(text: str, value: WrittenValue) -> bool:
    """Return True if a text states a value, in any spelling: `1250.00` states the `1,250`.

    A `LineBudget` limits how many lines are compared with it.
    """
    return is_stated(value, [_source_of(text)], LineBudget())


@lru_cache(maxsize=8)
def _source_of(text: str) -> Source:
    """Return a text as a source. Many values are compared with the same text, one after another."""
    return Source("", text)


def values_reported(text: str, other_text: str | None = None) -> list[str]:
    """Return the values of a text as they are written, except quotations.

    With `other_text`, return only those that it states, too: `1,250` if it has `1250.00`.
    """
    reported: list[str] = []
    for value in answer_values(text):
        if value.kind is Kind.QUOTATION:
            continue
        if other_text is None or states_value(other_text, value):
            reported.append(value.text)
    return reported
