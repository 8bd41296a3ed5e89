"""Says which parts of a template may have written some characters of an output.

The template of `print(f"{x}, {y}", end="")` has a gap, which the value of `x` fills, the text
`, ` and the gap of `y`. If the output is `a, b, c`, either comma may be that of the template. So
it is known only between which offsets each part may be:

    output        a, b, c
    gap of x      ----        0 to 4: `a`, or `a, b`
    text `, `      -----      1 to 6: the first comma, or the second
    gap of y         ----     3 to 7: `b, c`, or `c`

The `b` is at offset 3, so either gap may have written it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from controlplane.gates.support.computations.template_parts import (
    Gap,
    KnownText,
    TemplatePart,
)
from controlplane.gates.support.scripts.script_expressions import ScriptExpression


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
class PlacedPart:
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

    parts: list[PlacedPart]
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
                case KnownText():
                    known_text += placed.part.text
        return Writers(tuple(expressions), known_text)
