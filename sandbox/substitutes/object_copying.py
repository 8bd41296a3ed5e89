"""`copy` and the copying half of `dataclasses` for scripts: never calls what a pickle would call.

The library's own copy asks objects for `__reduce_ex__` and then sets attributes on whatever that names, which would be
a road around the attribute guard.
"""

import builtins
import collections
import contextlib
import dataclasses
import datetime
import enum
import operator
import re
import statistics
import string
import textwrap
import typing
import uuid
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from types import (
    BuiltinFunctionType,
    FunctionType,
    GenericAlias,
    MemberDescriptorType,
    MethodType,
    SimpleNamespace,
    UnionType,
)
from typing import Any, Final

from sandbox.language.attribute_names import is_special
from sandbox.library.current_step import STEP
from sandbox.substitutes.library_functions import attrgetter, methodcaller
from sandbox.substitutes.object_rebuilding import LIBRARY, Deep, FrozenDict, fill, made_anew

_ATOMS: Final = (
    *(str, bytes, int, float, complex, type(None), type(Ellipsis), range, type, FunctionType, BuiltinFunctionType),
    *(datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, enum.Enum, uuid.UUID, Decimal, Fraction),
    *(re.Pattern, re.Match, slice, property, operator.itemgetter, attrgetter, methodcaller),
    *(GenericAlias, UnionType, typing._Final, typing.TypeVar, typing.ParamSpec, statistics.NormalDist),
    getattr(builtins, "sentinel", type(None)),
)
"""Types whose objects are never altered, so that the object is its own copy."""

_TO_DERIVE_FROM: Final = frozenset(
    {collections.ChainMap, collections.UserDict, collections.UserList, collections.UserString, string.Template}
    | {textwrap.TextWrapper}
)
"""Classes of the library whose objects hold ordinary attributes and nothing else."""


def shallow_copy(value: Any) -> Any:
    """Return a shallow copy; a script's own `__copy__` is asked first."""
    method = _own_method(type(value), "__copy__")
    if method is not None:
        return method(value)
    return _copied(value, lambda each: each)


def _own_method(kind: type, name: str) -> Any:
    """Return a special method that the script itself defined, or None: the library's own trust their object."""
    holder = next((each for each in kind.__mro__ if name in each.__dict__), None)
    return getattr(kind, name) if holder is not None and STEP.guard.owns(holder) else None


def deep_copy(value: Any, memo: dict[int, Any] | None = None) -> Any:
    """Return a deep copy that keeps shared parts shared; a script's own `__deepcopy__` is asked first."""
    memo = {} if memo is None else memo
    known = memo.get(id(value))
    if type(known) is _Done:
        return known.made
    method = _own_method(type(value), "__deepcopy__")
    if method is not None:
        made = method(value, memo)
    elif type(value) in (list, dict):
        made = type(value)()
        memo[id(value)] = _Done(value, made)
        fill(made, value, lambda each: deep_copy(each, memo))
    else:
        made = _copied(value, lambda each: deep_copy(each, memo), lambda early: memo.update({id(value): early}))
    early = memo.get(id(value))
    if type(early) is _Done:  # A part of it led back to it.
        return early.made
    memo[id(value)] = _Done(value, made)
    return made


class _Done:
    """A finished copy; holding the original keeps its number from being used again."""

    __slots__ = ("made", "value")

    def __init__(self, value: Any, made: Any) -> None:
        self.value = value
        self.made = made


