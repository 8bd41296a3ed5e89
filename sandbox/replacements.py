"""What stands in facades in place of the real thing: every library road to an attribute, and all that is not pinned.

Each replacement says what it keeps out. `STEP` is the step that runs; facades are built once and outlive steps.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import dataclasses
import datetime
import enum
import functools
import io
import operator
import random
import string
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from types import BuiltinFunctionType, BuiltinMethodType, FunctionType, MappingProxyType
from typing import Any, Final

from sandbox.attributes import AttributeGuard, normal_name
from sandbox.pinned import SEEDS, SHARED, Random


class CurrentStep:
    """The guard, names and console of the step that runs."""

    guard: AttributeGuard
    adopt: Callable[[Any], Any]
    console: Any


STEP: Final = CurrentStep()


class GuardedFormatter(string.Formatter):
    """`string.Formatter` whose fields reach attributes through the guard."""

    def get_field(self, field_name: Any, args: Any, kwargs: Any) -> Any:
        """Return the value of a replacement field, each attribute in it read through the guard."""
        first, rest = string._string.formatter_field_name_split(field_name)  # type: ignore[attr-defined]
        value = self.get_value(first, args, kwargs)
        for is_attribute, key in rest:
            value = STEP.guard.read(value, str.__str__(key)) if is_attribute else value[key]
        return value, first


def guarded_format(name: str, bound: str | None) -> Callable[..., str]:
    """Return `str.format` or `str.format_map` (bound to a text, or unbound) with guarded fields."""

    def form(*arguments: Any, **values: Any) -> str:
        text, rest = (arguments[0], arguments[1:]) if bound is None else (bound, arguments)
        if not isinstance(text, str):
            msg = f"descriptor {name!r} requires a 'str' object but received {type(text).__name__!r}"
            raise TypeError(msg)
        if name == "format_map":
            return GuardedFormatter().vformat(str.__str__(text), (), rest[0])
        return GuardedFormatter().vformat(str.__str__(text), rest, values)

    return form


class attrgetter:
    """`operator.attrgetter`, each name read through the guard."""

    def __init__(self, *names: str) -> None:
        self._paths = [normal_name(name).split(".") for name in names]
        if not names:
            msg = "attrgetter expected at least 1 argument, got 0"
            raise TypeError(msg)

    def __call__(self, target: Any) -> Any:
        found = tuple(functools.reduce(STEP.guard.read, path, target) for path in self._paths)
        return found[0] if len(found) == 1 else found


class methodcaller:
    """`operator.methodcaller`, its method read through the guard."""

    def __init__(self, name: str, /, *arguments: Any, **values: Any) -> None:
        self._name, self._arguments, self._values = normal_name(name), arguments, values

    def __call__(self, target: Any) -> Any:
        return STEP.guard.read(target, self._name)(*self._arguments, **self._values)


def update_wrapper(wrapper: Any, wrapped: Any, assigned: Any = None, updated: Any = None) -> Any:
    """Copy name and docstring, and nothing else, to a function of the script."""
    if type(wrapper) is FunctionType and not STEP.guard.may_write(wrapper, "__name__"):
        for name in ("__name__", "__qualname__", "__doc__"):
            value = getattr(wrapped, name, None)
            if type(value) is str:
                setattr(wrapper, name, value)
        if type(wrapped) is FunctionType and not STEP.guard.may_write(wrapped, "__name__"):
            wrapper.__dict__.update(wrapped.__dict__)
    return wrapper


def wraps(wrapped: Any, assigned: Any = None, updated: Any = None) -> Callable[[Any], Any]:
    """Return a decorator that copies name and docstring."""
    return lambda wrapper: update_wrapper(wrapper, wrapped)


def singledispatch(function: Any) -> Any:
    """Dispatch on the first argument's type; annotations count only where they are classes, for none is evaluated."""
    table: dict[type, Any] = {object: function}

    def dispatch(kind: type) -> Any:
        return next(table[each] for each in kind.__mro__ if each in table)

    def register(kind: Any, implementation: Any = None) -> Any:
        if implementation is None:
            if isinstance(kind, type):
                return lambda given: register(kind, given)
            implementation = kind
            kind = next(iter(implementation.__annotations__.values()), None)
        if not isinstance(kind, type):
            msg = "register(...) needs a class, or a first parameter annotated with one"
            raise TypeError(msg)
        table[kind] = implementation
        return implementation

    def wrapper(*arguments: Any, **values: Any) -> Any:
        if not arguments:
            msg = "a function with single dispatch needs at least 1 positional argument"
            raise TypeError(msg)
        return dispatch(type(arguments[0]))(*arguments, **values)

    wrapper.register = register  # type: ignore[attr-defined]
    wrapper.dispatch = dispatch  # type: ignore[attr-defined]
    wrapper.registry = MappingProxyType(table)  # type: ignore[attr-defined]
    wrapper.__name__ = function.__name__
    return wrapper


