"""Guards of setting attributes: which attributes of which objects a script may set.

A script sets an attribute by a statement (`point.x = 1`), by `setattr`, or by a method:
`object.__setattr__(point, "x", 1)`.
"""

from __future__ import annotations

import collections
import decimal
import functools
import textwrap
from collections.abc import Callable
from typing import Any, Final

from controlplane.sandbox.child.language.guards.own_objects import class_of, is_own
from controlplane.sandbox.child.language.module_facades import Facade
from controlplane.sandbox.child.language.special_names import (
    FORMATTERS,
    attribute_refusal,
)

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


# Methods that set attributes


def checked_setter(target: Any, name: str) -> Callable[..., Any]:
    """Return the method `name` of an object or class, with a check of its argument.

    `name` is `__setattr__`, `__delattr__` or `__getattribute__`. The returned
    method refuses every attribute that a script may not set by a statement
    such as `point.x = 1`.
    """
    method = getattr(target, name)
    target_is_class = class_of(target) is target

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
