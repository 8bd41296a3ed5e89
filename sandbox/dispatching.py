"""`functools.singledispatch` and its method form for scripts: no annotation is evaluated to find a type."""

from __future__ import annotations

import functools
import typing
from types import MappingProxyType, UnionType
from typing import Any

from sandbox.classes import as_function
from sandbox.replacements import STEP, update_wrapper
from sandbox.typehints import annotations_of


class Dispatch:
    """Implementations of one function by the type of its first argument."""

    def __init__(self, function: Any) -> None:
        self._table: dict[type, Any] = {object: function}

    def find(self, kind: type) -> Any:
        """Return the implementation for a type: of its nearest class, or abstract class, that has one."""
        return functools._find_impl(kind, self._table)  # type: ignore[attr-defined]

    def register(self, kind: Any, implementation: Any = None) -> Any:
        """Enter an implementation; its type, or union of types, is given or annotated on its first parameter.

        Raises `TypeError` where there is none.
        """
        if implementation is None:
            if _classes(kind):
                return lambda given: self.register(kind, given)
            implementation = kind
            kind = next(iter(_annotations(implementation).values()), None)
            if type(kind) is str:
                kind = STEP.evaluate(kind)
        classes = _classes(kind)
        if not classes:
            msg = "register(...) needs a class, or a first parameter annotated with one"
            raise TypeError(msg)
        self._table.update(dict.fromkeys(classes, implementation))
        return implementation

    def registry(self) -> Any:
        """Return the implementations by type, to be read."""
        return MappingProxyType(self._table)


def _annotations(implementation: Any) -> Any:
    is_marked = isinstance(implementation, classmethod | staticmethod)
    function = implementation.__func__ if is_marked else implementation
    return annotations_of(function) if STEP.guard.wrote(function) else getattr(function, "__annotations__", {})


def _classes(kind: Any) -> tuple[Any, ...]:
    """Return the classes that a class or a union of classes stands for; none for anything else."""
    parts = typing.get_args(kind) if typing.get_origin(kind) in (typing.Union, UnionType) else (kind,)
    return parts if all(isinstance(each, type) for each in parts) else ()


def singledispatch(function: Any) -> Any:
    """Do what `functools.singledispatch` does."""
    held = Dispatch(function)

    def wrapper(*arguments: Any, **values: Any) -> Any:
        if not arguments:
            msg = "a function with single dispatch needs at least 1 positional argument"
            raise TypeError(msg)
        return held.find(type(arguments[0]))(*arguments, **values)

    wrapper.register = as_function(held.register)  # type: ignore[attr-defined]
    wrapper.dispatch = as_function(held.find)  # type: ignore[attr-defined]
    wrapper.registry = held.registry()  # type: ignore[attr-defined]
    for name in ("__name__", "__qualname__", "__doc__"):
        value = getattr(function, name, None)
        if type(value) is str:
            setattr(wrapper, name, value)
    return wrapper


class singledispatchmethod:  # noqa: N801 - the name that scripts import
    """`functools.singledispatchmethod`: dispatches on the first argument after `self` or `cls`."""

    def __init__(self, function: Any) -> None:
        self._held = Dispatch(function)
        self._function = function

    def register(self, kind: Any, method: Any = None) -> Any:
        """Enter an implementation."""
        return self._held.register(kind, method)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        def method(*arguments: Any, **values: Any) -> Any:
            if not arguments:
                msg = "a method with single dispatch needs at least 1 positional argument"
                raise TypeError(msg)
            found = self._held.find(type(arguments[0]))
            return found.__get__(instance, owner)(*arguments, **values)

        method.register = as_function(self.register)  # type: ignore[attr-defined]
        return update_wrapper(method, self._function)
