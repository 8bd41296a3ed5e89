"""`functools.singledispatch` and its method form for scripts: no annotation is evaluated to find a type."""

from __future__ import annotations

import functools
import typing
from types import MappingProxyType, UnionType
from typing import Any

from sandbox.language.class_inspection import as_function
from sandbox.library.current_step import STEP
from sandbox.substitutes.library_functions import take_titles
from sandbox.substitutes.type_hints import annotations_of


class Dispatch:
    """Implementations of one function by the type of its first argument."""

    def __init__(self, function: Any) -> None:
        self._table: dict[type, Any] = {object: function}
        self._shown = dict(self._table)

    def find(self, kind: Any) -> Any:
        """Return the implementation for a type: of its nearest class, or abstract class, that has one.

        Raises `TypeError` for anything else: the library would compare what it says its ancestors are with every class.
        """
        if not issubclass(type(kind), type):
            msg = "dispatch() takes a class"
            raise TypeError(msg)
        return functools._find_impl(kind, self._table)  # type: ignore[attr-defined]

    def register(self, kind: Any, implementation: Any = None) -> Any:
        """Enter an implementation; its type, or union of types, is given or annotated on its first parameter.

        Raises `TypeError` where there is none.
        """
        if implementation is None:
            if _classes(kind):
                return lambda given: self.register(kind, given)
            implementation = kind
            annotations = _annotations(implementation)
            kind = next(iter(annotations.values()), None)
            if type(kind) is str:
                kind = STEP.evaluate(kind)
            if not annotations:
                msg = (
                    f"Invalid first argument to `register()`: {implementation!r}. Use either `@register(some_class)` "
                    "or plain `@register` on an annotated function."
                )
                raise TypeError(msg)
        classes = _classes(kind)
        if not classes:
            msg = f"register(...) needs a class, or a first parameter annotated with one, not {kind!r}"
            raise TypeError(msg)
        for table in (self._table, self._shown):
            table.update(dict.fromkeys(classes, implementation))
        return implementation

    def registry(self) -> Any:
        """Return the implementations by type, to be read; as a proxy gives its dict away, it shows another."""
        return MappingProxyType(self._shown)


def _annotations(implementation: Any) -> Any:
    is_marked = isinstance(implementation, classmethod | staticmethod)
    function = implementation.__func__ if is_marked else implementation
    return annotations_of(function) if STEP.guard.wrote(function) else getattr(function, "__annotations__", {})


def _classes(kind: Any) -> tuple[Any, ...]:
    """Return the classes that a class or a union of classes stands for; none for anything else."""
    parts = tuple(typing.get_args(kind)) if typing.get_origin(kind) in (typing.Union, UnionType) else (kind,)
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
    wrapper.__wrapped__ = function  # type: ignore[attr-defined]
    take_titles(wrapper, function)
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
        take_titles(method, self._function)
        return method
