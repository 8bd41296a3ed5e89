"""Adds to unverified values which value that was read comes nearest: `555 [nearest: 470]`.

A user sees by it whether a value is invented or only mistyped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from controlplane.gates.support.answer_text import AnswerText
from controlplane.gates.support.marks import Mark
from controlplane.gates.support.matching.nearest_value import nearest_value
from controlplane.gates.support.sources.sources import Source

MAX_NEAREST: Final = 8
"""The nearest value is searched for this many unverified values of an answer."""


def with_nearest_values(
    marks: Sequence[Mark], answer: AnswerText, sources: Sequence[Source]
) -> list[Mark]:
    """Return the marks. The first unverified ones get a note: `nearest: 470`."""
    completed: list[Mark] = []
    remaining_searches = MAX_NEAREST
    for mark in marks:
        if mark.is_supported or remaining_searches == 0:
            completed.append(mark)
        else:
            completed.append(_with_nearest_value(mark, answer, sources))
            remaining_searches -= 1
    return completed


def _with_nearest_value(
    mark: Mark, answer: AnswerText, sources: Sequence[Source]
) -> Mark:
    """Return the mark of an unverified value with the nearest value that was read, if there is one."""
    words = answer.words_around(mark.value)
    nearest = nearest_value(mark.value, words, sources)
    if nearest is None:
        return mark
    note = f"nearest: {nearest.value.text}"
    return replace(mark, place=nearest.place, note=note)
