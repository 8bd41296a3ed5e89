"""Annotations written as text: the library evaluates them without the guard, so they must be names and no more."""

from __future__ import annotations

import ast
import typing
from typing import Any, Final

from sandbox.language.attribute_names import is_plain, is_special

_GET_TYPE_HINTS: Final = typing.get_type_hints
_EVALUATE: Final[Any] = getattr(typing.ForwardRef, "evaluate", None)
"""From Python 3.14 on, all evaluation goes this way."""
_SYNTAX: Final = (
    *(ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant, ast.Starred),
    *(ast.BinOp, ast.BitOr, ast.UnaryOp, ast.USub, ast.Load),
)
"""The syntax of annotations: names and what is put together from them; nothing is called."""


def check_text(text: str) -> None:
    """Raise `TypeError` for an annotation that is more than names. What is no Python cannot be evaluated either."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return
    for each in ast.walk(tree):
        is_reached = isinstance(each, ast.Attribute) and not is_plain(each.attr)
        is_named = isinstance(each, ast.Name) and is_special(each.id)
        if not isinstance(each, _SYNTAX) or is_reached or is_named:
            msg = f"the annotation {text!r} is more than names"
            raise TypeError(msg)
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            check_text(each.value)


def _check(hint: Any) -> None:
    """Raise `TypeError` unless all that is written as text in a hint is names."""
    if isinstance(hint, str):
        check_text(str.__str__(hint))
    elif isinstance(hint, typing.ForwardRef):
        check_text(hint.__forward_arg__)
    elif isinstance(hint, list | tuple):
        for each in hint:
            _check(each)
    elif typing.get_origin(hint) is not typing.Literal:
        parts = typing.get_args(hint)
        _check(parts[:1] if typing.get_origin(hint) is typing.Annotated else parts)


def _get_type_hints(target: Any, *names: Any, include_extras: bool = False, **others: Any) -> Any:
    """Do what `typing.get_type_hints` does; text is evaluated among the names of the target's module."""
    owners = type.mro(target) if isinstance(target, type) else []
    annotated = [vars(each).get("__annotations__", {}) for each in owners] or [getattr(target, "__annotations__", {})]
    for hints in annotated:
        _check(list(hints.values()))
    return _GET_TYPE_HINTS(target, include_extras=include_extras)


def _evaluate(reference: Any, **options: Any) -> Any:
    check_text(reference.__forward_arg__)
    return _EVALUATE(reference, **options)


def install() -> None:
    """Guard the library's own evaluation of text in this process."""
    reference: Any = typing.ForwardRef
    place: tuple[Any, str, Any] = (typing, "get_type_hints", _get_type_hints)
    if _EVALUATE is not None:
        place = (reference, "evaluate", _evaluate)
    setattr(*place)
