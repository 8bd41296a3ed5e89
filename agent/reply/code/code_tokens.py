"""Splits Python code into tokens, to find where its strings begin and end.

The code need not be valid: models put line breaks inside strings, for example. Python's own
tokenizer refuses such code.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of Python code: a quotation mark, an escape, a comment, or any other character."""

    text: str
    quote: str
    """The quotation mark of the string to which the token belongs: `'`. Empty outside of
    strings, and for the mark that ends a string."""


def tokens_of(code: str) -> Iterator[Token]:
    r"""Yield the tokens of code, which need not be valid. Joined, they are the code again.

    | tokens of `a="\n"#x` | `a` | `=` | `"` | `\n` | `"` | `#x` |
    |---|---|---|---|---|---|---|
    | their `quote` | | | `"` | `"` | | |
    """
    quote = ""
    position = 0
    while position < len(code):
        text = code[position]

        # In a string: an escape, or the string's end.
        if quote:
            if text == "\\":
                text = code[position : position + 2]
            elif code.startswith(quote, position):
                text = quote
                quote = ""

        # Outside of strings: the start of a string, or a comment.
        elif text in ("'", '"'):
            tripled = text * 3
            if code.startswith(tripled, position):
                text = tripled
            quote = text
        elif text == "#":
            text = code[position:].partition("\n")[0]
        yield Token(text, quote)
        position += len(text)
