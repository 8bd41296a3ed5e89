"""The scratchpad in the syntax of a script: `scratchpad["rows"]` has the key `rows`."""

from __future__ import annotations

import ast
from typing import Final

from controlplane.gates.support.scripts.script_syntax import SCRATCHPAD

_METHODS_WITH_KEY: Final = frozenset({"get", "pop", "setdefault"})
"""Methods of the scratchpad that return what is stored under a key: `scratchpad.get("rows")`."""


def is_scratchpad(node: ast.AST) -> bool:
    """Return True for the name `scratchpad`."""
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
