"""Finds the lines of a text that may state a value, without reading the values of all lines.

    DigitIndex(["It costs 1 250.00", "No. 12-5", "in March"]).lines_with("125")     # 0, 1

These few lines are then read and compared with the value, such as 1250.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from controlplane.gates.support.sources.joined_lines import JoinedLines
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


class DigitIndex:
    """Finds the lines that contain given letters and digits one after the other.

    Marks and blanks between them are ignored: `fa19` is in `FA-19`.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        # The line breaks keep a value from continuing on the next line.
        letters_and_digits = [_letters_and_digits(line) for line in lines]
        self._lines = JoinedLines(letters_and_digits, "\n")

    def lines_with(self, characters: str) -> Iterator[int]:
        """Yield the index of each line with the characters: `125` is in `1 250.00`."""
        offset = self._lines.text.find(characters)
        while offset >= 0:
            line = self._lines.line_at(offset)
            yield line
            offset = self._lines.text.find(characters, self._lines.end_of(line))


def _letters_and_digits(line: str) -> str:
    """Return the letters and digits of a line in lower case: `No. FA-19: 1,250` -> `nofa191250`."""
    folded = normalize_text(line).text.casefold()
    return folded.translate(_DECIMALS_OF_FRACTIONS).translate(_DROPPED_CHARACTERS)


def lines_with_numerals(lines: Sequence[str]) -> list[int]:
    """Return the indexes of lines with numbers that are written without digits: `三百`, `令和元年`.

    A `DigitIndex` cannot find these numbers.
    """
    return [
        index
        for index, line in enumerate(lines)
        if not _NON_DIGIT_NUMERALS.isdisjoint(line)
    ]
