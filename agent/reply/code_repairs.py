"""Repairs the form of code in a reply, such as a fence around it or wrong escapes.

`python`, a newline, `print(1)}` -> `print(1)`

A repair never changes the meaning of a valid program. It removes a wrapper, or it is
used only if the code is not a valid program before it and is one after it.
"""

from __future__ import annotations

import json
import warnings
from contextlib import suppress
from typing import Final

from controlplane.agent.reply.code_tokens import tokens_of
from controlplane.gates.python_syntax import parse_program

LANGUAGE_NAMES: Final = ("python", "python3", "py")
"""Words after a fence, or alone on the first line, that name the language."""

_FENCE: Final = "```"
_OBJECT_ENDS: Final = ("}", '"}', '"\n}')
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

    Removes a fence (three backticks) around it, and a first line `python`. If the rest is
    not a valid program, makes the first repair that leads to one. If none does, the rest is
    returned as it is.
    """
    code = _without_fence(code.removeprefix(_BYTE_ORDER_MARK))
    code = _without_language_line(code)
    if is_program(code):
        return code
    program = _program_in_fence(code)
    if program is None:
        program = _program_without_doubled_escapes(code)
    if program is None:
        program = _program_with_escaped_newlines(code)
    if program is None:
        program = _program_without_object_end(code)
    return code if program is None else program


def _without_fence(code: str) -> str:
    """Return the code inside a fence that surrounds all of it; else the code unchanged.

    A fence begins with three backticks, and maybe `python`. The closing fence may be missing,
    if the reply was cut off.
    """
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
    """Return the code without a first line that has only the language's name.

    `python`, a newline, `print(1)` -> `print(1)`
    """
    first_line, newline, rest = code.lstrip().partition("\n")
    is_language = first_line.strip().lower() in LANGUAGE_NAMES
    return rest if is_language and newline else code


# --- Repairs of code that is not a program. Each returns a program, or None. ---


def _program_in_fence(code: str) -> str | None:
    """Return the program in the only fence of a text, such as one in prose; else None."""
    parts = code.split(_FENCE)
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

    # 1. All of the code is the inside of a JSON string.
    program = unescaped(code)
    if program is not None and is_program(program):
        return program

    # 2. Some quotation marks are bare, which JSON does not permit. Escape all of them first.
    with_bare_quotes = code.replace('\\"', '"')
    with_escaped_quotes = with_bare_quotes.replace('"', '\\"')
    program = unescaped(with_escaped_quotes)
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
