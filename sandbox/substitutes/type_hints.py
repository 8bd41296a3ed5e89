"""The questions of `typing` about annotations: the class of classes stays sealed, and text is judged as a script is."""

from __future__ import annotations

import functools
import operator
import sys
import typing
from inspect import get_annotations
from types import GenericAlias, NoneType, UnionType
from typing import Any

from sandbox.library.current_step import STEP


def annotations_of(target: Any) -> dict[str, Any]:
    """Return the own annotations of a class or function; from Python 3.14 on, one may name what is not there yet."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(target, format=annotationlib.Format.FORWARDREF)
    return get_annotations(target)


def get_origin(alias: Any) -> Any:
    """Do what `typing.get_origin` does."""
    return STEP.guard.sealed_type(typing.get_origin(alias))


def get_args(alias: Any) -> tuple[Any, ...]:
    """Do what `typing.get_args` does."""
    return tuple(STEP.guard.sealed_type(each) for each in typing.get_args(alias))


def get_type_hints(target: Any, globalns: Any = None, localns: Any = None, include_extras: bool = False) -> Any:
    """Return the annotations of a function or class of the script, those written as text evaluated as its code is.

    Raises `TypeError` for anything else.
    """
    if isinstance(target, type):
        owners: list[Any] = [each for each in reversed(target.__mro__) if STEP.guard.owns(each)]
    else:
        owners = [target] if STEP.guard.wrote(target) else []
    if not owners:
        msg = "get_type_hints works on functions and classes of the script"
        raise TypeError(msg)
    hints: dict[str, Any] = {}
    for owner in owners:
        for name, given in get_annotations(owner).items():
            hints[name] = _resolved(given)
    if include_extras:
        return hints
    return {name: typing._strip_annotations(each) for name, each in hints.items()}  # type: ignore[attr-defined]


def _resolved(hint: Any) -> Any:
    """Return a hint with all that is written as text in it evaluated as the script's code is."""
    kind = type(hint)
    if hint is None:
        return NoneType
    if kind is str or kind is typing.ForwardRef:
        return _resolved(STEP.evaluate(hint if kind is str else hint.__forward_arg__))
    if kind is UnionType:
        return functools.reduce(operator.or_, map(_resolved, hint.__args__))
    if kind is GenericAlias:
        return GenericAlias(hint.__origin__, tuple(map(_resolved, hint.__args__)))
    if issubclass(kind, typing._GenericAlias) and hint.__origin__ is not typing.Literal:  # type: ignore[attr-defined]
        return hint.copy_with(tuple(map(_resolved, hint.__args__)))
    return hint
