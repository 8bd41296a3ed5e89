"""Finds counts of a script, and the loops and branches on which they depend.

    for row in rows:
        if row.is_new:
            n += 1

The count `n` depends on `rows` and `row.is_new`, though `n += 1` does not say so.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Final

from controlplane.gates.support.scripts.script_names import Definitions
from controlplane.gates.support.scripts.script_syntax import names_in

MAX_CONDITIONS: Final = 30
"""A count inside more loops and branches than this is untraceable: it may depend on anything."""


@dataclass(frozen=True, slots=True)
class _NestedNode:
    """A part of a script, with the loops and branches around it."""

    node: ast.AST
    conditions: tuple[ast.expr, ...] = ()
    """The expressions that decide whether and how often the part runs.

    For `n += 1` in the example above, they are `rows` and `row.is_new`. There are at most
    `MAX_CONDITIONS` and one more: a long chain of `elif` has thousands, one inside the other.
    """

    @property
    def has_too_many_conditions(self) -> bool:
        """True if the part is inside more loops and branches than `MAX_CONDITIONS`."""
        return len(self.conditions) > MAX_CONDITIONS

    def statements(self) -> list[_NestedNode]:
        """Return the statements directly inside this part. An expression has none."""
        conditions = self.conditions
        condition = _condition_of(self.node)
        if condition is not None and not self.has_too_many_conditions:
            conditions = (*conditions, condition)
        return [
            _NestedNode(child, conditions)
            for child in ast.iter_child_nodes(self.node)
            if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
        ]


def collect_counts(tree: ast.Module, definitions: Definitions) -> None:
    """Record in `definitions` that counts depend on the loops and branches around them.

    In `for row in rows: n += 1`, the count `n` depends on `rows`. `total += row.price` is
    not a count: it names its input.
    """
    waiting = [_NestedNode(tree)]
    while waiting:
        nested = waiting.pop()
        match nested.node:
            case ast.AugAssign(target=target, value=ast.Constant()):  # n += 1
                _collect_count(target, nested, definitions)
        waiting += nested.statements()


def _collect_count(
    target: ast.expr, nested: _NestedNode, definitions: Definitions
) -> None:
    """Record that the names in the target of `n += 1` depend on the conditions around it."""
    if nested.has_too_many_conditions:
        definitions.untraceable.update(names_in(target))
        return
    for condition in nested.conditions:
        definitions.add_to_target(target, condition)


def _condition_of(node: ast.AST) -> ast.expr | None:
    """Return the expression that decides whether or how often a body runs; None without one.

    It is the `rows` of `for row in rows:`, and the test of an `if` or `while`.
    """
    match node:
        case ast.For() | ast.AsyncFor():
            return node.iter
        case ast.If() | ast.While():
            return node.test
    return None
