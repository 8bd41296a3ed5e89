"""`functools.singledispatch` and its method form for scripts: no annotation is evaluated to find a type."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from sandbox.replacements import STEP, update_wrapper


class Dispatch:
    """Implementations of one function by the type of its first argument."""

    def __init__(self, function: Any) -> None:
        self._table: dict[type, Any] = {object: function}

    def find(self, kind: type) -> Any:
        """Return the implementation for a type."""
        return next(self._table[each] for each in kind.__mro__ if each in self._table)

    def register(self, kind: Any, implementation: Any = None) -> Any:
        """Enter an implementation; its type is given, or the annotation of its first parameter that is one.

        Raises `TypeError` where there is none.
        """
        if implementation is None:
            if isinstance(kind, type):
                return lambda given: self.register(kind, given)
            implementation = kind
            annotations = getattr(implementation, "__annotations__", {})
            kind = next(iter(annotations.values()), None)
            if type(kind) is str:
                kind = STEP.evaluate(kind)
        if not isinstance(kind, type):
            msg = "register(...) needs a class, or a first parameter annotated with one"
            raise TypeError(msg)
        self._table[kind] = implementation
        return implementation

    def registry(self) -> Any:
        """Return the implementations by type, to be read."""
        return MappingProxyType(self._table)


def singledispatch(function: Any) -> Any:
    """Do what `functools.singledispatch` does."""
    held = Dispatch(function)

    def wrapper(*arguments: Any, **values: Any) -> Any:
        if not arguments:
            msg = "a function with single dispatch needs at least 1 positional argument"
            raise TypeError(msg)
        return held.find(type(arguments[0]))(*arguments, **values)

    wrapper.register = held.register  # type: ignore[attr-defined]
    wrapper.dispatch = held.find  # type: ignore[attr-defined]
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

        method.register = self.register  # type: ignore[attr-defined]
        return update_wrapper(method, self._function)
