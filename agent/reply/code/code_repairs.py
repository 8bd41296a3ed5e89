"""Repairs the form of code in a reply, such as a fence around it or wrong escapes.

`python`, a newline, `print(1)}` -> `print(1)`

A repair never changes the meaning of a valid program. It removes a wrapper, or it is
used only if the code is not a valid program before it and is one after it.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.reply.code.program_repairs import repaired_program
from controlplane.agent.reply.code.program_text import FENCE, LANGUAGE_NAMES, is_program

_BYTE_ORDER_MARK: Final = "\ufeff"


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
    program = repaired_program(code)
    return code if program is None else program


def _without_fence(code: str) -> str:
    """Return the code inside a fence that surrounds all of it; else the code unchanged.

    A fence begins with three backticks, and maybe `python`. The closing fence may be missing,
    if the reply was cut off.
    """
    first_line, _, rest = code.strip().partition("\n")
    if not first_line.startswith(FENCE):
        return code
    if first_line.removeprefix(FENCE).strip().lower() not in ("", *LANGUAGE_NAMES):
        return code
    if rest.endswith(FENCE):
        rest = rest.removesuffix(FENCE).removesuffix("\n")
    # If there is another fence, the first one does not surround all of the code.
    return code if FENCE in rest else rest


def _without_language_line(code: str) -> str:
    """Return the code without a first line that has only the language's name.

    `python`, a newline, `print(1)` -> `print(1)`
    """
    first_line, newline, rest = code.lstrip().partition("\n")
    is_language = first_line.strip().lower() in LANGUAGE_NAMES
    return rest if is_language and newline else code
