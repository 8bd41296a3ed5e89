"""What stands in facades in place of the real thing: every library road to an attribute, and all that is not pinned.

Each replacement says what it keeps out. `STEP` is the step that runs; facades are built once and outlive steps.
"""

from __future__ import annotations

import abc
import collections
import contextlib
import copy
import dataclasses
import enum
import functools
import hashlib
import html.entities
import inspect
import keyword
import operator
import random
import sys
import uuid
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType, MappingProxyType
from typing import Any, Final

from sandbox.attributes import AttributeGuard, is_plain, is_special, normal_name
from sandbox.pinned import SEEDS, SHARED, Random
from sandbox.scriptnames import AbstractClasses, keep_patterns_plain


class CurrentStep:
    """The guard, names and console of the step that runs."""

    guard: AttributeGuard
    adopt: Callable[[Any], Any]
    console: Any


STEP: Final = CurrentStep()


class attrgetter:  # noqa: N801 - the name that scripts import
    """`operator.attrgetter`, each name read through the guard."""

    def __init__(self, *names: str) -> None:
        self._paths = [normal_name(name).split(".") for name in names]
        if not names:
            msg = "attrgetter expected at least 1 argument, got 0"
            raise TypeError(msg)

    def __call__(self, target: Any) -> Any:
        found = tuple(functools.reduce(STEP.guard.read, path, target) for path in self._paths)
        return found[0] if len(found) == 1 else found


class methodcaller:  # noqa: N801 - the name that scripts import
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


def dataclass(cls: Any = None, /, **options: Any) -> Any:
    """Do what `dataclasses.dataclass` does, to classes of the script alone."""

    def decorate(given: Any) -> Any:
        if not isinstance(given, type) or not STEP.guard.owns(given):
            msg = "dataclass decorates classes of the script"
            raise TypeError(msg)
        names = [name for base in given.__mro__ for name in inspect.get_annotations(base)]
        with STEP.guard.making_subclass(given.__bases__[0]):
            return STEP.adopt(dataclasses.dataclass(given, **options | _checked_fields(names)))

    return decorate if cls is None else decorate(cls)


def make_dataclass(name: str, fields: Any, **options: Any) -> Any:
    """Make a dataclass of a name and fields; a namespace or bases cannot be given."""
    if set(options) - {"init", "repr", "eq", "order", "frozen", "kw_only"}:
        msg = "make_dataclass takes a name, fields and flags here"
        raise TypeError(msg)
    listed = [each if isinstance(each, str) else tuple(each) for each in fields]
    names = [each if isinstance(each, str) else each[0] for each in listed]
    return STEP.adopt(dataclasses.make_dataclass(normal_name(name), listed, **options | _checked_fields(names)))


def _checked_fields(names: list[Any]) -> dict[str, bool]:
    """Refuse a field whose name is none: it becomes source text. Private fields are left out of patterns."""
    for name in names:
        if type(name) is not str or not name.isidentifier() or keyword.iskeyword(name) or is_special(name):
            msg = f"a field may not be called {name!r}"
            raise TypeError(msg)
    return {} if all(is_plain(name) for name in names) else {"match_args": False}


def seal_library() -> None:
    """Have the library itself, in this process, use what is safe where it copies and makes named tuples."""
    from sandbox import copying

    copy.copy, copy.deepcopy = copying.shallow_copy, copying.deep_copy  # type: ignore[assignment]
    collections.namedtuple = namedtuple  # type: ignore[assignment]
    seal_enum()


def seal_enum() -> None:
    """Have the functional form of `Enum` refuse special names, which a class statement refuses too."""
    make = enum.EnumMeta._create_  # type: ignore[attr-defined]

    def checked(cls: Any, class_name: Any, names: Any, **options: Any) -> Any:
        listed = names.replace(",", " ").split() if isinstance(names, str) else list(names)
        pairs = [each if isinstance(each, str) else each[0] for each in listed]
        if any(is_special(normal_name(each)) for each in pairs):
            msg = "a member of an enumeration has an ordinary name"
            raise TypeError(msg)
        return make(cls, class_name, dict(names) if isinstance(names, Mapping) else listed, **options)

    enum.EnumMeta._create_ = checked  # type: ignore[attr-defined]


_namedtuple: Final = collections.namedtuple


