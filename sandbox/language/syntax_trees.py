"""What the policy asks about a script's syntax tree; nothing here alters one."""

from __future__ import annotations

import ast

from sandbox.language.attribute_names import is_plain
from sandbox.language.newer_syntax import type_parameters


def starts_from_a_name(node: ast.expr) -> bool:
    """Say whether an expression is a name or goes on from one; a literal is never a class of the script."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name)


def sets_plain_match_args(node: ast.Assign) -> bool:
    """Say whether this is `__match_args__ = ("a", "b")`, in which no pattern can find anything guarded."""
    (target, *others) = node.targets
    return (
        not others
        and isinstance(target, ast.Name)
        and target.id == "__match_args__"
        and isinstance(node.value, ast.Tuple)
        and all(
            isinstance(each, ast.Constant) and type(each.value) is str and is_plain(each.value)
            for each in node.value.elts
        )
    )


def bound_names(tree: ast.Module) -> set[str]:
    """Return the names that the script itself binds somewhere."""
    names: set[str] = set()
    for each in ast.walk(tree):
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            names.add(each.id)
        elif isinstance(each, (ast.FunctionDef, ast.ClassDef)):
            names.add(each.name)
        elif isinstance(each, ast.arg):
            names.add(each.arg)
        elif isinstance(each, ast.alias):
            names.add(each.asname or each.name.split(".")[0])
        elif isinstance(each, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and each.name:
            names.add(each.name)
    return names | type_parameters(tree)
