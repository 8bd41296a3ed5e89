"""Parses Python, in any thread.

CPython 3.11 and 3.12 keep the depth of a syntax tree under construction in one place
for all threads. When two threads build a tree at the same time, one of them may end
with `SystemError: AST constructor recursion depth mismatch` (CPython's issue 106905).
Trials run in threads, so every tree that the gates and the loop need is built here, one
at a time.
"""

from __future__ import annotations

import ast
from threading import Lock
from typing import Final

_BUILDS_TREE: Final = Lock()
"""Held by the thread that builds a tree."""


def parse_program(code: str) -> ast.Module:
    """Return the syntax tree of a program.

    Raises what `ast.parse` raises: `SyntaxError`,
    `ValueError`, `RecursionError`, `MemoryError`.
    """
    with _BUILDS_TREE:
        return ast.parse(code)


def parse_expression(expression: str, file: str = "<unknown>") -> ast.Expression:
    """Return the syntax tree of an expression, such as `(a + b) * 2`.

    Python's warnings name the text by `file`. Raises what `ast.parse` raises:
    `SyntaxError`, `ValueError`, `RecursionError`, `MemoryError`.
    """
    with _BUILDS_TREE:
        return ast.parse(expression, file, "eval")
