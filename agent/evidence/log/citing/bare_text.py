"""A text in the form in which quotations are found in it: folded, and without blanks.

Scripts quote JSON and prose in any spacing. So the quotation `fee:7` is found in `Fee: 7 EUR`:

    text = BareText.of("Late return.\\nFee: 7 EUR")
    text.lines             -> ["latereturn.", "fee:7eur"]
    text.line_of("fee:7")  -> 2
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.gates.text_folding import fold_text


@dataclass(frozen=True, slots=True)
class BareText:
    """A text in small letters, and without accents and blanks, in its lines."""

    lines: Sequence[str]

    @classmethod
    def of(cls, text: str) -> BareText:
        """Return the bare form of a text: `a b: 1 200` -> `ab:1 200`.

        A blank between two digits stays, even between two lines, so that two numbers do not
        become one.
        """
        lines: list[str] = []
        word_before = ""  # It may be the last word of the line before.
        for line in text.split("\n"):
            bare_line = ""
            for word in fold_text(line).split():
                is_between_digits = word_before[-1:].isdigit() and word[0].isdigit()
                if is_between_digits:
                    bare_line += " "
                bare_line += word
                word_before = word
            lines.append(bare_line)
        return cls(lines)

    @property
    def joined(self) -> str:
        """All lines as one text, without line breaks."""
        return "".join(self.lines)

    def line_of(self, part: str) -> int | None:
        """Return the line, from 1, on which a bare text begins; None if it does not occur.

        It may run over several lines: in `["ab", "cd"]`, `bc` begins on line 1.
        """
        chars_before = self.joined.find(part)
        if chars_before < 0:
            return None
        number = 1
        for line in self.lines:
            chars_before -= len(line)
            if chars_before < 0:
                break  # The part begins on this line.
            number += 1
        return number
