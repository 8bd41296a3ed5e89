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
from controlplane.gates.values.locale_names import MYRIADS
from controlplane.gates.values.normal_text import normalize_text
from controlplane.gates.values.numbers.cjk_numerals import CJK_NUMERALS

_SIGN_OF_YEAR: Final = "年"
_NON_DIGIT_NUMERALS: Final = CJK_NUMERALS | MYRIADS.keys() | {_SIGN_OF_YEAR}
"""Signs of numbers that may be written without digits: `三百`, `令和元年`."""
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


class JoinedLines:
    """Lines joined to one text that can be searched, with the line of each offset."""

    def __init__(self, lines: Sequence[str], separator: str) -> None:
        self.text = separator.join(lines)
        self._line_starts: list[int] = []
        offset = 0
        for line in lines:
            self._line_starts.append(offset)
            offset += len(line) + len(separator)

    def line_at(self, offset: int) -> int:
        """Return the line in which an offset of the text is."""
        return bisect_right(self._line_starts, offset) - 1

    def end_of(self, line: int) -> int:
        """Return the offset at which the next line begins, or the end of the text."""
        if line + 1 < len(self._line_starts):
            return self._line_starts[line + 1]
        return len(self.text)


class DigitIndex:
    """Finds the lines that contain given letters and digits one after the other.

    Marks and blanks between them are ignored.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        letters_and_digits = [_letters_and_digits(line) for line in lines]
        self._lines = JoinedLines(letters_and_digits, "\n")

    def lines_with(self, characters: str) -> Iterator[int]:
        """Yield each line with the characters: `125` is in `1 250.00` and in `No. 12-5`."""
        offset = self._lines.text.find(characters)
        while offset >= 0:
            line = self._lines.line_at(offset)
            yield line
            offset = self._lines.text.find(characters, self._lines.end_of(line))


class QuotationIndex:
    """Finds quotations regardless of case, accents, blanks and line breaks.

    Other marks count, unlike in a `DigitIndex`: `bare_text` only drops the blanks.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        # A quotation may go over several lines, so nothing stands between them.
        self._lines = JoinedLines([bare_text(line) for line in lines], "")

    def places_of(self, quotation: str) -> Iterator[LineRange]:
        """Yield the lines of each occurrence of a quotation."""
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
        digits = self._lines.text[offset - 1 : offset + 1]  # one before, one behind
        return not is_line_break and digits.isdigit()


def _letters_and_digits(line: str) -> str:
    """Return the letters and digits of a line in lower case: `No. FA-19: 1,250` -> `nofa191250`."""
    folded = normalize_text(line).text.casefold()
    return folded.translate(_DECIMALS_OF_FRACTIONS).translate(_DROPPED_CHARACTERS)


def lines_with_numerals(lines: Sequence[str]) -> list[int]:
    """Return the lines with numbers that are written without digits: `三百`, `令和元年`."""
    return [
        index
        for index, line in enumerate(lines)
        if not _NON_DIGIT_NUMERALS.isdisjoint(line)
    ]
