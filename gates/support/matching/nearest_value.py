"""Finds the value of the sources that is nearest to a value without support.

It is shown beside that value: `555 [unverified; nearest: 470]`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from posixpath import commonprefix
from typing import Final

from controlplane.gates.support.matching.line_budget import MAX_LINES
from controlplane.gates.support.matching.rounding import amount_of
from controlplane.gates.support.sources.places import Place
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.text_folding import distinctive_words
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.sandbox.interface import bounds

MAX_NEAR_LINES: Final = 40
"""Lines whose values are compared with one unsupported value."""
PENALTY_OF_OTHER_UNIT: Final = 1
"""Added to the distance of two numbers in different units.

Distances of positive numbers are less than 1 without it, so any number in the same unit
is nearer.
"""


@dataclass(frozen=True, slots=True)
class NearestValue:
    """The value nearest to an unsupported one, and its place."""

    value: WrittenValue
    place: Place


@dataclass(frozen=True, slots=True)
class _RankedLine:
    """A line, and how many words it shares with the text around a value of the answer."""

    source: Source
    line: int
    shared_words: int


def nearest_value(
    value: WrittenValue, words: frozenset[str], sources: Sequence[Source]
) -> NearestValue | None:
    """Return the nearest value of the same kind, on a line that shares words with the answer.

    `words` are the words around the value in the answer. Of equally near values the
    first wins, so the most important sources must come first.
    """
    nearest: NearestValue | None = None
    least_distance = math.inf
    for ranked in _lines_sharing_words(words, sources):
        for candidate in ranked.source.values.of(ranked.line):
            distance = _distance(value, candidate)
            if distance < least_distance:
                nearest = NearestValue(candidate, ranked.source.place(ranked.line))
                least_distance = distance
    return nearest


def _lines_sharing_words(
    words: frozenset[str], sources: Sequence[Source]
) -> list[_RankedLine]:
    """Return the lines that share words with the answer, sorted by the number of shared words."""
    ranked_lines: list[_RankedLine] = []
    remaining_lines = MAX_LINES
    for source in sources:
        for line, text in enumerate(source.lines[:remaining_lines]):
            shared_words = words & distinctive_words(text[: bounds.MOST_LINE_CHARS])
            if shared_words:
                ranked_lines.append(_RankedLine(source, line, len(shared_words)))
        remaining_lines = max(remaining_lines - len(source.lines), 0)
    ranked_lines.sort(key=lambda ranked: ranked.shared_words, reverse=True)
    return ranked_lines[:MAX_NEAR_LINES]


def _distance(value: WrittenValue, candidate: WrittenValue) -> float:
    """Return the distance of two values; infinite for values of different kinds.

    For numbers, it is their difference (12 and 15: 0.2); for other values, the number of
    characters from the first different one on (FA-19 and FA-21: 2).
    """
    if candidate.kind is not value.kind:
        return math.inf
    if value.kind is Kind.NUMBER:
        return _distance_of_numbers(value, candidate)
    shared_start = commonprefix([value.canonical, candidate.canonical])
    return max(len(value.canonical), len(candidate.canonical)) - len(shared_start)


def _distance_of_numbers(value: WrittenValue, candidate: WrittenValue) -> float:
    """Return the difference of two numbers as a share of the larger one: 12 and 15 -> 0.2.

    Between numbers up to 1, it is the difference itself: 0.1 and 0.2 -> 0.1.
    """
    amount = amount_of(value)
    other_amount = amount_of(candidate)
    if amount is None or other_amount is None:
        return math.inf
    size = max(abs(amount), abs(other_amount), Fraction(1))
    distance = float(abs(amount - other_amount) / size)
    if candidate.unit != value.unit:  # any number in the same unit is nearer
        distance += PENALTY_OF_OTHER_UNIT
    return distance
