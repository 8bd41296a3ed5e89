"""Tells if a text is a Python program, and decodes programs that are written as JSON strings.

`print(1)` is a program, and `print(1)}` is not. In a JSON string, a newline of a program is
written as `\\n`, which `unescaped` decodes.
"""

from __future__ import annotations

import json
import warnings
from contextlib import suppress
from typing import Final

from controlplane.gates.python_syntax import parse_program

LANGUAGE_NAMES: Final = ("python", "python3", "py")
"""Words after a fence, or alone on the first line, that name the language."""
FENCE: Final = "```"
"""The mark before and after code in Markdown."""
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
