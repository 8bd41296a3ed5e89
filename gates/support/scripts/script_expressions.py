"""Expressions of a script with the values of their names, and how they are shown.

After `n = len(rows)`, the expression `n` is shown as `len(rows)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.gates.support.scripts.script_names import Definitions

MAX_EXPRESSION_CHARS: Final = 120
"""Characters of an expression that are shown beside a value."""


@dataclass(frozen=True, slots=True)
class ScriptExpression:
    """An expression of a script, with what the names in it may hold."""

    expression: ast.AST
    definitions: Definitions

    def part(self, node: ast.AST) -> ScriptExpression:
        """Return another expression of the same script, such as a part of this one."""
        return ScriptExpression(node, self.definitions)

    def parts(self, nodes: Iterable[ast.AST]) -> list[ScriptExpression]:
        """Return several expressions of the same script."""
        return [ScriptExpression(node, self.definitions) for node in nodes]


def text_of(traced: ScriptExpression) -> str:
    """Return an expression in a short form for display.

    - Of an f-string, only the values: `f"Total: {sum(prices)} EUR"` -> `sum(prices)`.
    - For a name that is bound only once, its value:
      after `n = len(rows)`, `n` -> `len(rows)`.
    """
    expression = traced.expression
    if isinstance(expression, ast.JoinedStr):  # an f-string
        values = [
            text_of(traced.part(part.value))
            for part in expression.values
            if isinstance(part, ast.FormattedValue)
        ]
        return short_text(", ".join(values))

    # Replace a name by its value as long as that is a name again. Names may refer to each other
    # in a circle, `a = b` and `b = a`, so each is replaced once.
    seen_names = set()
    while isinstance(expression, ast.Name) and expression.id not in seen_names:
        seen_names.add(expression.id)
        value = traced.definitions.only_value(expression.id)
        if value is None:
            break
        expression = value
    return short_text(ast.unparse(expression))


def short_text(code: str) -> str:
    """Return code in one line of at most `MAX_EXPRESSION_CHARS` characters."""
    line = " ".join(code.split())
    if len(line) > MAX_EXPRESSION_CHARS:
        return f"{line[: MAX_EXPRESSION_CHARS - 1]}…"
    return line
