"""Finds where in an output the texts may stand that a script is known to write.

A script that runs `print(x, y, z, sep=", ")` writes `, ` twice. If it has printed `a, b, c,
d`, there are three commas, because one of them is in a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextPlace:
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
        """The offset behind the text at its earliest place."""
        return self.earliest_start + len(self.text)

    @property
    def latest_end(self) -> int:
        """The offset behind the text at its latest place."""
        return self.latest_start + len(self.text)


def places_of_texts(texts: Sequence[str], output: str) -> list[TextPlace] | None:
    """Return where each text may stand, in this order, with other texts between them.

    The first and the last text stand at the ends of the output. Returns None if the
    output does not have all texts.
    """
    if len(texts) == 1:
        [text] = texts
        return [TextPlace(text, 0, 0)] if output == text else None

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

    places = [TextPlace(first, 0, 0)]
    for text, earliest, latest in zip(
        middle, earliest_starts, latest_starts, strict=True
    ):
        places.append(TextPlace(text, earliest, latest))
    places.append(TextPlace(last, end, end))
    return places


def _earliest_starts(
    texts: Sequence[str], output: str, start: int, end: int
) -> list[int] | None:
    """Return where each text begins between two offsets if all stand as far left as they can.

    `, ` and `, ` in `a, b, c, d` -> 1 and 4. Returns None if the output does not have all of
    them in this order.
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

    `, ` and `, ` in `a, b, c, d` -> 4 and 7. The output must have all of them in this order.
    """
    starts: list[int] = []
    for text in reversed(texts):  # each one ends at or before the start of the next
        end = output.rfind(text, start, end)
        starts.append(end)
    starts.reverse()
    return starts
