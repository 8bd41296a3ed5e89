"""The syntax of scripts: names, arguments and assignments in a tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from controlplane.gates.python_syntax import parse_program

ENVIRONMENT: Final = "harness"
"""The name by which scripts call the environment: `harness.read(path)`."""
SCRATCHPAD: Final = "scratchpad"
"""The name of the dictionary in which scripts keep their results."""
MAX_NODES: Final = 200_000
"""A script whose syntax tree has more nodes than this is not read, because it takes too long."""


def parsed(code: str) -> ast.Module | None:
    """Return the syntax tree of a script; None if the script is invalid or too large."""
    try:
        tree = parse_program(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    node_count = sum(1 for _ in ast.walk(tree))
    return tree if node_count <= MAX_NODES else None


def names_in(node: ast.AST) -> Iterator[str]:
    """Yield the variables in an expression, except the environment and the scratchpad."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id not in (ENVIRONMENT, SCRATCHPAD):
            yield part.id


def arguments_of(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call by position and by name."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


@dataclass(frozen=True, slots=True)
class Assignment:
    """One target of an assignment, with the value that it gets."""

    target: ast.expr
    value: ast.expr


def unpacked(target: ast.expr, value: ast.expr) -> list[Assignment]:
    """Return the targets of an assignment, each with its value: `a, b = 1, 2` -> (a, 1), (b, 2).

    The assignment stays whole if its parts are not known: `a, b = row`, `a, *b = 1, 2, 3`.
    """
    whole = [Assignment(target, value)]
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return whole
    parts = [*target.elts, *value.elts]
    has_star = any(isinstance(part, ast.Starred) for part in parts)
    if has_star or len(target.elts) != len(value.elts):
        return whole
    return [
        Assignment(part, part_value)
        for part, part_value in zip(target.elts, value.elts, strict=True)
    ]
