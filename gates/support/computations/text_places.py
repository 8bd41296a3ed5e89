"""Finds where in an output the texts may stand that a script is known to write.

`print(x, y, z, sep=", ")` writes `, ` twice. If the output is `a, b, c, d`, one of the three
commas is in a value, and it is unknown which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextPlace:
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


def places_of_texts(texts: Sequence[str], output: str) -> list[TextPlace] | None:
    """Return where each known text may stand in the output of a script; None if one is missing.

    The texts stand in this order, with others between them. The first stands at the beginning
    of the output and the last at its end; both may be empty.
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
