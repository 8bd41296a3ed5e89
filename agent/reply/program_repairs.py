"""Repairs code that is not a valid program, such as `print(total)}`.

Models write code in JSON strings, and make mistakes with escapes and braces. A repair is used
only if it makes a valid program of code that was none. So it never changes the meaning of a
program.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.reply.code_tokens import tokens_of
from controlplane.agent.reply.program_text import (
    FENCE,
    LANGUAGE_NAMES,
    is_program,
    unescaped,
)

_OBJECT_ENDS: Final = ("}", '"}', '"\n}')
"""The ends of a JSON object that models write after the code in it."""


def repaired_program(code: str) -> str | None:
    r"""Return the program that the first fitting repair makes of code; None if none does.

    | code | program | repair |
    |---|---|---|
    | prose with one fence in it | the text in the fence | `_program_in_fence` |
    | `look(\"a\")` | `look("a")` | `_program_without_doubled_escapes` |
    | `look('`, a newline, `')` | `look('\n')` | `_program_with_escaped_newlines` |
    | `look()}` | `look()` | `_program_without_object_end` |
    """
    program = _program_in_fence(code)
    if program is None:
        program = _program_without_doubled_escapes(code)
    if program is None:
        program = _program_with_escaped_newlines(code)
    if program is None:
        program = _program_without_object_end(code)
    return program


def _program_in_fence(code: str) -> str | None:
    """Return the program in a fence in prose; None if the text has no fence, or several."""
    parts = code.split(FENCE)
    has_one_fence = len(parts) == 3  # before, inside and after it
    if not has_one_fence:
        return None
    block = parts[1]
    language, newline, program = block.partition("\n")
    if not newline or language.strip().lower() not in ("", *LANGUAGE_NAMES):
        return None
    return program if program.strip() and is_program(program) else None


def _program_without_doubled_escapes(code: str) -> str | None:
    r"""Return code without JSON escapes that are left in it, if that makes it a program.

    Models may escape code twice, for the string in the JSON and once more:

    1. look(\"a\")\nsend()   quotation marks and newlines are still escaped
    2. look("a")\nsend()     only newlines are
    """
    if "\\n" not in code and '\\"' not in code:
        return None

    # In the first case, the code is the inside of a JSON string. In the second case, it has bare
    # quotation marks, which are not allowed there, so all of them are escaped before.
    with_bare_quotes = code.replace('\\"', '"')
    with_escaped_quotes = with_bare_quotes.replace('"', '\\"')
    for escaped in (code, with_escaped_quotes):
        program = unescaped(escaped)
        if program is not None and is_program(program):
            return program
    return None


def _program_with_escaped_newlines(code: str) -> str | None:
    r"""Return code with `\n` for each newline in a `'` or `"` string, if that makes it a program.

    For the Python string `'\n'`, a model must write two backslashes in JSON. With only
    one, the string becomes `'`, a newline, and `'`. Such strings may not have a newline, but
    `tokens_of` also reads them: the token of this newline has the quotation mark `'`.
    """
    pieces: list[str] = []
    for token in tokens_of(code):
        is_broken_string = token.text == "\n" and token.quote in ("'", '"')
        pieces.append("\\n" if is_broken_string else token.text)
    program = "".join(pieces)
    return program if is_program(program) else None


def _program_without_object_end(code: str) -> str | None:
    """Return code without the end of the JSON object after it, if that makes it a program.

    `"code": "print(total)}"` -> `print(total)`
    """
    stripped = code.rstrip()
    for end in _OBJECT_ENDS:
        program = stripped.removesuffix(end)
        if program != stripped and is_program(program):
            return program
    return None
