"""Guards of attributes: they decide which attributes of which objects a script may read and set.

Attributes with underscores can lead out of the sandbox, as in
`().__class__.__base__.__subclasses__()`. RestrictedPython's own guard,
`safer_getattr_raise`, therefore refuses all of them. Ordinary scripts need some, so the
guards here also permit

- listed names of every object, such as `__name__`;
- private names (with one underscore), and more special names, of *own* objects: objects
  that the script itself created.

Formatting a text reads attributes, too (`"{0.__class__}".format(x)`), so they are
checked here as well.
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

from controlplane.sandbox.child.language.module_facades import Facade
from controlplane.sandbox.child.language.special_names import (
    ENUMERATION_ALIASES,
    FORMATTERS,
    READABLE,
    READABLE_OF_OWN,
    SETTERS,
    attribute_refusal,
    is_special,
    needs_no_guard,
)

_OWN_MODULES: Final = ("__main__", "types")
"""The `__module__` of classes whose objects are own objects: `__main__` for
the script's classes. `SimpleNamespace`, and classes that the library makes from a list
of fields (`make_dataclass`), have the module `types`."""

_CACHED_FUNCTION: Final = type(functools.lru_cache(len))
"""The type of functions that `functools.cache` and `functools.lru_cache` return."""

_SET_UP_BY_ASSIGNMENT: Final = (
    decimal.Context,
    textwrap.TextWrapper,
    collections.defaultdict,
    BaseException,
    _CACHED_FUNCTION,
)
"""Types of the library whose attributes scripts may set, as in `context.prec = 4`.
Their objects are not shared between steps."""


# Own objects


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
    return getattr(_class_of(target), "__module__", None) in _OWN_MODULES


def _class_of(target: Any) -> type[Any]:
    """Return the class of an object. A class is returned as it is: `3` -> `int`, `int` -> `int`."""
    if issubclass(type(target), type):
        own_class: type[Any] = target
        return own_class
    return type(target)


# Reading attributes


def guarded_getattr(target: Any, name: str, *default: Any) -> Any:
    """Return an attribute if a script may read it. Scripts call this as `getattr`.

    Raises `AttributeError` if the script may not read the attribute, or if the object
    lacks it and there is no `default`.
    """
    if type(name) is not str:
        # A subclass of `str` could give a different name to each of the checks below.
        name = str.__str__(name)

    # 1. Permit some names that begin with an underscore. A metaclass, such as `type`,
    #    is replaced. Names that are not permitted reach step 3, which refuses them.
    if name in READABLE or (name[:1] == "_" and may_read(target, name)):
        return _without_real_type(getattr(target, name, *default))

    # 2. Wrap methods that read or set other attributes, such as `__setattr__` and `format`.
    #    The wrapper checks those attributes.
    if name in SETTERS:
        return _checked_setter(target, name)
    if name in FORMATTERS:
        return _checked_formatter(getattr(target, name, *default), name)

    # 3. RestrictedPython refuses names that begin with an underscore, and permits others.
    #    It has no types.
    return safer_getattr_raise(target, name, *default)  # type: ignore[no-untyped-call]


def may_read(target: Any, name: str) -> bool:
    """Return True if a script may read an attribute that begins with an underscore."""
    if not is_own(target):
        return False
    if is_special(name):
        return name in READABLE_OF_OWN
    if name in ENUMERATION_ALIASES:
        return True  # `Enum` defines these for use in the script's own enumerations.

    # An own class may inherit from a class of the library, whose private attributes
    # stay private. So the class that defines the attribute must be an own class.
    for kind in _class_of(target).__mro__:
        if name in vars(kind):
            return is_own(kind)

    # No class defines it, so it is an attribute that was set on the object itself.
    return True


def _without_real_type(value: Any) -> Any:
    """Return a value, or `script_type` instead of `type` or another metaclass.

    By calling a real metaclass, a script could make classes without the language policy.
    """
    if isinstance(value, type) and issubclass(value, type):
        return script_type
    return value


def _checked_setter(target: Any, name: str) -> Callable[..., Any]:
    """Return the method `name` of an object or class, with a check of its argument.

    `name` is `__setattr__`, `__delattr__` or `__getattribute__`. The returned
    method refuses every attribute that a script may not set by a statement
    such as `point.x = 1`.
    """
    method = getattr(target, name)
    target_is_class = _class_of(target) is target

    def call_unbound(*arguments: Any) -> Any:
        """Call the method of a class, as in `Point.__setattr__(point, "x", 1)`."""
        changed_object, attribute = arguments[:2]
        _check_attribute_of_setter(changed_object, attribute)
        return method(*arguments)

    def call_bound(*arguments: Any) -> Any:
        """Call the method of an object, as in `point.__setattr__("x", 1)`."""
        _check_attribute_of_setter(target, arguments[0])
        return method(*arguments)

    # These are functions, because an object such as `functools.partial` would have an
    # attribute with the method that makes no checks.
    return call_unbound if target_is_class else call_bound


def _check_attribute_of_setter(target: Any, attribute: str) -> None:
    """Raise `AttributeError` unless a method in `SETTERS` may set or read the attribute."""
    check_settable(target, attribute)

    # A facade, a module as a script sees it, has its guards in its own `__setattr__` and
    # `__getattr__`. The same methods of `object` have no guards, and a script may call
    # them: `object.__setattr__(facade, ...)`.
    is_facade = type(target) is Facade

    # `__getattribute__` would read a method such as
    # `format` without the checks of `guarded_getattr`.
    is_formatter = str.__str__(attribute) in FORMATTERS

    if is_facade or is_formatter:
        msg = f"attribute {attribute!r} is not available by name"
        raise AttributeError(msg)


def script_hasattr(target: Any, name: str) -> bool:
    """Return True if a script can read an attribute. Scripts call this as `hasattr`."""
    try:
        guarded_getattr(target, name)
    except AttributeError:
        return False
    return True


def script_dir(target: Any) -> list[str]:
    """Return the names of the attributes that a script may read. Scripts call this as `dir`."""
    names = []
    for name in dir(target):
        if name[:1] != "_" or name in READABLE or may_read(target, name):
            names.append(name)
    return names


def script_vars(target: Any) -> Any:
    """Return the attributes of an own object. Scripts call this as `vars`."""
    if not is_own(target):
        kind = type(target).__name__
        msg = f"vars() takes an object of your own, not a {kind}; a result is a dict already"
        raise TypeError(msg)
    return vars(target)


# Setting attributes


def check_settable(target: Any, name: str) -> None:
    """Raise `AttributeError` unless a script may set the attribute `name` of an object."""
    # 1. Refuse names that may not be set in any object. `str.__str__` makes a plain text of
    #    the name, because a subclass of `str` could pretend to be another one.
    refusal = attribute_refusal(str.__str__(name), is_set=True)
    if refusal:
        raise AttributeError(refusal)

    # 2. Permit objects of the script itself, those it may configure, and facades (modules
    #    as a script sees them), whose own `__setattr__` refuses what may not be set.
    if is_own(target) or issubclass(type(target), _SET_UP_BY_ASSIGNMENT):
        return
    if type(target) is Facade:
        return

    # 3. Refuse all other objects: the library or later steps use them, too.
    if isinstance(target, type):
        sealed = f"class {target.__name__}"
        remedy = "; make a subclass, or wrap it in a function of your own"
    else:
        sealed = f"a {type(target).__name__} object"
        remedy = f"; use its item [{name!r}]" if isinstance(target, dict) else ""
    msg = f"{sealed} is sealed: its attributes cannot be set by a script{remedy}"
    raise AttributeError(msg)


def settable(target: Any, name: str) -> Any:
    """Return `target` after `check_settable`.

    The policy writes `settable(target, "name").name = value` for `target.name = value`.
    """
    check_settable(target, name)
    return target


def script_setattr(target: Any, name: str, value: Any) -> None:
    """Set an attribute of an own object. Scripts call this as `setattr`."""
    check_settable(target, name)
    setattr(target, name, value)


def script_delattr(target: Any, name: str) -> None:
    """Delete an attribute of an own object. Scripts call this as `delattr`."""
    check_settable(target, name)
    delattr(target, name)


# Types


class _TypeOfTypes(type):
    """The metaclass of `script_type`, which takes the place of `type` in scripts.

    A metaclass defines what calls of its class, `isinstance` and `issubclass` return.
    """

    def __call__(cls, *arguments: Any) -> Any:
        """Return the class of an object, for `type(x)`."""
        if len(arguments) != 1:
            msg = "type(object) takes one argument; write a class statement to make a class"
            raise TypeError(msg)
        return _without_real_type(type(arguments[0]))

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


# Formats


def check_format(template: str) -> None:
    """Raise `AttributeError` if a field of a format reads an attribute that needs a guard.

    `"{0.name}"` is permitted, `"{0.__class__}"` is not.
    """
    for _, field, format_spec, _ in string.Formatter().parse(template):
        for name in _attributes_in_field(field or ""):
            if name not in READABLE and not needs_no_guard(name):
                msg = f"a format cannot read {name!r}; put the value itself into the format"
                raise AttributeError(msg)
        # It may have fields of its own, as in `"{0:{1.width}}"`.
        check_format(format_spec or "")


def _attributes_in_field(field: str) -> list[str]:
    """Return the attributes that a field reads: `"0.x[a.b].y"` -> `["x", "y"]`."""
    # 1. Remove items such as `[a.b]`, whose dots separate no attributes: `0.x[a.b].y` -> `0.x.y`.
    before_items, *item_parts = field.split("[")  # "0.x" and ["a.b].y"]
    without_items = before_items
    for part in item_parts:
        _item, _, after_item = part.partition("]")  # "a.b" and ".y"
        without_items += after_item

    # 2. Split at the dots. The first part names the argument of the format.
    _argument, *attributes = without_items.split(".")
    return attributes


def checked_format(template: str, /, *values: Any, **named_values: Any) -> str:
    """Do the same as `str.format`. Raises `AttributeError` for a field that needs a guard."""
    check_format(template)
    return str.format(template, *values, **named_values)


def checked_format_map(template: str, mapping: Any, /) -> str:
    """Do the same as `str.format_map`. Raises `AttributeError` for a field that needs a guard."""
    check_format(template)
    return str.format_map(template, mapping)


checked_format.__name__ = "format"
checked_format.__qualname__ = "format"
checked_format_map.__name__ = "format_map"
checked_format_map.__qualname__ = "format_map"


def _checked_formatter(method: Any, name: str) -> Any:
    """Return the checked form of `str.format` or `str.format_map`; any other method as it is.

    `name` is the name by which the script read the method.
    """
    # 1. The method of the class, as in `str.format`.
    if type(method) is MethodDescriptorType:
        if method is str.format:
            return checked_format
        if method is str.format_map:
            return checked_format_map

    # 2. The method of a text, as in `"{}".format`. Each text has a method object of its own, so it
    #    is recognized by its name.
    if type(method) is BuiltinMethodType and isinstance(method.__self__, str):
        if name == "format":
            return partial(checked_format, method.__self__)
        if name == "format_map":
            return partial(checked_format_map, method.__self__)
    return method
