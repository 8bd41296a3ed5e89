"""Splits the number format of a spreadsheet's cell into its parts.

`0.0" km"` has the codes `0`, `.`, `0` and the text ` km`. Semicolons divide a format into
sections for positive numbers, negative numbers, zero, and texts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

# The parts of a number format


@dataclass(frozen=True, slots=True)
class FormatToken:
    """A part of a number format."""

    kind: Literal["code", "bracket", "text"]
    """A `code` is a character with a meaning, a `bracket` like `[Red]`; `text` is shown as is."""
    text: str

    @property
    def code(self) -> str:
        """The character of a code: `0`. Empty for a bracket or a text."""
        return self.text if self.kind == "code" else ""


_CODES: Final = "0#?.,%eE@/ymdhs;"
"""Characters with a meaning in a format.

They stand for digits and their separators, percent, powers of ten, texts, and the parts
of dates. The semicolon ends a section.
"""


def format_tokens(number_format: str) -> list[FormatToken]:
    """Split a format into its parts: `0.0" km"` -> the codes `0`, `.`, `0` and the text ` km`.

    A quotation or bracket without an end goes up to the end of the format.
    """
    tokens: list[FormatToken] = []
    position = 0
    while position < len(number_format):
        character = number_format[position]
        if character == '"':
            text, _, _ = number_format[position + 1 :].partition('"')
            tokens.append(FormatToken("text", text))
            position += len(text) + 2  # with both quotation marks
        elif character == "[":
            inside, _, _ = number_format[position + 1 :].partition("]")
            bracket = number_format[position : position + len(inside) + 2]
            tokens.append(FormatToken("bracket", bracket))
            position += len(bracket)
        elif character == "\\":
            tokens.append(
                FormatToken("text", number_format[position + 1 : position + 2])
            )
            position += 2
        elif character in "_*":
            # `_x` is a space as wide as `x`, and `*x` fills the cell with `x`. Neither is shown.
            position += 2
        elif character.lower() in _CODES:
            tokens.append(FormatToken("code", character))
            position += 1
        else:
            tokens.append(FormatToken("text", character))
            position += 1
    return tokens


def format_sections(number_format: str) -> list[list[FormatToken]]:
    """Return the sections of a format: for positive numbers, negative numbers, zero, and texts."""
    sections: list[list[FormatToken]] = [[]]
    for token in format_tokens(number_format):
        if token.code == ";":
            sections.append([])
        else:
            sections[-1].append(token)
    return sections
