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
from dataclasses import dataclass, field
from typing import Final

from controlplane.gates.support.scripts.environment_calls import (
    is_environment_call,
    returns_what_was_read,
)
from controlplane.gates.support.scripts.origins import FoundOrigins, Origins
from controlplane.gates.support.scripts.script_expressions import ScriptExpression
from controlplane.gates.support.scripts.script_syntax import SCRATCHPAD, arguments_of
from controlplane.gates.support.scripts.stored_expressions import (
    StoredExpressions,
    is_scratchpad,
    key_of_scratchpad,
)

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
    calls.
    """
    found = FoundOrigins()
    trace = _Trace(stored, found)
    waiting = [traced]
    while waiting:
        waiting += trace.visit(waiting.pop())
    return found.all()


@dataclass(frozen=True, slots=True)
class _Trace:
    """Visits the parts of one expression, and adds their origins to `found`.

    For `sum(rows) * 36`, the parts are `sum`, `rows` and 36, and then what `rows` may
    hold. Names may refer to each other in a circle, so each is followed once.
    """

    stored: StoredExpressions
    """What the scripts stored in the scratchpad."""
    found: FoundOrigins
    followed: set[Hashable] = field(default_factory=set)
    """The names, and the keys of the scratchpad, whose values were visited."""

    def visit(self, traced: ScriptExpression) -> list[ScriptExpression]:
        """Visit one part, and return the parts on which it depends."""
        node = traced.expression
        if not isinstance(node, _SELECTING_NODES):
            self.found.only_selects = False
        # `scratchpad["rows"]` has the key `rows`, and `scratchpad` alone the key None.
        key = key_of_scratchpad(node)
        if key is not None or is_scratchpad(node):
            return self._visit_scratchpad(key)
        match node:
            case ast.Constant():
                self.found.add_literal(node)
                return []
            case ast.Name():
                return self._visit_name(node.id, traced)
            case ast.Call() if is_environment_call(node):
                return self._visit_environment_call(node, traced)
        if _makes_number_of_text(node):
            return self._not_traceable()
        return traced.parts(_inputs_of(node))

    def _visit_scratchpad(self, key: str | None) -> list[ScriptExpression]:
        """Return what the scratchpad may hold under a key, or under all keys for None."""
        if not self._is_first_visit((SCRATCHPAD, key)):
            return []
        expressions = self.stored.all() if key is None else self.stored.of(key)
        # Without any, no script of this trial stored it.
        return expressions or self._not_traceable()

    def _visit_name(
        self, name: str, traced: ScriptExpression
    ) -> list[ScriptExpression]:
        """Return what a name may hold."""
        if not self._is_first_visit((traced.definitions, name)):
            return []
        values = traced.definitions.of(name)
        if values is None:  # the name may hold anything
            return self._not_traceable()
        return traced.parts(values)

    def _visit_environment_call(
        self, call: ast.Call, traced: ScriptExpression
    ) -> list[ScriptExpression]:
        """Return the arguments of a call that reads the environment.

        The call is untraceable if the script has replaced `harness`, or if the call may
        return what the script made up.
        """
        if traced.definitions.rebinds_environment or not returns_what_was_read(call):
            return self._not_traceable()
        self.found.reads_environment = True
        return traced.parts(arguments_of(call))

    def _is_first_visit(self, place: Hashable) -> bool:
        if place in self.followed:
            return False
        self.followed.add(place)
        return True

    def _not_traceable(self) -> list[ScriptExpression]:
        self.found.is_traceable = False
        return []


def _inputs_of(node: ast.AST) -> list[ast.AST]:
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
