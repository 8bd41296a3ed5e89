"""Traces what an expression of a script is computed from, without running the script.

    rows = harness.sql("SELECT price FROM '/items.csv'")
    total = sum(rows) * 36
    print(total)

Here `total` comes from the path `/items.csv` and the number 36: these are its origins.
`script_computations` decides by them whether a printed value counts as computed.
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
"""The kinds of syntax in `{"a": 1, "b": 2}[name]`.

An expression with no other kind computes nothing: it selects one of its literals.
"""


def origins_of(traced: ScriptExpression, stored: StoredExpressions) -> Origins:
    """Return what an expression is computed from.

    Follows its names to the values that they may hold, and these to their literals and
    calls. `stored` is what the scripts stored in the scratchpad.
    """
    found = FoundOrigins()
    followed: set[Hashable] = set()
    waiting = [traced]
    while waiting:
        part = waiting.pop()
        if not isinstance(part.expression, _SELECTING_NODES):
            found.only_selects = False
        # Names may refer to each other in a circle, so each is followed once.
        place = _place_of(part)
        if place in followed:
            continue
        if place is not None:
            followed.add(place)
        inputs = _inputs_of(part, stored, found)
        if inputs is None:
            found.is_traceable = False
        else:
            waiting += inputs
    return found.all()


def _place_of(part: ScriptExpression) -> Hashable | None:
    """Return the name, or the key of the scratchpad, whose values a part may hold; else None."""
    node = part.expression
    # `scratchpad["rows"]` has the key `rows`, and `scratchpad` alone the key None.
    key = key_of_scratchpad(node)
    if key is not None or is_scratchpad(node):
        return (SCRATCHPAD, key)
    if isinstance(node, ast.Name):
        return (part.definitions, node.id)
    return None


def _inputs_of(
    part: ScriptExpression, stored: StoredExpressions, found: FoundOrigins
) -> list[ScriptExpression] | None:
    """Return the parts on which a part depends; None if it may depend on anything.

    Literals, and reading the environment, are added to `found`.
    """
    node = part.expression
    key = key_of_scratchpad(node)
    if key is not None:
        return stored.of(key) or None  # None if no script of this trial stored it
    if is_scratchpad(node):
        return stored.all() or None

    match node:
        case ast.Constant():
            found.add_literal(node)
            return []
        case ast.Name():
            values = part.definitions.of(node.id)
            return None if values is None else part.parts(values)
        case ast.Call() if is_environment_call(node):
            # The script may have replaced `harness`, or the call may return what it made up.
            is_replaced = part.definitions.rebinds_environment
            if is_replaced or not returns_what_was_read(node):
                return None
            found.reads_environment = True
            return part.parts(arguments_of(node))
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
    """Return True for `int("3n5", 36)`, which is 4721, and `ord("#")`, which is 35.

    With such calls, a script could invent a number without writing a digit of it.
    """
    match node:
        case ast.Call(func=ast.Name(id="int"), args=[ast.Constant(value=str()), _]):
            return True
        case ast.Call(func=ast.Name(id="ord")):
            return True
    return False
