"""Finds the lines of a text with a quotation, regardless of case, accents and blanks.

The quotation `Fee: 7 EUR` is found in the line `FEE:  7 eur per month`, and in the two lines
`Fee:` and `7 EUR`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from controlplane.gates.support.sources.joined_lines import JoinedLines
from controlplane.gates.text_folding import bare_text


@dataclass(frozen=True, slots=True)
class LineRange:
    """Neighbouring lines of a text, from the index of the first to that of the last."""

    first: int
    last: int


class QuotationIndex:
    """Finds quotations regardless of case, accents, blanks and line breaks.

    Marks count: `Fee: 7` is not in `Fee 7`.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        # A quotation may go over several lines, so the separator is empty.
        self._lines = JoinedLines([bare_text(line) for line in lines], "")

    def places_of(self, quotation: str) -> Iterator[LineRange]:
        """Yield the lines of each occurrence of a quotation, one range for each."""
        wanted = bare_text(quotation)
        if not wanted:
            return
        offset = self._lines.text.find(wanted)
        while offset >= 0:
            end = offset + len(wanted)
            if not self._is_within_number(end):
                first = self._lines.line_at(offset)
                last = self._lines.line_at(end - 1)
                yield LineRange(first, last)
            offset = self._lines.text.find(wanted, offset + 1)

    def _is_within_number(self, offset: int) -> bool:
        """Return True if an offset divides a number, like the end of `cost 12` in `cost 125`.

        Digits on either side of a line break belong to two numbers.
        """
        line_before = self._lines.line_at(offset - 1)
        is_line_break = offset == self._lines.end_of(line_before)
        neighbours = self._lines.text[offset - 1 : offset + 1]  # `25` in `cost 125`
        return not is_line_break and neighbours.isdigit()
