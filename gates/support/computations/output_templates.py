r"""Finds the expressions of a script that wrote a part of its output.

    print(f"{len(rows)} rows, {sum(fees)} EUR")         3 rows, 1070 EUR

The template of this output has four parts:

    the gap of len(rows)    the text " rows, "    the gap of sum(fees)    the text " EUR\n"

The texts are known from the script, so they are looked up in the output. The 1070 is
between them, so `sum(fees)` wrote it. If the texts fit in several ways, the 1070 may
come from several gaps. Then the expressions of all these gaps are returned.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from controlplane.gates.support.scripts import ScriptExpression

# The parts of the form of an output: texts known from the script, and gaps between them.


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A text that a script writes as it stands in its code, such as ` rows` in `f"{n} rows"`."""

    text: str


@dataclass(frozen=True, slots=True)
class Gap:
    """A text that is known only when the script runs, such as that of `n` in `f"{n} rows"`."""

    expressions: tuple[ScriptExpression, ...]
    """The expressions of which one or several wrote the text."""


TemplatePart: TypeAlias = WrittenText | Gap


# Says which parts of a template may have written some characters of an output.
#
# The template of `print(f"{x}, {y}", end="")` has a gap, which the value of `x` fills, the text
# `, ` and the gap of `y`. If the output is `a, b, c`, either comma may be that of the template. So
# it is known only between which offsets each part may be:
#
#     output        a, b, c
#     gap of x      ----        0 to 4: `a`, or `a, b`
#     text `, `      -----      1 to 6: the first comma, or the second
#     gap of y         ----     3 to 7: `b, c`, or `c`
#
# The `b` is at offset 3, so either gap may have written it.


@dataclass(frozen=True, slots=True)
class Writers:
    """What may have written some characters of an output, such as its `1070`."""

    expressions: tuple[ScriptExpression, ...] = ()
    """The expressions of the gaps in which the characters may be."""
    known_text: str = ""
    """The texts of the script itself, such as `, `, in which the characters may be, joined."""

    def joined(self, other: Writers) -> Writers:
        """Return the writers of two places together."""
        return Writers(
            self.expressions + other.expressions, self.known_text + other.known_text
        )


@dataclass(frozen=True, slots=True)
class _PlacedPart:
    """A part of a template, and between which offsets of an output it may be.

    Neighbouring parts may overlap, because their exact places are not known.
    """

    part: TemplatePart
    earliest_start: int
    """The first offset at which the part may begin."""
    latest_end: int
    """The last offset at which the part may end."""


@dataclass(frozen=True, slots=True)
class AlignedTemplate:
    """A template whose parts have been looked up in an output."""

    parts: list[_PlacedPart]
    """The parts in their order. So both their starts and their ends are in ascending order."""

    def writers_of(self, start: int, end: int) -> Writers:
        """Return the expressions and known texts that may have written some characters.

        `start` and `end` are their offsets in the output.
        """
        # From the first part that may end behind `start` to the last that may begin before `end`
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
                case WrittenText():
                    known_text += placed.part.text
        return Writers(tuple(expressions), known_text)


# Finds where in an output the texts may stand that a script is known to write.
#
# `print(x, y, z, sep=", ")` writes `, ` twice. If the output is `a, b, c, d`, one of the three
# commas is in a value, and it is unknown which.


@dataclass(frozen=True, slots=True)
class _TextPlace:
    """Where a known text may be in an output.

    It may fit at several places. Here the script writes `, ` twice, but the output has three
    commas, so one of them is in a value:

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
        """The offset behind the text at its earliest place."""
        return self.earliest_start + len(self.text)

    @property
    def latest_end(self) -> int:
        """The offset behind the text at its latest place."""
        return self.latest_start + len(self.text)


def _places_of_texts(texts: Sequence[str], output: str) -> list[_TextPlace] | None:
    """Return where each known text may stand in the output of a script; None if one is missing.

    The texts stand in this order, with others between them. The first stands at the beginning
    of the output and the last at its end; both may be empty.
    """
    if len(texts) == 1:
        [text] = texts
        return [_TextPlace(text, 0, 0)] if output == text else None

    first, *middle, last = texts
    start = len(first)
    end = len(output) - len(last)
    has_ends = output.startswith(first) and output.endswith(last)
    if not has_ends or end < start:
        return None
    earliest_starts = _earliest_starts(middle, output, start, end)
    if earliest_starts is None:
        return None
    latest_starts = _latest_starts(middle, output, start, end)

    places = [_TextPlace(first, 0, 0)]
    for text, earliest, latest in zip(
        middle, earliest_starts, latest_starts, strict=True
    ):
        places.append(_TextPlace(text, earliest, latest))
    places.append(_TextPlace(last, end, end))
    return places


def _earliest_starts(
    texts: Sequence[str], output: str, start: int, end: int
) -> list[int] | None:
    """Return where each text begins if all stand as far left as they can.

    Only the output from `start` to `end` counts. `, ` and `, ` in `a, b, c, d` -> 1 and 4.
    Returns None if the output does not have all texts in this order.
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
    """Return where each text begins if all stand as far right as they can.

    Only the output from `start` to `end` counts. `, ` and `, ` in `a, b, c, d` -> 4 and 7. The
    output must have all texts in this order, so `_earliest_starts` is called before.
    """
    starts: list[int] = []
    for text in reversed(texts):  # each one ends at or before the start of the next
        end = output.rfind(text, start, end)
        starts.append(end)
    starts.reverse()
    return starts


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
        """Return this template with its parts placed in an output; None if they do not fit.

        A known text may fit at several places: the `, ` of `f"{x}, {y}"` is at the offsets
        1 and 4 of `a, b, c`. A gap is somewhere between the known texts around it: `y` begins
        behind one of these commas, so at 3 at the earliest.
        """
        places = _places_of_texts(self.known_texts, output)
        if places is None:
            return None
        first, *others = places
        parts = [
            _PlacedPart(WrittenText(first.text), first.earliest_start, first.latest_end)
        ]
        place_before = first
        for gap, place in zip(self.gaps, others, strict=True):
            # The gap reaches as far as the texts before and behind it leave room.
            parts.append(
                _PlacedPart(gap, place_before.earliest_end, place.latest_start)
            )
            parts.append(
                _PlacedPart(
                    WrittenText(place.text), place.earliest_start, place.latest_end
                )
            )
            place_before = place
        return AlignedTemplate(parts)
