# ruff: noqa: N802, N815 - the names that RestrictedPython visits
"""The policy for syntax that is newer than Python 3.11.

Expressions in type parameters and aliases are evaluated later, when they are asked for, and guarded like all others.
"""

from __future__ import annotations

import ast
from typing import Any, Final

from RestrictedPython.transformer import RestrictingNodeTransformer

TYPE_PARAMETERS: Final[tuple[type[ast.AST], ...]] = tuple(
    vars(ast)[name] for name in ("TypeVar", "ParamSpec", "TypeVarTuple") if name in vars(ast)
)
"""The kinds of nodes of type parameters; Python 3.11 has none."""


class NewerPermissions(RestrictingNodeTransformer):
    """Permits named types and unpacking. Each method says in one sentence what it lets through, or keeps out."""

    def visit_TypeAlias(self, node: Any) -> Any:
        """Permit `type X = ...`; what it stands for is an expression like any other."""
        return self.node_contents_visit(node)

    def visit_TypeVar(self, node: Any) -> Any:
        """Permit type parameters of ordinary names, with their bounds and defaults."""
        self.check_name(node, node.name)
        return self.node_contents_visit(node)

    visit_ParamSpec = visit_TypeVarTuple = visit_TypeVar

    def visit_ListComp(self, node: Any) -> Any:
        """Permit comprehensions, with unpacking too: it reaches nothing that iteration would not."""
        return self.node_contents_visit(node)

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_TemplateStr(self, node: Any) -> Any:
        """Refuse template strings, which RestrictedPython lets through, until somebody has reviewed them."""
        self.not_allowed(node)

    visit_Interpolation = visit_TemplateStr

    def check_laziness(self, node: ast.Import | ast.ImportFrom) -> None:
        """Refuse imports that run at the first use of a name: another builtin than `__import__` makes them."""
        if getattr(node, "is_lazy", 0):
            self.error(node, "lazy imports are not allowed; import without `lazy`")