_AS_THEY_ARE: Final = (
    *(
        str,
        bytes,
        int,
        float,
        complex,
        bool,
        type(None),
        type(Ellipsis),
        range,
        type,
        FunctionType,
        BuiltinFunctionType,
    ),
    *(BuiltinMethodType, datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, enum.Enum, uuid.UUID),
)


def copied(value: Any, deep: Callable[[Any], Any]) -> Any:
    """Return a copy of `value` whose parts went through `deep`; never calls what a pickle would call."""
    from decimal import Decimal
    from fractions import Fraction

    kind = type(value)
    if isinstance(value, (*_AS_THEY_ARE, Decimal, Fraction)) and kind not in STEP.guard.owned:
        return value
    if kind in (list, tuple, set, frozenset, collections.deque):
        parts = [deep(each) for each in value]
        return collections.deque(parts, value.maxlen) if kind is collections.deque else kind(parts)
    if kind is bytearray:
        return bytearray(value)
    if isinstance(value, dict) and kind not in STEP.guard.owned:
        made: Any = kind(value.default_factory) if isinstance(value, collections.defaultdict) else kind()
        made.update({deep(key): deep(each) for key, each in value.items()})
        return made
    if kind in STEP.guard.owned and isinstance(value, tuple):
        return tuple.__new__(kind, [deep(each) for each in value])
    if kind in STEP.guard.owned:
        return _copied_object(value, kind, deep)
    msg = f"a {kind.__name__} object cannot be copied here"
    raise TypeError(msg)


def _copied_object(value: Any, kind: Any, deep: Callable[[Any], Any]) -> Any:
    if isinstance(value, enum.Enum):
        return value
    if isinstance(value, list | dict | set | str | int | float | BaseException):
        made = kind.__new__(kind, *value.args) if isinstance(value, BaseException) else kind.__new__(kind)
        if isinstance(value, list):
            list.extend(made, [deep(each) for each in value])
        elif isinstance(value, dict):
            dict.update(made, {deep(key): deep(each) for key, each in dict.items(value)})
        elif isinstance(value, set):
            set.update(made, {deep(each) for each in value})
        elif not isinstance(value, BaseException):
            return value
    else:
        made = object.__new__(kind)
    for base in kind.__mro__:
        for slot in base.__dict__.get("__slots__", ()) if base in STEP.guard.owned else ():
            if hasattr(value, slot):
                object.__setattr__(made, slot, deep(getattr(value, slot)))
    if hasattr(value, "__dict__"):
        made.__dict__.update({name: deep(each) for name, each in value.__dict__.items()})
    return made


def shallow_copy(value: Any) -> Any:
    """Return a shallow copy; a script's own `__copy__` is asked first."""
    if type(value) in STEP.guard.owned and hasattr(type(value), "__copy__"):
        return type(value).__copy__(value)
    return copied(value, lambda each: each)


def deep_copy(value: Any, memo: dict[int, Any] | None = None) -> Any:
    """Return a deep copy that keeps shared parts shared; a script's own `__deepcopy__` is asked first."""
    memo = {} if memo is None else memo
    known = memo.get(id(value))
    if known is not None:
        return known[1]
    if type(value) in STEP.guard.owned and hasattr(type(value), "__deepcopy__"):
        made = type(value).__deepcopy__(value, memo)
    elif type(value) in (list, dict):
        made = type(value)()
        memo[id(value)] = (value, made)
        if type(value) is list:
            made.extend(deep_copy(each, memo) for each in value)
        else:
            made.update((deep_copy(key, memo), deep_copy(each, memo)) for key, each in value.items())
    else:
        made = copied(value, lambda each: deep_copy(each, memo))
    memo[id(value)] = (value, made)
    return made


def dataclass(cls: Any = None, /, **options: Any) -> Any:
    """Do what `dataclasses.dataclass` does, to classes of the script alone."""

    def decorate(given: Any) -> Any:
        if given not in STEP.guard.owned:
            msg = "dataclass decorates classes of the script"
            raise TypeError(msg)
        return STEP.adopt(dataclasses.dataclass(given, **options))

    return decorate if cls is None else decorate(cls)


