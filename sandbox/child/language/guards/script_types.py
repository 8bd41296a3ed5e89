"""`type` as scripts have it: it returns the class of an object, but creates no classes.

The class statements of a script are checked by the language policy, which limits what Python a
script may use. By calling `type("Point", bases, attributes)`, or another metaclass (a class of
classes), a script could make a class without that check.
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
    """Return a value as it is; if it is a metaclass, such as `type`, return `script_type`."""
    if isinstance(value, type) and issubclass(value, type):
        return script_type
    return value
