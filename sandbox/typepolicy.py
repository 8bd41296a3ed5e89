# ruff: noqa: N802, N815
"""The part of the language wall that is about type parameters and aliases: syntax of Python 3.12 and later.

What stands in them runs later, when somebody asks for it: it is guarded as everything else in a script is.
"""

from __future__ import annotations

import ast
from typing import Any, Final

from RestrictedPython.transformer import RestrictingNodeTransformer

_PARAMETERS: Final = frozenset({"TypeVar", "ParamSpec", "TypeVarTuple"})
"""Kinds of nodes by name, because `ast` has none of them in Python 3.11."""


class TypePermissions(RestrictingNodeTransformer):
    """Permits named types. Each method says in one sentence what it lets through."""

    def visit_TypeAlias(self, node: Any) -> Any:
        """Permit `type X = ...`; what it stands for is an expression like any other."""
        return self.node_contents_visit(node)

    def visit_TypeVar(self, node: Any) -> Any:
        """Permit type parameters of ordinary names, with their bounds and defaults."""
        self.check_name(node, node.name)
        return self.node_contents_visit(node)

    visit_ParamSpec = visit_TypeVarTuple = visit_TypeVar


def type_parameters(tree: ast.AST) -> set[str]:
    """Return the names of all type parameters in a tree."""
    return {each.name for each in ast.walk(tree) if type(each).__name__ in _PARAMETERS}  # type: ignore[attr-defined]
