"""Finds the lines of a text with a value or a quotation, however it is spelled.

Each index reduces the lines to a plain form (`FA-19` to `fa19`), joins them, and
searches the result with `str.find`. The offset of a hit shows the line, counted from 0.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.gates.text_folding import bare_text
from controlplane.gates.values.normal_text import normalize_text

_DROPPED_CHARACTERS: Final = dict.fromkeys(map(ord, ".,:'_+-/()#=& \u00a0"))
"""Characters that may stand between the digits and letters of one value: `1,250`, `FA-19`."""
_DECIMALS_OF_FRACTIONS: Final = str.maketrans({"½": "5", "¼": "25", "¾": "75"})
"""½ is 0.5, so `3½` becomes `35`, like `3.5` without its point."""


@dataclass(frozen=True, slots=True)
class LineRange:
    """Neighbouring lines of a text."""

    first: int
    last: int
    """The last line that belongs to the range."""


class DigitIndex:
    """Finds the lines that contain given letters and digits one after the other.

    Marks and blanks between them are ignored.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        squeezed_lines = [_squeezed(line) for line in lines]
        self._text = "\n".join(squeezed_lines)
        self._line_starts = _starts_of(squeezed_lines, separator_length=1)

    def lines_with(self, characters: str) -> Iterator[int]:
        """Yield each line with the characters: `125` is in `1 250.00` and in `No. 12-5`."""
        offset = self._text.find(characters)
        while offset >= 0:
            line = _line_at(offset, self._line_starts)
            yield line
            start_of_next_line = self._line_starts[line + 1]  # or the end of the text
            offset = self._text.find(characters, start_of_next_line)


class QuotationIndex:
    """Finds quotations regardless of case, accents, blanks and line breaks."""

    def __init__(self, lines: Sequence[str]) -> None:
        bare_lines = [bare_text(line) for line in lines]
        self._text = "".join(bare_lines)
        self._line_starts = _starts_of(bare_lines, separator_length=0)

    def places_of(self, quotation: str) -> Iterator[LineRange]:
        """Yield the lines of each occurrence of a quotation."""
        wanted = bare_text(quotation)  # in lower case, without accents and blanks
        if not wanted:
            return
        offset = self._text.find(wanted)
        while offset >= 0:
            end = offset + len(wanted)
            first = _line_at(offset, self._line_starts)
            last = _line_at(end - 1, self._line_starts)
            # `cost 12` is not in `cost 125`. But if `cost 12` ends a line, a digit
            # behind it belongs to the next line, because the lines are joined without
            # anything between them.
            is_at_line_end = end == self._line_starts[last + 1]
            is_before_digit = self._text[end : end + 1].isdigit() and not is_at_line_end
            cuts_number = wanted[-1].isdigit() and is_before_digit
            if not cuts_number:
                yield LineRange(first, last)
            offset = self._text.find(wanted, offset + 1)


def _squeezed(line: str) -> str:
    """Return the letters and digits of a line in lower case: `No. FA-19: 1,250` -> `nofa191250`."""
    folded = normalize_text(line).text.casefold()
    return folded.translate(_DECIMALS_OF_FRACTIONS).translate(_DROPPED_CHARACTERS)


def _starts_of(lines: Sequence[str], *, separator_length: int) -> list[int]:
    """Return the offset of each line in the joined text, and where one more line would begin.

    For `ab` and `c` with a separator of one character: 0, 3 and 5.
    """
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + separator_length)
    return starts


def _line_at(offset: int, line_starts: Sequence[int]) -> int:
    """Return the line in which an offset of the joined text is."""
    return bisect_right(line_starts, offset) - 1
