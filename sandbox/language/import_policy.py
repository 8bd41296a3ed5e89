# ruff: noqa: N802 - the names that RestrictedPython visits
"""The policy for imports: listed names of listed modules; else a refusal, or the `ImportError` that a script awaits."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, Final

from RestrictedPython.transformer import copy_locations

from sandbox.language.newer_syntax import NewerPermissions

Importable = Callable[[str, str | None], str]
"""Returns why a module, or a name from it, cannot be imported; empty if it can."""

_AWAITED: Final = frozenset({"ImportError", "ModuleNotFoundError"})


class ImportPermissions(NewerPermissions):
    """Permits imports. Each method says in one sentence what it lets through."""

    def __init__(self, importable: Importable) -> None:
        super().__init__()
        self._importable = importable
        self._hoped_for: set[ast.stmt] = set()
        """Imports whose failure the script awaits, or that only a type checker runs."""

    def visit_Try(self, node: ast.Try) -> Any:
        """Permit `try`; what cannot be imported, inside one that names `ImportError`, raises that when it runs."""
        if any(_awaits_failed_imports(each.type) for each in node.handlers):
            within = [*node.body, *(each for handler in node.handlers for each in handler.body)]
            self._hoped_for.update(each for each in within if isinstance(each, ast.Import | ast.ImportFrom))
        return self.node_contents_visit(node)

    def visit_If(self, node: ast.If) -> Any:
        """Permit `if`; what cannot be imported for a type checker alone raises `ImportError` if it ever runs."""
        test = node.test
        if "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", "")):
            self._hoped_for.update(each for each in node.body if isinstance(each, ast.Import | ast.ImportFrom))
        return self.node_contents_visit(node)

    def visit_Import(self, node: ast.Import) -> Any:
        """Permit `import` of the modules that the sandbox hands out."""
        self.check_laziness(node)
        refusals = [self._importable(alias.name, None) for alias in node.names]
        for alias in node.names:
            self.check_name(node, alias.asname or alias.name.split(".")[0])
        return self._judged(node, refusals)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        """Permit `from ... import` of names that the sandbox hands out."""
        self.check_laziness(node)
        refusals: list[str] = []
        for alias in node.names:
            if node.level or node.module is None:
                refusals.append("relative imports are not available; there is only this script")
            elif alias.name == "*":
                self.error(node, f"'*' cannot be imported; name what is needed of {node.module}")
            else:
                refusals.append(self._importable(node.module, alias.name))
            self.check_name(node, alias.asname or alias.name)
        return self._judged(node, refusals)

    def _judged(self, node: ast.Import | ast.ImportFrom, refusals: list[str]) -> ast.stmt:
        """Return the import, or what raises `ImportError` in its place where the script awaits that."""
        found = list(filter(None, refusals))
        if found and node in self._hoped_for:
            error = ast.Call(ast.Name("ModuleNotFoundError", ast.Load()), [ast.Constant(found[0])], [])
            raising = ast.Raise(exc=error)
            copy_locations(raising, node)
            return raising
        for refusal in found:
            self.error(node, refusal)
        return node


def _awaits_failed_imports(kind: ast.expr | None) -> bool:
    names = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(isinstance(each, ast.Name) and each.id in _AWAITED for each in names)
