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
    r"""Return code that is still written as a JSON string, as a program; None if it is not one.

    Some models escape their code twice for the JSON string that it is in, so that one level of
    escapes remains when the JSON is read:

    | code | program |
    |---|---|
    | `look(\"a\")\nsend()` | `look("a")`, a newline, `send()` |
    | `look("a")\nsend()` | the same: the model escaped only the newline twice |
    """
    if "\\n" not in code and '\\"' not in code:
        return None
    for json_string in (code, _with_escaped_quotes(code)):
        program = unescaped(json_string)
        if program is not None and is_program(program):
            return program
    return None


def _with_escaped_quotes(code: str) -> str:
    r"""Return code in which each `"` has a backslash before it, as in a JSON string.

    `look("a")` -> `look(\"a\")`
    """
    with_bare_quotes = code.replace('\\"', '"')
    return with_bare_quotes.replace('"', '\\"')


def _program_with_escaped_newlines(code: str) -> str | None:
    r"""Return code with `\n` in place of the newlines in its strings; None if it is no program.

    `look('`, a newline, `')` -> `look('\n')`

    For the `\n` in a string, a model must write two backslashes in JSON. With only one, the
    string has a newline, which a string in `'` or `"` must not have.
    """
    pieces: list[str] = []
    for token in tokens_of(code):
        # `quote` is the mark of the string to which the token belongs, or empty.
        is_in_short_string = token.quote in ("'", '"')
        if token.text == "\n" and is_in_short_string:
            pieces.append("\\n")
        else:
            pieces.append(token.text)
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
