"""The expressions that the scripts of a trial stored in the scratchpad."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Final

from controlplane.gates.support.scripts.script_changes import READING_METHODS
from controlplane.gates.support.scripts.script_expressions import ScriptExpression
from controlplane.gates.support.scripts.script_names import Definitions
from controlplane.gates.support.scripts.script_syntax import (
    SCRATCHPAD,
    arguments_of,
    unpacked,
)

_METHODS_WITH_KEY: Final = frozenset({"get", "pop", "setdefault"})
"""Methods of the scratchpad that return what is stored under a key: `scratchpad.get("rows")`."""
_CITING_METHODS: Final = frozenset({"cite", "uncite", "cite_all"})
"""Methods of the scratchpad that change only the citations, and store no value under a key."""


@dataclass(eq=False)
class StoredExpressions:
    """The expressions that the scripts of a trial stored under each key of the scratchpad."""

    assigned: dict[str, list[ScriptExpression]] = field(default_factory=dict)
    """By key, the values of `scratchpad["key"] = value`. The key then holds the value alone."""
    changed: dict[str, list[ScriptExpression]] = field(default_factory=dict)
    """By key, the values that were added to what it held: `scratchpad["key"].append(value)`."""
    under_any_key: list[ScriptExpression] = field(default_factory=list)
    """The values stored by `scratchpad.update(values)` or under a computed key."""

    def of(self, key: str) -> list[ScriptExpression]:
        """Return everything that a key may hold."""
        assigned = self.assigned.get(key, [])
        return assigned + self.changed.get(key, []) + self.under_any_key

    def all(self) -> list[ScriptExpression]:
        """Return everything that the scratchpad may hold."""
        expressions = list(self.under_any_key)
        for by_key in (self.assigned, self.changed):
            for stored in by_key.values():
                expressions += stored
        return expressions

    def collect(self, tree: ast.Module, definitions: Definitions) -> None:
        """Record what a script stores in the scratchpad."""
        script = ScriptExpression(tree, definitions)
        for node in ast.walk(tree):
            match node:
                case ast.Assign():  # `unpacked` gives (a, 1) and (b, 2) for `a, b = 1, 2`
                    for target in node.targets:
                        for assignment in unpacked(target, node.value):
                            value = script.part(assignment.value)
                            self._store(assignment.target, value)
                case ast.AugAssign():
                    self._change(node.target, [script.part(node.value)])
                case ast.Call(func=ast.Attribute(value=owner, attr=method)):
                    if method not in READING_METHODS | _CITING_METHODS:
                        self._change(owner, script.parts(arguments_of(node)))

    def _store(self, target: ast.expr, value: ScriptExpression) -> None:
        """Record an assignment to a key of the scratchpad, or to a part of what a key holds."""
        key = key_of_scratchpad(target)
        if key is not None:
            self.assigned.setdefault(key, []).append(value)
        else:
            self._change(target, [value])

    def _change(self, target: ast.expr, values: list[ScriptExpression]) -> None:
        """Record values that are stored in a target, if it is a part of the scratchpad.

        - `scratchpad["rows"].append(row)`: the target
          `scratchpad["rows"]` names the key `rows`.
        - `scratchpad.update(values)`, `scratchpad[name] = value`: the target names the
          scratchpad, but no key, so any key may hold the values.
        - `rows.append(row)`: the target has nothing to do with the scratchpad.
        """
        key = _first_key_in(target)
        if key is not None:
            self.changed.setdefault(key, []).extend(values)
        elif any(is_scratchpad(part) for part in ast.walk(target)):
            self.under_any_key += values


def _first_key_in(target: ast.expr) -> str | None:
    """Return the key of the scratchpad that a target names; None if it names no key.

    For `scratchpad["a"][scratchpad["b"]]`, this is `a`: `ast.walk` yields it first.
    """
    for part in ast.walk(target):
        key = key_of_scratchpad(part)
        if key is not None:
            return key
    return None


def is_scratchpad(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == SCRATCHPAD


def key_of_scratchpad(node: ast.AST) -> str | None:
    """Return the key of `scratchpad["key"]` or `scratchpad.get("key")`, else None."""
    match node:
        case ast.Subscript(value=owner, slice=ast.Constant(value=str() as key)):
            return key if is_scratchpad(owner) else None
        case ast.Call(
            func=ast.Attribute(value=owner, attr=method),
            args=[ast.Constant(value=str() as key), *_],
        ):
            has_key = is_scratchpad(owner) and method in _METHODS_WITH_KEY
            return key if has_key else None
    return None
