"""Collects which values the names of a script may hold: `total = 0`, `for row in rows`.

It is only asked later which inputs, such as files, a name depends on. So after `for row in
rows`, the whole `rows` is recorded for `row`, and after `total += fee`, `fee` for `total`.

`Definitions` stores the values. `add` records a value of one name, and `add_to_target` one
of each name in a target, such as `a, rows[0]`. `declare` records that a name is known, even
if it has no value. An `untraceable` name may hold anything.
"""

from __future__ import annotations

import ast
from typing import Final

from controlplane.gates.support.scripts.script_names import Definitions
from controlplane.gates.support.scripts.script_syntax import ENVIRONMENT, unpacked

_RAISED: Final = "<raised>"
"""Stands for all exceptions that a script raises. It is not a valid name, so no script uses it."""


def collect_bindings(tree: ast.Module, definitions: Definitions) -> None:
    """Record the values that a script binds to names."""
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
            # If no `raise` adds a value, the name is known, and depends on no input.
            definitions.declare(_RAISED)
        case ast.FunctionDef() | ast.AsyncFunctionDef():  # def a(): return value
            _collect_returns(node, definitions)
        case ast.Import() | ast.ImportFrom():
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                definitions.imported.add(name)
        case ast.ClassDef():
            definitions.untraceable.add(node.name)
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            if name == ENVIRONMENT:  # harness = value, def f(harness)
                definitions.rebinds_environment = True


def _collect_assignment(
    target: ast.expr, value: ast.expr, definitions: Definitions
) -> None:
    """Record an assignment. In `a, b = 1, 2`, each name gets its own value."""
    if isinstance(target, ast.Name):
        # `only_value` uses it if it turns out that this is the only binding of the name.
        definitions.plain_values[target.id] = value
    for assignment in unpacked(target, value):
        definitions.add_to_target(assignment.target, assignment.value)


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
