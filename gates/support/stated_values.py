"""Values that a text states, and those that another text states too."""

from __future__ import annotations

from functools import lru_cache

from controlplane.gates.support.answer_values import answer_values
from controlplane.gates.support.matching.line_budget import LineBudget
from controlplane.gates.support.matching.line_search import is_stated
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.values.value_kinds import Kind, WrittenValue


def states_value(text: str, value: WrittenValue) -> bool:
    """Return True if a text states a value, in any spelling.

    A `LineBudget` limits how many lines are compared.
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
        is_left_out = other_text is not None and not states_value(other_text, value)
        if value.kind is not Kind.QUOTATION and not is_left_out:
            reported.append(value.text)
    return reported
