"""Traces what an expression of a script is computed from, without running the script.

    rows = harness.table("/items.csv", columns="price").rows
    total = sum(rows) * 36
    print(total)

Here `total` comes from the path `/items.csv` and the number 36: these are its origins.
`total` counts as computed if the 36 stands in the question or in a text that was read.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable
from typing import Final

from controlplane.gates.support.scripts.environment_calls import (
    is_environment_call,
    returns_what_was_read,
)
from controlplane.gates.support.scripts.origins import FoundOrigins, Origins
from controlplane.gates.support.scripts.scratchpad_syntax import (
    is_scratchpad,
    key_of_scratchpad,
)
from controlplane.gates.support.scripts.script_expressions import ScriptExpression
from controlplane.gates.support.scripts.script_syntax import SCRATCHPAD, arguments_of
from controlplane.gates.support.scripts.stored_expressions import StoredExpressions

_SELECTING_NODES: Final = (
    ast.Constant,
    ast.Dict,
    ast.List,
    ast.Name,
    ast.Set,
    ast.Starred,
    ast.Subscript,
    ast.Tuple,
    ast.expr_context,  # not an expression, but a part of each name and subscript
)
"""The kinds of syntax in `{"a": 1, "b": 2}[name]`, which only selects one of its literals.

An expression of any other kind computes something.
"""


def origins_of(traced: ScriptExpression, stored: StoredExpressions) -> Origins:
    """Return what an expression is computed from: `sum(rows)` -> the path `/items.csv`.

    The names of the expression are followed to the values that they may hold, these to their
    own names, and so on down to literals and calls. `stored` is what the scripts of the trial
    stored in the scratchpad.
    """
    found = FoundOrigins()
    followed: set[Hashable] = set()
    # Parts of the expression, and the values that its names may hold, that are still to visit
    waiting = [traced]
    while waiting:
        part = waiting.pop()
        if not isinstance(part.expression, _SELECTING_NODES):
            found.computes = True
        # Variables may refer to each other in a circle, so each is followed once.
        variable = _variable_of(part)
        if variable in followed:
            continue
        if variable is not None:
            followed.add(variable)

        _add_origin(part, found)
        inputs = _inputs_of(part, stored)
        if inputs is None:  # The part may depend on anything.
            found.is_traceable = False
        else:
            waiting += inputs
    return found.result()


def _variable_of(part: ScriptExpression) -> Hashable | None:
    """Return a key for the variable that a part is; None if it is another expression: `a + b`.

    Scripts of one trial share the scratchpad, but each has names of its own. So the key of
    `scratchpad["n"]` is the same in all of them, and that of `n` has the script's definitions.
    """
    node = part.expression
    if is_scratchpad(node):
        return SCRATCHPAD
    scratchpad_key = key_of_scratchpad(node)
    if scratchpad_key is not None:
        return (SCRATCHPAD, scratchpad_key)
    if isinstance(node, ast.Name):
        return (part.definitions, node.id)
    return None


def _add_origin(part: ScriptExpression, found: FoundOrigins) -> None:
    """Add a part to `found` if it is an origin: a literal, or a call that reads something."""
    node = part.expression
    match node:
        case ast.Constant():
            found.literals.append(node)
        case ast.Call() if is_environment_call(node) and _reads(part, node):
            found.reads_environment = True


def _reads(part: ScriptExpression, environment_call: ast.Call) -> bool:
    """Return True if a call surely returns what the environment holds: `harness.read("/a.md")`.

    False if the script has replaced `harness`, or if the call may return a number that the
    script chose, such as `harness.sql("select unicode('x') from t")`.
    """
    is_replaced = part.definitions.rebinds_environment
    return not is_replaced and returns_what_was_read(environment_call)


def _inputs_of(
    part: ScriptExpression, stored: StoredExpressions
) -> list[ScriptExpression] | None:
    """Return the parts on which a part depends; None if it may depend on anything.

    | part                    | depends on                                           |
    | ----------------------- | ---------------------------------------------------- |
    | `a + b`                 | `a` and `b`                                          |
    | `row`                   | the values that the name `row` may hold              |
    | `scratchpad["rows"]`    | the values that scripts stored under the key `rows`  |
    | `harness.read(path)`    | `path`                                               |
    | `36`                    | nothing: an empty list                               |
    | `ord("#")`              | anything: None                                       |
    """
    node = part.expression
    # What no script of this trial stored may be anything.
    if is_scratchpad(node):
        return stored.all() or None
    scratchpad_key = key_of_scratchpad(node)
    if scratchpad_key is not None:
        return stored.of(scratchpad_key) or None

    match node:
        case ast.Constant():
            return []
        case ast.Name():
            values = part.definitions.of(node.id)
            return None if values is None else part.parts(values)
        case ast.Call() if is_environment_call(node):
            return part.parts(arguments_of(node)) if _reads(part, node) else None
    if _makes_number_of_text(node):
        return None
    return part.parts(_operands_of(node))


def _operands_of(node: ast.AST) -> list[ast.AST]:
    """Return the parts of an expression from which its value is computed."""
    match node:
        case ast.FormattedValue():
            return [node.value]  # the format, such as `.2f`, is not an input
        case ast.Subscript(slice=ast.Constant()):
            return [node.value]  # a constant index or key is not an input
    return list(ast.iter_child_nodes(node))


def _makes_number_of_text(node: ast.AST) -> bool:
    """Return True for `int("zz", 36)`, which is 1295, and `ord("#")`, which is 35.

    By these two functions, a script could invent a number without writing a digit of it. An
    `int` of anything but a literal is permitted, because it may read what is in a file.
    """
    match node:
        case ast.Call(func=ast.Name(id="int"), args=[ast.Constant(value=str()), _]):
            return True
        case ast.Call(func=ast.Name(id="ord")):
            return True
    return False
