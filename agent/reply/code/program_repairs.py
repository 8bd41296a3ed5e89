"""Repairs code that is not a valid program, such as `print(total)}`.

Models write code in JSON strings, and make mistakes with escapes and braces. A repair is used
only if it makes a valid program of code that was none. So it never changes the meaning of a
program.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.reply.code.escape_repairs import (
    program_with_escaped_newlines,
    program_without_doubled_escapes,
)
from controlplane.agent.reply.code.program_text import (
    FENCE,
    LANGUAGE_NAMES,
    is_program,
)

_OBJECT_ENDS: Final = ("}", '"}', '"\n}')
"""The ends of a JSON object that models write after the code in it."""


def repaired_program(code: str) -> str | None:
    r"""Return the program that the first fitting repair makes of code; None if none does.

    | code | program | repair |
    |---|---|---|
    | prose with one fence in it | the text in the fence | `_program_in_fence` |
    | `look(\"a\")` | `look("a")` | `program_without_doubled_escapes` |
    | `look('`, a newline, `')` | `look('\n')` | `program_with_escaped_newlines` |
    | `look()}` | `look()` | `_program_without_object_end` |
    """
    program = _program_in_fence(code)
    if program is None:
        program = program_without_doubled_escapes(code)
    if program is None:
        program = program_with_escaped_newlines(code)
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
