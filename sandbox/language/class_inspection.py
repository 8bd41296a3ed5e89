"""What classes hold, read past their own methods and metaclasses."""

from __future__ import annotations

from typing import Any


def searched(target: Any) -> list[type]:
    """Return the classes in which an attribute of an object, a class or a `super` is looked for, in order."""
    if type(target) is super:
        classes = type.mro(super.__getattribute__(target, "__self_class__"))
        return classes[classes.index(super.__getattribute__(target, "__thisclass__")) + 1 :]
    kind = type(target)
    return type.mro(target) + type.mro(kind) if issubclass(kind, type) else type.mro(kind)


def holder(classes: list[type], name: str) -> type | None:
    """Return the first of the classes in which `name` is bound; None if it is in none."""
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
