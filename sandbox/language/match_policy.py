# ruff: noqa: N802, N815 - the names that RestrictedPython visits
"""The policy for `match`: the interpreter reads the attributes of patterns itself, so patterns name plain ones only."""

from __future__ import annotations

import ast
from typing import Any

from RestrictedPython.transformer import RestrictingNodeTransformer

from sandbox.language.attribute_names import is_plain


class MatchPermissions(RestrictingNodeTransformer):
    """Permits patterns. Each method says in one sentence what it lets through."""

    def visit_Match(self, node: ast.AST) -> Any:
        """Permit `match`."""
        return self.node_contents_visit(node)

    visit_match_case = visit_MatchSequence = visit_MatchSingleton = visit_MatchOr = visit_Match

    def visit_MatchValue(self, node: ast.MatchValue) -> Any:
        """Permit constants and plain dotted names as patterns."""
        for each in ast.walk(node.value):
            if isinstance(each, ast.Attribute) and not is_plain(each.attr):
                self.error(each, f"attribute {each.attr!r} cannot stand in a pattern; compare it in an `if` guard")
        return self.node_contents_visit(node)

    def visit_MatchClass(self, node: ast.MatchClass) -> Any:
        """Permit class patterns over plain attributes; positional ones were judged when the class was made."""
        for name in node.kwd_attrs:
            if not is_plain(name):
                self.error(node, f"attribute {name!r} cannot stand in a pattern; compare it in an `if` guard")
        for each in ast.walk(node.cls):
            if isinstance(each, ast.Attribute) and not is_plain(each.attr):
                self.error(each, f"attribute {each.attr!r} cannot stand in a pattern; bind it to a name first")
        return self.node_contents_visit(node)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> Any:
        """Permit mapping patterns."""
        self.check_name(node, node.rest)
        return self.node_contents_visit(node)

    def visit_MatchAs(self, node: Any) -> Any:
        """Permit capture patterns of names that may be bound."""
        self.check_name(node, node.name)
        return self.node_contents_visit(node)

    visit_MatchStar = visit_MatchAs
