"""Finds the expressions of a script that wrote a part of its output.

    print(f"{len(rows)} rows, {sum(fees)} EUR")         3 rows, 1070 EUR

The template of this output has four parts:

    the gap of len(rows)    the text " rows, "    the gap of sum(fees)    the text " EUR\\n"

The texts are known from the script, so they are looked up in the output. The 1070 is
between them, so `sum(fees)` wrote it. If the texts fit in several ways, the 1070 may
come from several gaps. Then the expressions of all these gaps are returned.
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.gates.support.computations.aligned_templates import (
    AlignedTemplate,
    PlacedPart,
)
from controlplane.gates.support.computations.template_parts import (
    Gap,
    KnownText,
    TemplatePart,
)
from controlplane.gates.support.computations.text_places import places_of_texts
from controlplane.gates.support.scripts.script_expressions import ScriptExpression


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
        places = places_of_texts(self.known_texts, output)
        if places is None:
            return None
        first, *others = places
        parts = [
            PlacedPart(KnownText(first.text), first.earliest_start, first.latest_end)
        ]
        place_before = first
        for gap, place in zip(self.gaps, others, strict=True):
            # The gap reaches as far as the texts before and behind it leave room.
            parts.append(PlacedPart(gap, place_before.earliest_end, place.latest_start))
            parts.append(
                PlacedPart(
                    KnownText(place.text), place.earliest_start, place.latest_end
                )
            )
            place_before = place
        return AlignedTemplate(parts)