def namedtuple(name: str, fields: Any, **options: Any) -> Any:
    """Make a named tuple class whose patterns read no guarded attribute; in a script it counts as the script's own."""
    made = _namedtuple(name, fields, **options | {"module": "__main__"})
    keep_patterns_plain(made)
    return made


def script_namedtuple(name: str, fields: Any, *, rename: bool = False, defaults: Any = None) -> Any:
    """Make a named tuple class that counts as the script's own."""
    return STEP.adopt(namedtuple(name, fields, rename=rename, defaults=defaults))


class cached_property:  # noqa: N801 - the name that scripts import
    """`functools.cached_property` for objects of the script's own classes: it writes into their `__dict__`."""

    def __init__(self, function: Any) -> None:
        self._function, self._name = function, ""
        self.__doc__ = getattr(function, "__doc__", None)

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if not STEP.guard.owns(type(instance)):
            msg = "cached_property works on objects of the script's own classes"
            raise TypeError(msg)
        held = object.__getattribute__(instance, "__dict__")
        if self._name not in held:
            held[self._name] = self._function(instance)
        return held[self._name]


def total_ordering(cls: Any) -> Any:
    """Do what `functools.total_ordering` does, to classes of the script alone."""
    if not isinstance(cls, type) or not STEP.guard.owns(cls):
        msg = "total_ordering decorates classes of the script"
        raise TypeError(msg)
    return functools.total_ordering(cls)


def abstractmethod(function: Any) -> Any:
    """Do what `abc.abstractmethod` does, to functions of the script alone."""
    if type(function) is FunctionType and not STEP.guard.may_write(function, "__name__"):
        return abc.abstractmethod(function)
    if isinstance(function, classmethod | staticmethod | property):
        return function
    msg = "abstractmethod decorates functions of the script"
    raise TypeError(msg)


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


class _Nothing:
    """`sys.stdin` as scripts see it: always at its end, and nothing that one step could leave for the next."""

    __slots__ = ()

    def read(self, size: int = -1) -> str:
        """Return the empty text that is left."""
        return ""

    readline = read

    def readlines(self, hint: int = -1) -> list[str]:
        """Return the lines that are left: none."""
        return []

    def __iter__(self) -> Iterator[str]:
        return iter(())


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
    from sandbox import copying, formatting

    shared = {name: getattr(SHARED, name) for name in dir(random) if not name.startswith("_") and hasattr(SHARED, name)}
    stream = _Stream()
    kept = ("byteorder", "float_info", "hash_info", "int_info", "intern", "maxsize", "maxunicode", "version")
    system: dict[str, Any] = {name: getattr(sys, name) for name in (*kept, "version_info", "getrecursionlimit")}
    system |= {"argv": ("script",), "platform": "linux", "exit": exit_script, "stdout": stream, "stderr": stream}
    system |= {"setrecursionlimit": set_recursion_limit, "stdin": _Nothing(), "getsizeof": sys.getsizeof}
    return {
        "abc": {"ABCMeta": AbstractClasses, "abstractmethod": abstractmethod},
        "collections": {"namedtuple": script_namedtuple},
        "contextlib": {"redirect_stdout": redirect_stdout, "redirect_stderr": redirect_stdout},
        "copy": {"copy": copying.shallow_copy, "deepcopy": copying.deep_copy},
        "dataclasses": {
            "dataclass": dataclass,
            "make_dataclass": make_dataclass,
            "asdict": copying.as_dict,
            "astuple": copying.as_tuple,
        },
        "functools": {
            "wraps": wraps,
            "update_wrapper": update_wrapper,
            "singledispatch": singledispatch,
            "cached_property": cached_property,
            "total_ordering": total_ordering,
            "WRAPPER_ASSIGNMENTS": ("__name__", "__qualname__", "__doc__"),
        },
        "html.entities": {
            name: MappingProxyType(getattr(html.entities, name))
            for name in ("html5", "name2codepoint", "codepoint2name")
        },
        "operator": {"attrgetter": attrgetter, "methodcaller": methodcaller, "itemgetter": operator.itemgetter},
        "random": shared | {"Random": Random},
        "hashlib": {"algorithms_guaranteed": frozenset(hashlib.algorithms_guaranteed)},
        "string": {"Formatter": formatting.Formatter},
        "sys": system,
        "typing": {"overload": overload, "no_type_check": overload, "final": overload},
        "uuid": {"uuid4": uuid4, "uuid1": uuid1},
    }
