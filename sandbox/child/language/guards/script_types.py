"""`type` as scripts have it: it returns the class of an object, but creates no classes.

By calling a real metaclass, such as `type`, a script could make classes without the
language policy.
"""

from __future__ import annotations

from types import GenericAlias
from typing import Any


class _TypeOfTypes(type):
    """The metaclass of `script_type`, which takes the place of `type` in scripts.

    A metaclass defines what calls of its class, `isinstance` and `issubclass` return.
    """

    def __call__(cls, *arguments: Any) -> Any:
        """Return the class of an object, for `type(x)`."""
        if len(arguments) != 1:
            msg = "type(object) takes one argument; write a class statement to make a class"
            raise TypeError(msg)
        return without_metaclass(type(arguments[0]))

    def __instancecheck__(cls, value: Any) -> bool:
        """Return True if the value is a class, for `isinstance(value, type)`."""
        return isinstance(value, type)

    def __subclasscheck__(cls, kind: Any) -> bool:
        """Return True if the class is a metaclass, for `issubclass(kind, type)`."""
        return issubclass(kind, type)


class script_type(metaclass=_TypeOfTypes):  # noqa: N801 - a script's `type`
    """The `type` of scripts: returns the class of an object, but cannot create classes."""

    def __class_getitem__(cls, kind: Any) -> Any:
        return GenericAlias(cls, kind)


script_type.__name__ = "type"
script_type.__qualname__ = "type"
script_type.__module__ = "builtins"


def without_metaclass(value: Any) -> Any:
    """Return a value, but `script_type` instead of a metaclass."""
    if isinstance(value, type) and issubclass(value, type):
        return script_type
    return value
