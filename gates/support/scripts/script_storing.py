"""Finds what a script stores in the scratchpad: `len(rows)` by `scratchpad["n"] = len(rows)`.

The scratchpad is a dictionary in which a script keeps values for later scripts of the trial.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from controlplane.gates.support.scripts.reading_methods import READING_METHODS
from controlplane.gates.support.scripts.scratchpad_syntax import (
    is_scratchpad,
    key_of_scratchpad,
)
from controlplane.gates.support.scripts.script_expressions import ScriptExpression
from controlplane.gates.support.scripts.script_names import Definitions
from controlplane.gates.support.scripts.script_syntax import arguments_of, unpacked
from controlplane.gates.support.scripts.stored_expressions import StoredExpressions

_CITING_METHODS: Final = frozenset({"cite", "uncite", "cite_all"})
"""Methods of the scratchpad that change only the citations, and store no value under a key."""
_METHODS_WITHOUT_EFFECT: Final = READING_METHODS | _CITING_METHODS
"""Methods that store none of their arguments. Every other method may do so."""


def collect_stored(
    tree: ast.Module, definitions: Definitions, stored: StoredExpressions
) -> None:
    """Add what a script stores in the scratchpad to `stored`.

    `definitions` has what the names of the script may hold. It is kept with each stored
    expression: with `len(rows)`, it shows later what `rows` is.
    """
    script = ScriptExpression(tree, definitions)
    for node in ast.walk(tree):
        match node:
            case ast.Assign():  # scratchpad["n"] = len(rows)
                for target in node.targets:
                    for assignment in unpacked(target, node.value):
                        value = script.part(assignment.value)
                        _record_assignment(assignment.target, value, stored)
            case ast.AugAssign():  # scratchpad["n"] += 1
                _record_change(node.target, [script.part(node.value)], stored)
            case ast.Call(func=ast.Attribute(value=owner, attr=method)):
                # scratchpad["rows"].append(row)
                if method not in _METHODS_WITHOUT_EFFECT:
                    arguments = script.parts(arguments_of(node))
                    _record_change(owner, arguments, stored)


def _record_assignment(
    target: ast.expr, value: ScriptExpression, stored: StoredExpressions
) -> None:
    """Record `target = value`: it sets a key of the scratchpad, or changes what a key holds."""
    key = key_of_scratchpad(target)
    if key is not None:  # scratchpad["rows"] = rows
        stored.assign(key, value)
    else:  # scratchpad["rows"][0] = row
        _record_change(target, [value], stored)


def _record_change(
    target: ast.expr, values: Sequence[ScriptExpression], stored: StoredExpressions
) -> None:
    """Record values that are stored in a target, if it is a part of the scratchpad.

    | code                              | target                | recorded      |
    | --------------------------------- | --------------------- | ------------- |
    | `scratchpad["rows"].append(row)`  | `scratchpad["rows"]`  | for `rows`    |
    | `scratchpad.update(values)`       | `scratchpad`          | for any key   |
    | `scratchpad[name] = value`        | `scratchpad[name]`    | for any key   |
    | `rows.append(row)`                | `rows`                | not at all    |
    """
    key = _first_key_in(target)
    if key is not None or any(is_scratchpad(part) for part in ast.walk(target)):
        stored.change(key, values)


def _first_key_in(target: ast.expr) -> str | None:
    """Return the key of the scratchpad that a target names; None if it names no key.

    For `scratchpad["a"][scratchpad["b"]]`, this is `a`: `ast.walk` yields it first.
    """
    for part in ast.walk(target):
        key = key_of_scratchpad(part)
        if key is not None:
            return key
    return None
