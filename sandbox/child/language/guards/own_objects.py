"""Own objects: what the script itself created.

A script may set their attributes, and read their private ones: `point._x = 1`. Other objects
belong to the library, and code outside of the script relies on them.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any, Final

_OWN_MODULES: Final = ("__main__", "types")
"""The `__module__` of classes whose objects are own objects.

`__main__` is that of the script's classes. `types` is that of `SimpleNamespace`, and of classes
that the library makes for the script from a list of fields (`make_dataclass`).
"""


def is_own(target: Any) -> bool:
    """Return True if an object is the script's own.

    An own object is a function or class that the script defined, or an instance of such
    a class. They are recognized by the name of their module (`_OWN_MODULES`).
    """
    # `super()` reads attributes of the object whose method calls it. So judge that object.
    if issubclass(type(target), super):
        target = object.__getattribute__(target, "__self__")

    # Use `type(target)`, not `target.__class__` or `isinstance`: an object may define
    # its `__class__` itself, and pretend to be something else.
    if type(target) is FunctionType:
        return target.__module__ == "__main__"
    return getattr(class_of(target), "__module__", None) in _OWN_MODULES


def class_of(target: Any) -> type[Any]:
    """Return the class of an object. A class is returned as it is: `3` -> `int`, `int` -> `int`."""
    if issubclass(type(target), type):
        own_class: type[Any] = target
        return own_class
    return type(target)
