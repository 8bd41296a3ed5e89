"""The questions of `typing` about annotations: the class of classes stays sealed, and text is judged as a script is."""

from __future__ import annotations

import typing
from inspect import get_annotations
from typing import Any

from sandbox.replacements import STEP


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
            found = STEP.evaluate(given) if type(given) is str else given
            hints[name] = type(None) if found is None else found
    if include_extras:
        return hints
    return {name: typing._strip_annotations(each) for name, each in hints.items()}  # type: ignore[attr-defined]