def _copied(value: Any, deep: Deep, note: Callable[[_Done], None] = lambda early: None) -> Any:
    kind: Any = type(value)
    is_own = STEP.guard.owns(kind)
    if not is_own and isinstance(value, _ATOMS):
        return value
    if kind is MethodType:
        return _copied_method(value, deep)
    if kind in (tuple, frozenset):
        parts = [deep(each) for each in value]
        return value if all(a is b for a, b in zip(value, parts, strict=True)) else kind(parts)
    if kind in (set, bytearray):
        return kind(value) if kind is bytearray else kind([deep(each) for each in value])
    if kind in LIBRARY:
        return LIBRARY[kind](value, deep)
    if not is_own and isinstance(value, list | dict):
        fill(made := kind(), value, deep)
        return made
    if not is_own and isinstance(value, tuple) and kind.__module__ == "__main__":
        return tuple.__new__(kind, [deep(each) for each in value])
    if is_own or kind in _TO_DERIVE_FROM or issubclass(kind, BaseException):
        return _copied_object(value, kind, deep, note)
    if kind is SimpleNamespace:
        note(_Done(value, made := SimpleNamespace()))
        vars(made).update({name: deep(held) for name, held in vars(value).items()})
        return made
    msg = f"a {kind.__name__} object cannot be copied here"
    raise TypeError(msg)


def _copied_method(value: MethodType, deep: Deep) -> Any:
    """Return the method of the object's copy, where it is an object of the script; any other is its own copy."""
    owner = value.__self__
    return MethodType(value.__func__, deep(owner)) if STEP.guard.owns(type(owner)) else value


def _copied_object(value: Any, kind: Any, deep: Deep, note: Callable[[_Done], None]) -> Any:
    """Return a copy of an object of the script's own classes, made without calling its `__init__`."""
    if isinstance(value, enum.Enum | Decimal):
        return value
    made = made_anew(value, kind, deep)
    if type(made) is not kind:
        msg = f"{kind.__name__}.__new__ made another object, which cannot be filled"
        raise TypeError(msg)
    note(_Done(value, made))
    fill(made, value, deep)
    for name, held in _attributes(value, kind):
        if type(name) is str and not is_special(name):
            object.__setattr__(made, name, _apart(value, name, held, deep(held)))
    return made


def _apart(value: Any, name: str, held: Any, copied: Any) -> Any:
    """Return the copy of an attribute, also of one that the library keeps apart in a shallow copy."""
    if copied is not held:
        return copied
    if name == "data" and issubclass(type(value), collections.UserDict | collections.UserList):
        return shallow_copy(held)
    if name == "maps" and issubclass(type(value), collections.ChainMap):
        return [shallow_copy(each) if place == 0 else each for place, each in enumerate(held)]
    return copied


def _attributes(value: Any, kind: type) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for base in kind.__mro__:
        slots = [each for each in base.__dict__.items() if type(each[1]) is MemberDescriptorType]
        for name, slot in slots if STEP.guard.owns(base) else ():
            with contextlib.suppress(AttributeError):
                found.append((name, slot.__get__(value)))
    return [*found, *getattr(value, "__dict__", {}).items()]


def as_dict(value: Any, *, dict_factory: Callable[[Any], Any] = dict) -> Any:
    """Return a dataclass object as a dict, all the way down."""
    _check_dataclass(value, "asdict")
    return _plain(value, dict_factory)


def as_tuple(value: Any, *, tuple_factory: Callable[[Any], Any] = tuple) -> Any:
    """Return a dataclass object as a tuple, all the way down."""
    _check_dataclass(value, "astuple")
    return _plain(value, lambda pairs: tuple_factory([each for _, each in pairs]))


def _check_dataclass(value: Any, name: str) -> None:
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        msg = f"{name}() should be called on dataclass instances"
        raise TypeError(msg)


def _plain(value: Any, factory: Callable[[Any], Any]) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return factory(
            [(each.name, _plain(getattr(value, each.name), factory)) for each in dataclasses.fields(type(value))]
        )
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_plain(each, factory) for each in value])
    if isinstance(value, list | tuple):
        return type(value)(_plain(each, factory) for each in value)
    if isinstance(value, collections.defaultdict):
        made = type(value)(value.default_factory)
        made.update({_plain(key, factory): _plain(each, factory) for key, each in value.items()})
        return made
    if isinstance(value, (dict, FrozenDict)):
        return type(value)((_plain(key, factory), _plain(each, factory)) for key, each in value.items())
    return deep_copy(value)
