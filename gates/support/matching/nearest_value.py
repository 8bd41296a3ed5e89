"""Finds the value that is nearest to a value of an answer which nothing supports.

It is shown beside that value: `555 [unverified; nearest: 470]`. The sources are the texts that the
trial read. Only their lines that share words with the answer are searched.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.gates.support.matching.line_budget import MAX_LINES
from controlplane.gates.support.matching.value_distance import distance_of
from controlplane.gates.support.sources.places import Place
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.text_folding import distinctive_words
from controlplane.gates.values.value_kinds import WrittenValue
from controlplane.sandbox.interface import bounds

MAX_NEAR_LINES: Final = 40
"""At most this many lines are compared with one unsupported value: those that share most words."""


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
    """The index of the line in the text of the source."""
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
            distance = distance_of(value, candidate)
            if distance < least_distance:
                nearest = NearestValue(candidate, ranked.source.place(ranked.line))
                least_distance = distance
    return nearest


def _lines_sharing_words(
    words: frozenset[str], sources: Sequence[Source]
) -> list[_RankedLine]:
    """Return the lines that share words with the answer, those with most shared words first.

    `words` are the words around a value in the answer. Only the best lines are returned, because
    all their values are compared.
    """
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
