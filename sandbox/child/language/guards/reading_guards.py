"""Guards of reading attributes: which attributes of which objects a script may read.

Attributes with underscores can lead out of the sandbox, as in
`().__class__.__base__.__subclasses__()`. RestrictedPython's own guard,
`safer_getattr_raise`, therefore refuses all of them. Ordinary scripts need some, so the
guards here also permit

- listed names of every object, such as `__name__` (`special_names.READABLE`);
- private names (with one underscore), and more special names, of *own* objects: objects
  that the script itself created.
"""

from __future__ import annotations

from typing import Any

from RestrictedPython.Guards import safer_getattr_raise

from controlplane.sandbox.child.language.guards.format_guards import checked_formatter
from controlplane.sandbox.child.language.guards.own_objects import class_of, is_own
from controlplane.sandbox.child.language.guards.script_types import without_metaclass
from controlplane.sandbox.child.language.guards.setting_guards import checked_setter
from controlplane.sandbox.child.language.special_names import (
    ENUMERATION_ALIASES,
    FORMATTERS,
    READABLE,
    READABLE_OF_OWN,
    SETTERS,
    is_special,
)


def guarded_getattr(target: Any, name: str, *default: Any) -> Any:
    """Return an attribute if a script may read it. Scripts call this as `getattr`.

    Raises `AttributeError` if the script may not read the attribute, or if the object
    lacks it and there is no `default`.
    """
    if type(name) is not str:
        # A subclass of `str` could give a different name to each of the checks below.
        name = str.__str__(name)

    # 1. Permit some names that begin with an underscore. Step 3 refuses the others. The value
    #    of `__class__` may be a metaclass, by which a script could make classes: it is replaced.
    if name in READABLE or (name[:1] == "_" and may_read(target, name)):
        return without_metaclass(getattr(target, name, *default))

    # 2. Wrap methods that set or read attributes by their names: `__setattr__("x", 1)`, and
    #    `"{0.x}".format(a)`. The wrapper checks these names when it is called.
    if name in SETTERS:
        return checked_setter(target, name)
    if name in FORMATTERS:
        return checked_formatter(getattr(target, name, *default), name)

    # 3. RestrictedPython refuses names that begin with an underscore, and permits others.
    return safer_getattr_raise(target, name, *default)  # type: ignore[no-untyped-call] # it has no types


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
    for kind in class_of(target).__mro__:
        if name in vars(kind):
            return is_own(kind)

    # No class defines it, so it is an attribute that was set on the object itself.
    return True


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
