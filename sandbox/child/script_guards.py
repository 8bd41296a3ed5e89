"""The guards of attributes: which ones a script may read and set, of which objects.

A script that reads any attribute of any object reaches the interpreter, as in
`().__class__.__base__.__subclasses__()`. RestrictedPython's own guard, `safer_getattr`, refuses every
name with an underscore. Ordinary scripts need some of them, above all of their own classes.
"""

from __future__ import annotations

import collections
import decimal
import functools
import string
import textwrap
from collections.abc import Callable
from functools import partial
from types import BuiltinMethodType, FunctionType, GenericAlias, MethodDescriptorType
from typing import Any, Final

from RestrictedPython.Guards import safer_getattr_raise

from controlplane.sandbox.child.language_policy import (
    FORMATTERS,
    READ,
    READ_OF_OWN,
    SETTERS,
    attribute_refusal,
    is_plain,
    is_special,
)
from controlplane.sandbox.child.module_facades import Facade

_OWN_MODULES: Final = ("__main__", "types")
"""The modules of what a script made itself. Simple namespaces, and classes that the library makes
of a list of fields, are from `types`."""

_SET_UP_BY_ASSIGNMENT: Final = (
    decimal.Context,
    textwrap.TextWrapper,
    collections.defaultdict,
    BaseException,
    type(functools.lru_cache(len)),
)
"""Types of the library whose objects are set up by assignment; steps never share such an object."""


# Whose an object is


def is_own(target: Any) -> bool:
    """Say whether a script made an object, or the class of an object.

    What a script defines has the module `__main__`; nothing of the library has it.
    """
    if issubclass(type(target), super):
        target = object.__getattribute__(target, "__self__")
    if type(target) is FunctionType:
        return target.__module__ == "__main__"
    return getattr(_class_of(target), "__module__", None) in _OWN_MODULES


def _class_of(target: Any) -> type[Any]:
    """Return a class itself, and the class of any other object."""
    if issubclass(type(target), type):
        own_class: type[Any] = target
        return own_class
    return type(target)


# Reading attributes


def guarded_getattr(target: Any, name: str, *default: Any) -> Any:
    """Return an attribute that a script may read. Raises `AttributeError`.

    With a `default`, returns that if the object has no such attribute.
    """
    if type(name) is not str:
        # A text of the script's own type, whose methods may give another name at the second look.
        name = str.__str__(name)

    # Names with an underscore: listed ones, and those of the script's own objects.
    if name in READ or (name[:1] == "_" and may_read(target, name)):
        return _without_real_type(getattr(target, name, *default))
    if name in SETTERS:
        return _checked_setter(target, name)

    # `"{0.__class__}".format(x)` reads attributes by the text of the format.
    if name in FORMATTERS:
        return _checked_formatter(getattr(target, name, *default), name)

    return safer_getattr_raise(target, name, *default)  # type: ignore[no-untyped-call] # untyped


def may_read(target: Any, name: str) -> bool:
    """Say whether a script may read a private or special attribute: of its own objects alone."""
    if not is_own(target):
        return False
    if is_special(name):
        return name in READ_OF_OWN

    # A script's own class may derive from one of the library, whose private attributes stay
    # private. The first class that has the attribute decides.
    for kind in _class_of(target).__mro__:
        if name in vars(kind):
            return is_own(kind)
    return True


def _without_real_type(value: Any) -> Any:
    """Return a value, or `script_type` in place of a metaclass.

    With the real `type` a script could make classes that the policy never saw.
    """
    if isinstance(value, type) and issubclass(value, type):
        return script_type
    return value


def _checked_setter(target: Any, name: str) -> Callable[..., Any]:
    """Return `__setattr__`, `__delattr__` or `__getattribute__` of a script's own object.

    The method refuses attributes that an assignment could not set either.
    """
    method = getattr(target, name)
    # The method of an object is bound to it; that of a class takes the object first.
    bound_arguments = () if _class_of(target) is target else (target,)

    # Not `functools.partial`, which would show the unchecked method as its `func`.
    def call(*arguments: Any) -> Any:
        changed, attribute = (*bound_arguments, *arguments)[:2]
        own_object(changed, attribute)
        if type(changed) is Facade or str.__str__(attribute) in FORMATTERS:
            msg = f"attribute {attribute!r} is not available by name"
            raise AttributeError(msg)
        return method(*arguments)

    return call


def script_hasattr(target: Any, name: str) -> bool:
    """Say whether a script can read an attribute."""
    try:
        guarded_getattr(target, name)
    except AttributeError:
        return False
    return True


