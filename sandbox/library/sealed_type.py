"""`type` as scripts see it: a question about an object, and no way to make a class."""

from __future__ import annotations

from types import GenericAlias
from typing import Any


class _SealedTypeMeta(type):
    """Makes `type` a function of one argument that still works in `isinstance` and annotations."""

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        if len(arguments) != 1 or options:
            msg = "type() takes one argument here; write a class statement instead of type(name, bases, body)"
            raise TypeError(msg)
        return sealed(type(arguments[0]))

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, type)

    def __subclasscheck__(cls, subclass: Any) -> bool:
        return isinstance(subclass, type) and issubclass(subclass, type)

    def __getitem__(cls, item: Any) -> Any:
        return GenericAlias(cls, item)

    def __repr__(cls) -> str:
        return "<class 'type'>"


class SealedType(metaclass=_SealedTypeMeta):
    """`type` as scripts see it."""


SealedType.__name__ = SealedType.__qualname__ = "type"
SealedType.__module__ = "builtins"


def sealed(kind: Any) -> Any:
    """Return `SealedType` in place of a class of classes, and anything else as it is."""
    return SealedType if issubclass(type(kind), type) and issubclass(kind, type) else kind
