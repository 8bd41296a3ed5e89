"""Guards of setting attributes: which attributes of which objects a script may set.

A script may set attributes of its own objects, but not of the library's, which other code
of the process uses, too. It sets an attribute by a statement (`point.x = 1`), by `setattr`,
or by a method: `object.__setattr__(point, "x", 1)`. Each way calls a function of this module.
"""

from __future__ import annotations

import collections
import decimal
import functools
import textwrap
from collections.abc import Callable
from typing import Any, Final

from controlplane.sandbox.child.language.guards.own_objects import is_own
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
    """Return `target` if a script may set its attribute `name`, else raise `AttributeError`.

    A script's `target.name = value` is compiled as `settable(target, "name").name = value`.
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
    """Return a method that sets or reads any attribute, with a check of the attribute's name.

    `name` is that of the method: `__setattr__`, `__delattr__` or `__getattribute__`. The
    returned function refuses every attribute that a script may not set by a statement
    such as `point.x = 1`.
    """
    method = getattr(target, name)

    def call_unbound(*arguments: Any) -> Any:
        """Call the method of a class, as in `Point.__setattr__(point, "x", 1)`."""
        changed_object, attribute = arguments[:2]
        _check_passed_attribute(changed_object, attribute)
        return method(*arguments)

    def call_bound(*arguments: Any) -> Any:
        """Call the method of an object, as in `point.__setattr__("x", 1)`."""
        _check_passed_attribute(target, arguments[0])
        return method(*arguments)

    # Not `isinstance(target, type)`: an object could pretend to be a class.
    target_is_class = issubclass(type(target), type)

    # The result is a function. From a `functools.partial`, a script could read the method
    # without the check, as its attribute `func`.
    return call_unbound if target_is_class else call_bound


def _check_passed_attribute(target: Any, attribute: str) -> None:
    """Raise `AttributeError` if a script may not pass an attribute to `__setattr__` and the like.

    What a statement such as `point.x = 1` may not set is refused, and two things more.
    """
    check_settable(target, attribute)

    # 1. `object.__setattr__(facade, ...)` would go around the checks of a facade, a module
    #    as a script sees it: they are in the facade's own `__setattr__`.
    is_facade = type(target) is Facade

    # 2. `object.__getattribute__(text, "format")` would read a method that formats text
    #    without the checks that a read by `text.format` makes. `str.__str__` makes a plain
    #    text of the name, because a subclass of `str` could pretend to be another one.
    is_formatter = str.__str__(attribute) in FORMATTERS

    if is_facade or is_formatter:
        msg = f"attribute {attribute!r} is not available by name"
        raise AttributeError(msg)
