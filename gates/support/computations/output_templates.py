"""Finds the expressions of a script that wrote a part of its output.

    print(f"{len(rows)} rows, {sum(fees)} EUR")         3 rows, 1070 EUR

The template of this output has four parts:

    the gap of len(rows)    the text " rows, "    the gap of sum(fees)    the text " EUR\\n"

The texts are known from the script, so they are looked up in the output. The 1070 is
between them, so `sum(fees)` wrote it. If the texts fit in several ways, the 1070 may
come from several gaps. Then the expressions of all these gaps are returned.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from controlplane.gates.support.scripts.script_expressions import ScriptExpression


@dataclass(frozen=True, slots=True)
class KnownText:
    """A text that a script writes as it stands in its code, such as ` rows` in `f"{n} rows"`."""

    text: str


@dataclass(frozen=True, slots=True)
class Gap:
    """A text that is known only when the script runs, such as that of `n` in `f"{n} rows"`."""

    expressions: tuple[ScriptExpression, ...]
    """The expressions of which one or several wrote the text."""


TemplatePart: TypeAlias = KnownText | Gap


@dataclass(frozen=True, slots=True)
class Writers:
    """What may have written some characters of an output, such as its `1070`."""

    expressions: tuple[ScriptExpression, ...] = ()
    """The expressions of the gaps in which the characters may be."""
    known_text: str = ""
    """The known texts in which the characters may be, joined."""

    def joined(self, other: Writers) -> Writers:
        return Writers(
            self.expressions + other.expressions, self.known_text + other.known_text
        )


class OutputTemplate:
    """The form of an output: known texts with gaps between them.

    `print(f"{count} rows")` has the known texts "" and " rows\\n", and the gap of
    `count` between them. Known texts and gaps always alternate. A known text, maybe
    empty, comes first and last.
    """

    def __init__(self, parts: Iterable[TemplatePart]) -> None:
        self.known_texts = [""]
        self.gaps: list[Gap] = []
        for part in parts:
            if isinstance(part, Gap):
                self.gaps.append(part)
                self.known_texts.append("")
            else:
                self.known_texts[-1] += part.text

    @classmethod
    def of_unknown_form(cls, expressions: Iterable[ScriptExpression]) -> OutputTemplate:
        """Return a template of one gap, which any of the expressions may have written."""
        return cls([Gap(tuple(expressions))])

    def aligned(self, output: str) -> AlignedTemplate | None:
        """Look up the known texts in an output; None if the output does not have this form.

        A gap may be anywhere between the known texts around it: it begins behind the
        earliest place of the text before it, and ends before the latest place of the next.
        """
        places = self._places_of_known_texts(output)
        if places is None:
            return None
        parts: list[PlacedPart] = []
        for index, place in enumerate(places):
            known_text = KnownText(place.text)
            parts.append(PlacedPart(known_text, place.earliest_start, place.latest_end))
            if index < len(self.gaps):
                gap = self.gaps[index]
                next_place = places[index + 1]
                parts.append(
                    PlacedPart(gap, place.earliest_end, next_place.latest_start)
                )
        return AlignedTemplate(parts)

    def _places_of_known_texts(self, output: str) -> list[_TextPlace] | None:
        """Return where each known text may be; None if the output does not have them."""
        if not self.gaps:
            text = self.known_texts[0]
            return [_TextPlace(text, 0, 0)] if output == text else None

        # The first and the last known text stand at the ends of the output.
        first, *middle, last = self.known_texts
        start = len(first)
        end = len(output) - len(last)
        has_ends = output.startswith(first) and output.endswith(last)
        if not has_ends or end < start:
            return None
        earliest = _earliest_starts(middle, output, start, end)
        if earliest is None:
            return None
        latest = _latest_starts(middle, output, start, end)
        return [
            _TextPlace(first, 0, 0),
            *map(_TextPlace, middle, earliest, latest),
            _TextPlace(last, end, end),
        ]


@dataclass(frozen=True, slots=True)
class _TextPlace:
    """Where a known text may be in an output.

    It may fit at several places. This output has three gaps with `, ` between them, but
    also three commas, so one of the commas was written by a gap:

        output             a, b, c, d
        first `, `          ^            earliest place
                               ^         latest place
        second `, `            ^         earliest place
                                  ^      latest place
    """

    text: str
    earliest_start: int
    latest_start: int

    @property
    def earliest_end(self) -> int:
        return self.earliest_start + len(self.text)

    @property
    def latest_end(self) -> int:
        return self.latest_start + len(self.text)


def _earliest_starts(
    texts: Sequence[str], output: str, start: int, end: int
) -> list[int] | None:
    """Return where each text begins between two offsets if all stand as far left as they can.

    Returns None if the output does not have all of them in this order.
    """
    starts: list[int] = []
    for text in texts:
        position = output.find(text, start, end)
        if position < 0:
            return None
        starts.append(position)
        start = position + len(text)
    return starts


def _latest_starts(
    texts: Sequence[str], output: str, start: int, end: int
) -> list[int]:
    """Return where each text begins between two offsets if all stand as far right as they can.

    The output must have all of them in this order.
    """
    starts: list[int] = []
    for text in reversed(texts):  # each one ends at or before the start of the next
        end = output.rfind(text, start, end)
        starts.append(end)
    starts.reverse()
    return starts


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """A part of a template, and between which offsets of an output it may be."""

    part: TemplatePart
    earliest_start: int
    """The first offset at which the part may begin."""
    latest_end: int
    """The last offset at which the part may end."""


@dataclass(frozen=True, slots=True)
class AlignedTemplate:
    """A template whose parts have been looked up in an output."""

    parts: list[PlacedPart]
    """The parts in their order. Both of their offsets rise, so they can be bisected."""

    def writers_of(self, start: int, end: int) -> Writers:
        """Return the expressions and known texts that may have written some characters.

        `start` and `end` are their offsets in the output.
        """
        # Parts that end at or before `start`, or begin at or behind `end`, did not write them.
        first = bisect_right(self.parts, start, key=lambda placed: placed.latest_end)
        after_last = bisect_left(
            self.parts, end, key=lambda placed: placed.earliest_start
        )

        expressions: list[ScriptExpression] = []
        known_text = ""
        for placed in self.parts[first:after_last]:
            match placed.part:
                case Gap():
                    expressions += placed.part.expressions
                case KnownText():
                    known_text += placed.part.text
        return Writers(tuple(expressions), known_text)
