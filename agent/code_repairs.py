"""Repairs the form of code in a reply, such as a fence around it or wrong escapes.

A repair never changes the meaning of a valid program. It removes a wrapper, or it is
used only if the code is not a valid program before it and is one after it.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from controlplane.gates.python_syntax import parse_program

LANGUAGE_NAMES: Final = ("python", "python3", "py")
"""Words after a fence, or alone on the first line, that name the language."""

_FENCE: Final = "```"
_BYTE_ORDER_MARK: Final = "\ufeff"
_MAX_PROGRAM_CHARS: Final = 100_000
"""Longer texts are not parsed, because Python's parser needs much memory for them."""


def is_program(code: str) -> bool:
    """Return True if `code` is a valid Python program of at most 100,000 characters."""
    if len(code) > _MAX_PROGRAM_CHARS:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            parse_program(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def unescaped(text: str) -> str | None:
    """Return a text after decoding its JSON escapes: `a\\tb` -> `a`, a tab, `b`.

    Returns None if the text could not stand in a JSON string.
    """
    with suppress(ValueError):
        return str(json.loads(f'"{text}"', strict=False))
    return None


def repaired_code(code: str) -> str:
    """Return the program in `code`.

    Removes a fence (three backticks) around it, and a first line `python`. If the rest
    is not a program, looks for one in a fence inside it, and repairs escapes, newlines
    and the end.
    """
    code = _without_fence(code.removeprefix(_BYTE_ORDER_MARK))
    code = _without_language_line(code)
    if not is_program(code):
        code = _fenced_program(code) or code
        code = _without_doubled_escapes(code)
        code = _with_escaped_newlines(code)
        code = _without_object_end(code)
    return code


def _without_fence(code: str) -> str:
    """Return the code inside a fence that surrounds all of it. The closing fence may be
    missing."""
    first_line, _, rest = code.strip().partition("\n")
    if not first_line.startswith(_FENCE):
        return code
    if first_line.removeprefix(_FENCE).strip().lower() not in ("", *LANGUAGE_NAMES):
        return code
    if rest.endswith(_FENCE):
        rest = rest.removesuffix(_FENCE).removesuffix("\n")
    # If there is another fence, the first one does not surround all of the code.
    return code if _FENCE in rest else rest


def _without_language_line(code: str) -> str:
    """Return the code without a first line that has only the language's name."""
    first_line, newline, rest = code.lstrip().partition("\n")
    is_language = first_line.strip().lower() in LANGUAGE_NAMES
    return rest if is_language and newline else code


def _fenced_program(code: str) -> str:
    """Return the program in the only fence of a text; empty if there is none."""
    parts = code.split(_FENCE)
    if len(parts) != 3:
        return ""
    block = parts[1]
    language, newline, program = block.partition("\n")
    if not newline or language.strip().lower() not in ("", *LANGUAGE_NAMES):
        return ""
    return program if program.strip() and is_program(program) else ""


def _without_doubled_escapes(code: str) -> str:
    """Return code without the JSON escapes that are left in it, if that makes it a
    valid program.

    All of it may still be escaped, `look(\\"a\\")\\nsend()`, or all except the
    quotation marks, `look("a")\\nsend()`.
    """
    if "\\n" not in code and '\\"' not in code:
        return code
    # For the second case: escape the quotation marks, but only once if some have a
    # backslash already.
    with_bare_quotes = code.replace('\\"', '"')
    with_escaped_quotes = with_bare_quotes.replace('"', '\\"')
    for escaped_code in (code, with_escaped_quotes):
        program = unescaped(escaped_code)
        if program is not None and is_program(program):
            return program
    return code


def _with_escaped_newlines(code: str) -> str:
    """Return code with `\\n` for each newline in a `'` or `"` string, if that makes it
    a program.

    For `\\n` in Python, JSON needs two backslashes, but models often write one. Then
    the string is broken: `"code": "text.split('\\n')"` gives `text.split('`, a newline,
    `')`.
    """
    if is_program(code):
        return code
    pieces: list[str] = []
    for token in _tokens_of(code):
        is_in_short_string = token.quote in ("'", '"')
        is_cut = is_in_short_string and token.text == "\n"
        pieces.append("\\n" if is_cut else token.text)
    program = "".join(pieces)
    return program if is_program(program) else code


@dataclass(frozen=True, slots=True)
class _Token:
    """A piece of Python code: a quotation mark, an escape, a comment, or any other
    character."""

    text: str
    quote: str
    """The quotation mark of the string that the token is in; empty outside of
    strings."""


def _tokens_of(code: str) -> Iterator[_Token]:
    """Yield the tokens of code, which need not be valid.

    `a = "\\t"  # x` -> `a`, ` `, `=`, ` `, `"`, `\\t`, `"`, ` `, ` `, `# x`
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
        yield _Token(text, quote)
        position += len(text)


_OBJECT_ENDS: Final = ("}", '"}', '"\n}')


def _without_object_end(code: str) -> str:
    """Return code without the end of the JSON object after it, if that makes it a valid
    program.

    `"code": "print(total)}"` -> `print(total)`
    """
    if is_program(code):
        return code
    stripped = code.rstrip()
    for end in _OBJECT_ENDS:
        program = stripped.removesuffix(end)
        if program != stripped and is_program(program):
            return program
    return code