def make_dataclass(name: str, fields: Any, **options: Any) -> Any:
    """Make a dataclass of a name and fields; a namespace or bases cannot be given."""
    if set(options) - {"init", "repr", "eq", "order", "frozen", "kw_only"}:
        msg = "make_dataclass takes a name, fields and flags here"
        raise TypeError(msg)
    return STEP.adopt(dataclasses.make_dataclass(name, fields, **options))


def namedtuple(name: str, fields: Any, *, rename: bool = False, defaults: Any = None) -> Any:
    """Make a named tuple class, which then counts as the script's own."""
    return STEP.adopt(collections.namedtuple(name, fields, rename=rename, defaults=defaults))


@contextlib.contextmanager
def redirect_stdout(target: Any) -> Iterator[Any]:
    """Send what is printed to `target` meanwhile."""
    console = STEP.console
    before, console.redirected = console.redirected, target
    try:
        yield target
    finally:
        console.redirected = before


def overload(function: Any) -> Any:
    """Mark a variant for readers; the implementation that follows takes its place."""
    return function


def uuid4() -> uuid.UUID:
    """Return a random UUID from the step's own randomness."""
    return uuid.UUID(int=SEEDS.getrandbits(128), version=4)


def uuid1(node: Any = None, clock_seq: Any = None) -> uuid.UUID:
    """Return a UUID of version 1 from the step's own randomness: machine and time stay out of it."""
    return uuid.UUID(int=SEEDS.getrandbits(128), version=1)


class _Stream:
    """`sys.stdout` as scripts see it."""

    __slots__ = ()

    def write(self, text: str) -> int:
        """Print without a line end."""
        STEP.console.write(text)
        return len(text)

    def flush(self) -> None:
        """Do nothing: output keeps its order by itself."""


def exit_script(code: Any = None) -> None:
    """End the script."""
    raise SystemExit(code)


_LOWEST_RECURSION_LIMIT: Final = 100
_HIGHEST_RECURSION_LIMIT: Final = 20_000


def set_recursion_limit(limit: int) -> None:
    """Set how deep calls of the script may nest, within what its stack holds."""
    sys.setrecursionlimit(max(_LOWEST_RECURSION_LIMIT, min(limit, _HIGHEST_RECURSION_LIMIT)))


def table() -> Mapping[str, Mapping[str, Any]]:
    """Return, by module, what stands in place of the real names."""
    shared = {name: getattr(SHARED, name) for name in dir(random) if not name.startswith("_") and hasattr(SHARED, name)}
    stream = _Stream()
    kept = ("byteorder", "float_info", "hash_info", "int_info", "intern", "maxsize", "maxunicode", "version")
    system: dict[str, Any] = {name: getattr(sys, name) for name in (*kept, "version_info", "getrecursionlimit")}
    system |= {"argv": ("script",), "platform": "linux", "exit": exit_script, "stdout": stream, "stderr": stream}
    system |= {"setrecursionlimit": set_recursion_limit, "stdin": io.StringIO(), "getsizeof": sys.getsizeof}
    import html.entities

    return {
        "collections": {"namedtuple": namedtuple},
        "contextlib": {"redirect_stdout": redirect_stdout, "redirect_stderr": redirect_stdout},
        "copy": {"copy": shallow_copy, "deepcopy": deep_copy, "Error": copy.Error},
        "dataclasses": {"dataclass": dataclass, "make_dataclass": make_dataclass},
        "functools": {
            "wraps": wraps,
            "update_wrapper": update_wrapper,
            "singledispatch": singledispatch,
            "WRAPPER_ASSIGNMENTS": ("__name__", "__qualname__", "__doc__"),
        },
        "html.entities": {
            name: MappingProxyType(getattr(html.entities, name))
            for name in ("html5", "name2codepoint", "codepoint2name")
        },
        "operator": {"attrgetter": attrgetter, "methodcaller": methodcaller, "itemgetter": operator.itemgetter},
        "random": shared | {"Random": Random},
        "string": {"Formatter": GuardedFormatter},
        "sys": system,
        "typing": {"overload": overload, "no_type_check": overload, "final": overload},
        "uuid": {"uuid4": uuid4, "uuid1": uuid1},
    }


__all__ = ["STEP", "guarded_format", "table"]
