"""Collects which values the names of a script may hold: `total = 0`, `for row in rows`.

    total = 0              `total` may hold 0
    total += fee           `total` may also hold `fee`
    for row in rows: ...   `row` may hold `rows`

The values need not be exact: they only serve to find the inputs, such as files, on which a
name depends. `Definitions` stores them.
"""

from __future__ import annotations

import ast
from typing import Final

from controlplane.gates.support.scripts.script_names import Definitions
from controlplane.gates.support.scripts.script_syntax import ENVIRONMENT, unpacked

_RAISED: Final = "<raised>"
"""A made-up name that holds every exception that a script raises.

`raise value` adds a value to it, and `except Error as a` takes one. It is not valid in
Python, so no script uses it for something else.
"""


def collect_bindings(tree: ast.Module, definitions: Definitions) -> None:
    """Record in `definitions` the values that a script binds to names."""
    for node in ast.walk(tree):
        _collect_binding(node, definitions)


def _collect_binding(node: ast.AST, definitions: Definitions) -> None:
    """Record the values that one statement, or one part of it, binds to names."""
    match node:
        case ast.Assign():  # a = b = value
            for target in node.targets:
                _collect_assignment(target, node.value, definitions)
        case ast.AnnAssign(value=ast.expr() as value):  # a: int = value
            _collect_assignment(node.target, value, definitions)
        case ast.AugAssign() | ast.NamedExpr():  # a += value, (a := value)
            definitions.add_to_target(node.target, node.value)
        case ast.For() | ast.AsyncFor() | ast.comprehension():  # for a in value
            definitions.add_to_target(node.target, node.iter)
        case ast.withitem(optional_vars=ast.expr() as target):  # with value as a
            definitions.add_to_target(target, node.context_expr)
        case ast.Raise(exc=ast.expr() as value):  # raise value
            definitions.add(_RAISED, value)
        case ast.ExceptHandler(name=str() as name):  # except Error as a
            definitions.add(name, ast.Name(_RAISED))
            # Without a `raise` in the script, the exception depends on no input.
            definitions.declare(_RAISED)
        case ast.FunctionDef() | ast.AsyncFunctionDef():  # def a(): return value
            _collect_returns(node, definitions)
        case ast.Import() | ast.ImportFrom():  # import a.b, import a as b
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                definitions.imported.add(name)
        case ast.ClassDef():  # class A: its objects may hold anything
            definitions.untraceable.add(node.name)
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            if name == ENVIRONMENT:  # harness = value, def f(harness)
                definitions.rebinds_environment = True


def _collect_assignment(
    target: ast.expr, value: ast.expr, definitions: Definitions
) -> None:
    """Record an assignment. In `a, b = 1, 2`, each name gets its own value."""
    for assignment in unpacked(target, value):
        definitions.add_to_target(assignment.target, assignment.value)
    if isinstance(target, ast.Name):  # `total = 0`, not `a, b = 1, 2`
        definitions.last_assigned[target.id] = value


def _collect_returns(
    function: ast.FunctionDef | ast.AsyncFunctionDef, definitions: Definitions
) -> None:
    """Record that the name of a function may hold what the function returns.

    After `def price(row): return row.fee`, the name `price` may hold `row.fee`. So a
    call `price(row)` depends on `row.fee`.
    """
    definitions.declare(function.name)  # it may return nothing
    for part in ast.walk(function):
        if isinstance(part, ast.Return | ast.Yield | ast.YieldFrom):
            if part.value is not None:
                definitions.add(function.name, part.value)
