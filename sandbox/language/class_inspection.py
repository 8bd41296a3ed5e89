"""What stands in classes, whatever their own methods and metaclasses say of it, and methods that show nothing of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def searched(target: Any) -> list[type]:
    """Return the classes in which an attribute of an object, a class or a `super` is looked for, in order."""
    if type(target) is super:
        classes = type.mro(super.__getattribute__(target, "__self_class__"))
        return classes[classes.index(super.__getattribute__(target, "__thisclass__")) + 1 :]
    kind = type(target)
    return type.mro(target) + type.mro(kind) if issubclass(kind, type) else type.mro(kind)


def holder(classes: list[type], name: str) -> type | None:
    """Return the first of the classes in which `name` is bound; None where it is in none."""
    return next((each for each in classes if name in namespace(each)), None)


def namespace(kind: type) -> Any:
    """Return what a class binds, to be read."""
    return type.__dict__["__dict__"].__get__(kind)


def name_of(target: Any) -> str:
    """Return what an object or a class is called in messages."""
    is_class = issubclass(type(target), type)
    return f"class {title(target)}" if is_class else f"a {title(type(target))} object"


def title(kind: type) -> str:
    """Return the name of a class."""
    name: str = type.__dict__["__name__"].__get__(kind)
    return name


def as_function(method: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """Return a function that calls a method: a bound method shows what it is made of to the other side of `==`."""

    def call(*arguments: Any, **options: Any) -> Any:
        return method(*arguments, **options)

    call.__name__ = call.__qualname__ = name or method.__name__
    call.__doc__ = method.__doc__
    return call
