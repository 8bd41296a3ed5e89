"""A text that a script printed or stored, and what may have written each part of it.

    print(f"{len(rows)} rows")         3 rows

The `source` of this output is searched for a value, such as 3, and `writers_of` says
which expressions may have written it: `len(rows)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

from controlplane.gates.support.computations.output_templates import (
    AlignedTemplate,
    OutputTemplate,
    Writers,
)
from controlplane.gates.support.matching.line_search import Match
from controlplane.gates.support.sources import Source
from controlplane.gates.values.number_style import NumberStyle


@dataclass(eq=False)
class Output:
    """A text that a script printed or stored, and what may have written each part of it.

    If `print(f"{len(rows)} rows")` has printed `3 rows`, the expression `len(rows)` has written
    the 3. So an answer that states 3 is supported by what this expression was computed from.
    """

    text: str
    templates: Sequence[OutputTemplate]
    """The forms that the text may have, if any are known; some may not fit it.

    Each is a list of known texts and gaps: `f"{n} rows"` gives a gap and ` rows`.
    """
    fallback: OutputTemplate
    """Used if no template fits: one gap, so any of its expressions may have written any part."""
    _sources: dict[NumberStyle, Source] = field(default_factory=dict)
    """What `source` has made so far."""

    def source(self, style: NumberStyle) -> Source:
        """Return the text as a source, in which values are searched; made once for each style.

        A style says, for example, whether `1.199` is read as 1199.
        """
        if style not in self._sources:
            self._sources[style] = Source(
                "", self.text, first_line_is_heading=False, style=style
            )
        return self._sources[style]

    def writers_of(self, start: int, end: int) -> Writers:
        """Return the expressions and known texts that may have written some characters.

        `start` and `end` are the offsets of the characters: 0 and 1 for the 3 of `3 rows`. If
        several templates fit, what may have written them by any of these is returned.
        """
        writers = Writers()
        for template in self._aligned_templates:
            writers = writers.joined(template.writers_of(start, end))
        return writers

    def writers_of_match(self, match: Match) -> Writers:
        """Return what may have written a value that a search found on a line of this text."""
        line_start = self._line_starts[match.line]
        if match.value is None:  # a quotation, of which only the first line is known
            line = match.source.lines[match.line]
            return self.writers_of(line_start, line_start + len(line))
        return self.writers_of(
            line_start + match.value.start, line_start + match.value.end
        )

    @cached_property
    def _aligned_templates(self) -> list[AlignedTemplate]:
        """The templates that fit the text, each with its parts placed in it; or the fallback."""
        aligned_templates: list[AlignedTemplate] = []
        for template in self.templates:
            aligned = template.aligned(self.text)
            if aligned is not None:
                aligned_templates.append(aligned)
        if aligned_templates:
            return aligned_templates
        # The single gap of the fallback fits any text.
        aligned_fallback = self.fallback.aligned(self.text)
        return [] if aligned_fallback is None else [aligned_fallback]

    @cached_property
    def _line_starts(self) -> list[int]:
        """The offset at which each line of the text begins."""
        # `+ 1` for the line break
        lengths = [len(line) + 1 for line in self.text.split("\n")]
        return list(accumulate(lengths, initial=0))
