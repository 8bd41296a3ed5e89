"""Repairs of the form of code in a reply: what surrounds the program, or escapes it wrongly.

A repair never changes what a readable program says: each removes a wrapper, or is used only if the
text is not a program and becomes one by it.
"""

from __future__ import annotations

import json
import warnings
from contextlib import suppress
from typing import Final

from controlplane.gates.python_syntax import parse_program

LANGUAGE_NAMES: Final = ("python", "python3", "py")
"""Words behind a fence, or alone on the first line, that name the language."""

_FENCE: Final = "```"
_BYTE_ORDER_MARK: Final = "\ufeff"
_MAX_PROGRAM_CHARS: Final = 100_000
"""Longer texts are not parsed: Python's parser needs much memory for them."""


def is_program(code: str) -> bool:
    """Say whether `code` is a program that Python can read, of at most 100,000 characters."""
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
    """Return a text as the inside of a JSON string; None if it cannot be one."""
    with suppress(ValueError):
        return str(json.loads(f'"{text}"', strict=False))
    return None


def repaired_code(code: str) -> str:
    """Return the program in `code`, without a fence around it, its language's name, or escapes."""
    code = _without_fence(code.removeprefix(_BYTE_ORDER_MARK))
    code = _without_language_line(code)
    if not is_program(code):
        code = _fenced_program(code) or code
        code = _without_doubled_escapes(code)
        code = _with_escaped_newlines(code)
        code = _without_object_end(code)
    return code


def _without_fence(code: str) -> str:
    """Return the code inside a fence that surrounds all of it, or that is only opened."""
    first_line, _, rest = code.strip().partition("\n")
    if not first_line.startswith(_FENCE):
        return code
    if first_line.removeprefix(_FENCE).strip().lower() not in ("", *LANGUAGE_NAMES):
        return code
    if rest.endswith(_FENCE):
        rest = rest.removesuffix(_FENCE).removesuffix("\n")
    return code if _FENCE in rest else rest


def _without_language_line(code: str) -> str:
    """Return the code without a first line that is only the language's name."""
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
    """Return code that was escaped twice as it was meant, if that makes it a program.

    Two spellings are tried: all was escaped once more, or all but the quotation marks.
    """
    if "\\n" not in code and '\\"' not in code:
        return code
    quotes_escaped = code.replace('\\"', '"').replace('"', '\\"')
    for spelling in (code, quotes_escaped):
        meant = unescaped(spelling)
        if meant is not None and is_program(meant):
            return meant
    return code


def _with_escaped_newlines(code: str) -> str:
    """Return code with `\\n` for each newline inside of a quoted string, if that makes it a program.

    Inside of JSON, the newline of a Python string needs two backslashes, and models write one:
    `"code": "lines = text.split('\\n')"` -> `lines = text.split('`, a newline, `')`
    """
    if is_program(code):
        return code
    repaired: list[str] = []
    quote = ""  # The quotation marks that end the string at the position; empty outside of strings.
    position = 0
    while position < len(code):
        character = code[position]
        length = 1
        if quote and character == "\\":
            length = 2  # A backslash and what it escapes.
        elif quote and code.startswith(quote, position):
            length = len(quote)
            quote = ""
        elif not quote and character in "'\"":
            is_triple = code.startswith(character * 3, position)
            length = 3 if is_triple else 1
            quote = character * length
        elif not quote and character == "#":
            comment, _, _ = code[position:].partition("\n")
            length = len(comment)
        is_cut_string = character == "\n" and len(quote) == 1
        repaired.append("\\n" if is_cut_string else code[position : position + length])
        position += length
    meant = "".join(repaired)
    return meant if is_program(meant) else code


_OBJECT_ENDS: Final = ("}", '"}', '"\n}')


def _without_object_end(code: str) -> str:
    """Return code without the end of the JSON object behind it, if that makes it a program.

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