def script_dir(target: Any) -> list[str]:
    """Return the names of the attributes that a script may read."""
    names = []
    for name in dir(target):
        if name[:1] != "_" or name in READ or may_read(target, name):
            names.append(name)
    return names


def script_vars(target: Any) -> Any:
    """Return the attributes of an object or a class that the script made."""
    if not is_own(target):
        kind = type(target).__name__
        msg = f"vars() takes an object of your own, not a {kind}; a result is a dict already"
        raise TypeError(msg)
    return vars(target)


# Setting attributes


def own_object(target: Any, name: str) -> Any:
    """Return `target` if a script may set its attribute `name`. Raises `AttributeError`.

    The policy writes `own_object(target, "name").name = value` for `target.name = value`.
    """
    refusal = attribute_refusal(str.__str__(name), is_set=True)
    if refusal:
        raise AttributeError(refusal)
    if is_own(target) or issubclass(type(target), _SET_UP_BY_ASSIGNMENT):
        return target
    if type(target) is Facade:
        return target  # It refuses by itself what cannot be set.

    # Anything else is shared with the library, or with later steps.
    if isinstance(target, type):
        sealed = f"class {target.__name__}"
        remedy = "; make a subclass, or wrap it in a function of your own"
    else:
        sealed = f"a {type(target).__name__} object"
        remedy = f"; use its item [{name!r}]" if isinstance(target, dict) else ""
    msg = f"{sealed} is sealed: its attributes cannot be set by a script{remedy}"
    raise AttributeError(msg)


def script_setattr(target: Any, name: str, value: Any) -> None:
    """Set an attribute of the script's own object."""
    setattr(own_object(target, name), name, value)


def script_delattr(target: Any, name: str) -> None:
    """Delete an attribute of the script's own object."""
    delattr(own_object(target, name), name)


# Types


class _TypeOfTypes(type):
    """Makes `type(x)` and `isinstance(x, type)` work for the type that scripts get."""

    def __call__(cls, *arguments: Any) -> Any:
        if len(arguments) != 1:
            msg = "type(object) takes one argument; write a class statement to make a class"
            raise TypeError(msg)
        return _without_real_type(type(arguments[0]))

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, type)

    def __subclasscheck__(cls, kind: Any) -> bool:
        return issubclass(kind, type)


class script_type(metaclass=_TypeOfTypes):  # noqa: N801 - a script's `type`
    """The class of an object; it makes no classes."""

    def __class_getitem__(cls, kind: Any) -> Any:
        return GenericAlias(cls, kind)


script_type.__name__ = "type"
script_type.__qualname__ = "type"
script_type.__module__ = "builtins"


# Formats


def check_format(template: str) -> None:
    """Raise `AttributeError` for a field of a format that reads more than a plain attribute."""
    for _, field, format_spec, _ in string.Formatter().parse(template):
        for name in _attributes_in_field(field or ""):
            if name not in READ and not is_plain(name):
                msg = f"a format cannot read {name!r}; put the value itself into the format"
                raise AttributeError(msg)
        check_format(format_spec or "")


def _attributes_in_field(field: str) -> list[str]:
    """Return the attributes that a field reads, such as `x` and `y` for `0.x[key].y`."""
    first, *parts = field.split("[")
    without_items = first
    for part in parts:
        _, _, after_item = part.partition("]")
        without_items += after_item
    return without_items.split(".")[1:]


def checked_format(template: str, /, *values: Any, **named_values: Any) -> str:
    """Do as `str.format` for a template with plain fields."""
    check_format(template)
    return str.format(template, *values, **named_values)


def checked_format_map(template: str, mapping: Any, /) -> str:
    """Do as `str.format_map` for a template with plain fields."""
    check_format(template)
    return str.format_map(template, mapping)


checked_format.__name__ = "format"
checked_format.__qualname__ = "format"
checked_format_map.__name__ = "format_map"
checked_format_map.__qualname__ = "format_map"


def _checked_formatter(method: Any, name: str) -> Any:
    """Return the checked method in place of `str.format` or `str.format_map`, bound or not."""
    is_unbound = type(method) is MethodDescriptorType
    is_bound = type(method) is BuiltinMethodType and isinstance(method.__self__, str)

    if is_unbound and method is str.format:
        return checked_format
    if is_unbound and method is str.format_map:
        return checked_format_map
    if is_bound and name == "format":
        return partial(checked_format, method.__self__)
    if is_bound and name == "format_map":
        return partial(checked_format_map, method.__self__)
    return method
