"""New objects with the data of others, for copies: made by the library's own constructors, never by a pickle's recipe.

Attributes are not copied here.
"""

from __future__ import annotations

import builtins
import collections
import datetime
import decimal
import fractions
import functools
from collections.abc import Callable
from typing import Any, Final

from sandbox.library.pinned_clock import Random

Deep = Callable[[Any], Any]

_EXACT: Final[dict[type, Callable[[Any], Any]]] = {
    str: str.__str__,
    bytes: bytes.__bytes__,
    int: int.__int__,
    float: float.__float__,
    complex: complex.__complex__,
}
"""What gives the plain value of an object of a derived class, whatever that class says of it."""
_TIMES: Final = (datetime.datetime, datetime.date, datetime.time, datetime.timedelta)


def _same_partial(value: Any, deep: Deep) -> Any:
    keywords = {name: deep(each) for name, each in value.keywords.items()}
    return functools.partial(deep(value.func), *[deep(each) for each in value.args], **keywords)


def _same_random(value: Any, deep: Deep) -> Any:
    made = Random(0)
    made.setstate(value.getstate())
    return made


LIBRARY: Final[dict[type, Callable[[Any, Deep], Any]]] = {
    collections.deque: lambda value, deep: collections.deque([deep(each) for each in value], value.maxlen),
    decimal.Context: lambda value, deep: value.copy(),
    functools.partial: _same_partial,
    Random: _same_random,
}
"""How objects of exactly these classes are copied, whole."""
FrozenDict: Final[Any] = getattr(builtins, "frozendict", ())
"""The type, or none before Python 3.15."""
if FrozenDict:
    LIBRARY[FrozenDict] = lambda value, deep: FrozenDict({deep(key): deep(each) for key, each in value.items()})


def made_anew(value: Any, kind: Any, deep: Deep) -> Any:
    """Return a new object of a class of the script with the immutable data of `value`, made without its `__init__`."""
    if isinstance(value, tuple) and type(getattr(kind, "_fields", None)) is tuple:
        return kind.__new__(kind, *[deep(each) for each in value])
    if isinstance(value, tuple | frozenset):
        return kind.__new__(kind, [deep(each) for each in value])
    if isinstance(value, FrozenDict):
        return kind.__new__(kind, {deep(key): deep(each) for key, each in FrozenDict.items(value)})
    if isinstance(value, BaseException):
        return _exception_anew(value, kind, deep)
    for plain, exact in _EXACT.items():
        if isinstance(value, plain):
            return kind.__new__(kind, exact(value))
    for base in _TIMES:
        if isinstance(value, base):
            return base.__new__(kind, *base.__reduce_ex__(value, 4)[1])
    if isinstance(value, fractions.Fraction):
        return fractions.Fraction.__new__(kind, value)
    return kind.__new__(kind)


def _exception_anew(value: BaseException, kind: Any, deep: Deep) -> Any:
    """Return a new exception of the same arguments, and of what the builtin one among its classes makes of them."""
    arguments = [deep(each) for each in value.args]
    made = kind.__new__(kind, *arguments)
    if type(made) is kind:
        builtin: Any = next(each for each in type.mro(kind) if each.__module__ == "builtins")
        builtin.__init__(made, *arguments)
    return made


def fill(made: Any, value: Any, deep: Deep) -> None:
    """Put copies of the items of a builtin collection into a new one."""
    if isinstance(made, collections.OrderedDict):
        for key, each in collections.OrderedDict.items(value):
            collections.OrderedDict.__setitem__(made, deep(key), deep(each))
    elif isinstance(made, dict):
        if isinstance(made, collections.defaultdict):
            made.default_factory = value.default_factory
        dict.update(made, {deep(key): deep(each) for key, each in dict.items(value)})
    elif isinstance(made, list):
        list.extend(made, [deep(each) for each in value])
    elif isinstance(made, set):
        set.update(made, {deep(each) for each in value})
    elif isinstance(made, bytearray):
        bytearray.extend(made, value)
    elif isinstance(made, collections.deque):
        collections.deque.__init__(made, [deep(each) for each in value], value.maxlen)
