"""What stands in facades in place of the real thing: every library road to an attribute, and all that is not pinned.

Each replacement says what it keeps out. `STEP` is the step that runs; facades are built once and outlive steps.
"""

from __future__ import annotations

import decimal
import functools
import hashlib
import html.entities
import keyword
import posixpath
import random
import sys
import uuid
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Final

from sandbox.attributenames import exact_name, normal_name
from sandbox.attributes import AttributeGuard
from sandbox.errors import title_of
from sandbox.facades import Live
from sandbox.pinned import CLOCK, SEEDS, SHARED, Random
from sandbox.readonly import ReadOnly
from sandbox.scriptnames import AbstractClasses


class CurrentStep:
    """The guard, names and console of the step that runs."""

    guard: AttributeGuard
    adopt: Callable[[Any], Any]
    check_base: Callable[[Any], None]
    """Refuses a base class that was not handed out to be one."""
    console: Any
    describe: Callable[[BaseException], str]
    """Says what an exception is, by lines of the script alone."""
    evaluate: Callable[[str], Any]
    """Evaluates an annotation that is written as text, as an expression of the script."""

    def is_running(self) -> bool:
        """Say whether there is a step that runs."""
        return bool(self.__dict__)

    def forget(self) -> tuple[bool, Callable[[], object]]:
        """Hold nothing of a step that is over; say whether it made an abstract class.

        The function returned with that tells whether something still holds on to what the step made: every function and
        class of a script leads to its guard.
        """
        guard: AttributeGuard | None = self.__dict__.get("guard")
        self.__dict__.clear()
        return (False, lambda: None) if guard is None else (guard.made_abstract, weakref.ref(guard))


STEP: Final = CurrentStep()


class attrgetter:  # noqa: N801 - the name that scripts import
    """`operator.attrgetter`, each name read through the guard."""

    def __init__(self, *names: str) -> None:
        self._paths = [normal_name(exact_name(name)).split(".") for name in names]
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


_TAKEN_OVER: Final = ("__name__", "__qualname__", "__doc__")


def take_titles(wrapper: Any, wrapped: Any, names: Any = _TAKEN_OVER) -> None:
    """Give a wrapper the name and docstring of what it wraps."""
    for name in _TAKEN_OVER:
        value = getattr(wrapped, name, None) if name in names else None
        if type(value) is str:
            setattr(wrapper, name, value)


def update_wrapper(
    wrapper: Any,
    wrapped: Any,
    assigned: Any = functools.WRAPPER_ASSIGNMENTS,
    updated: Any = functools.WRAPPER_UPDATES,
) -> Any:
    """Copy name, docstring and attributes to a function or an object of the script."""
    guard = STEP.guard
    if not guard.wrote(wrapper) and not guard.owns(type(wrapper)):
        return wrapper
    names = tuple(map(exact_name, assigned))
    take_titles(wrapper, wrapped, names)
    if guard.wrote(wrapped):
        if guard.wrote(wrapper) and not {"__annotations__", "__annotate__"}.isdisjoint(names):
            if hasattr(wrapped, "__annotate__"):  # From Python 3.14 on, annotations may name what is not there yet.
                wrapper.__annotate__ = wrapped.__annotate__
            else:
                wrapper.__annotations__ = dict(wrapped.__annotations__)
        if guard.wrote(wrapper) and "__dict__" in tuple(updated):
            wrapper.__dict__.update(wrapped.__dict__)
        wrapper.__wrapped__ = wrapped
    return wrapper


def wraps(wrapped: Any, *options: Any, **named: Any) -> Callable[[Any], Any]:
    """Return a decorator that copies name and docstring."""
    return lambda wrapper: update_wrapper(wrapper, wrapped, *options, **named)


def lru_cache(maxsize: Any = 128, typed: bool = False) -> Any:
    """Do what `functools.lru_cache` does, types told apart as `type()` tells them.

    Its own keys hold them as they are, beside arguments whose `__eq__` may be asked about them.
    """
    if not typed:
        return functools.lru_cache(maxsize)
    if callable(maxsize):
        return lru_cache(typed=True)(maxsize)

    def decorate(function: Any) -> Any:
        cached: Any = functools.lru_cache(maxsize)(lambda kinds, *arguments, **values: function(*arguments, **values))

        def wrapper(*arguments: Any, **values: Any) -> Any:
            kinds = tuple(STEP.guard.sealed_type(type(each)) for each in (*arguments, *values.values()))
            return cached(kinds, *arguments, **values)

        wrapper.cache_info, wrapper.cache_clear = cached.cache_info, cached.cache_clear  # type: ignore[attr-defined]
        wrapper.cache_parameters = lambda: {"maxsize": maxsize, "typed": True}  # type: ignore[attr-defined]
        return functools.update_wrapper(wrapper, function)

    return decorate


def format_exc(limit: Any = None, chain: bool = True) -> str:
    """Return the traceback of the exception that is being handled, through the script's own lines."""
    error = sys.exception()
    return f"{'NoneType: None' if error is None else STEP.describe(error)}\n"


def print_exc(limit: Any = None, file: Any = None, chain: bool = True) -> None:
    """Print what `format_exc` returns."""
    STEP.console.log(format_exc(), end="", file=file)


def format_exception(
    error: Any, /, value: Any = None, tb: Any = None, limit: Any = None, chain: Any = True
) -> list[str]:
    """Return the traceback of an exception, through the script's own lines."""
    return [f"{STEP.describe(error if value is None else value)}\n"]


def print_exception(
    error: Any, /, value: Any = None, tb: Any = None, limit: Any = None, file: Any = None, chain: Any = True
) -> None:
    """Print what `format_exception` returns."""
    STEP.console.log(*format_exception(error, value), end="", file=file)


def format_exception_only(error: Any, /, value: Any = None) -> list[str]:
    """Return the line that says what an exception is."""
    return [f"{title_of(error if value is None else value, lambda name: '')}\n"]


def exc_info() -> tuple[Any, Any, None]:
    """Return the exception that is being handled, its traceback left out."""
    error = sys.exception()
    return None if error is None else type(error), error, None


def overload(function: Any) -> Any:
    """Mark a variant for readers; the implementation that follows takes its place."""
    return function


def uuid4() -> uuid.UUID:
    """Return a random UUID from the step's own randomness."""
    return uuid.UUID(int=SEEDS.getrandbits(128), version=4)


def uuid1(node: Any = None, clock_seq: Any = None) -> uuid.UUID:
    """Return a UUID of version 1 from the step's own randomness: machine and time stay out of it."""
    return uuid.UUID(int=SEEDS.getrandbits(128), version=1)


def uuid6(node: Any = None, clock_seq: Any = None) -> uuid.UUID:
    """Return a UUID of version 6 from the step's own randomness: machine and time stay out of it."""
    return uuid.UUID(int=SEEDS.getrandbits(128), version=6)


def uuid7() -> uuid.UUID:
    """Return a UUID of version 7: the pinned clock's millisecond, and bits from the step's own randomness."""
    return uuid.UUID(int=(CLOCK.now_us // 1_000) << 80 | SEEDS.getrandbits(80), version=7)


def uuid8(a: Any = None, b: Any = None, c: Any = None) -> uuid.UUID:
    """Return a UUID of version 8 of three numbers, each of them from the step's own randomness where it is missing."""
    given = (SEEDS.getrandbits(bits) if each is None else each for each, bits in ((a, 48), (b, 12), (c, 62)))
    return uuid.uuid8(*given)  # type: ignore[attr-defined, no-any-return]


def exit_script(code: Any = None) -> None:
    """End the script."""
    raise SystemExit(code)


def relative_path(path: str, start: str = "/") -> str:
    """Return a path as it is written from another; what is not absolute is below the root, as in calls of harness."""
    return posixpath.relpath(posixpath.join("/", path), posixpath.join("/", start))


_LOWEST_RECURSION_LIMIT: Final = 100
_HIGHEST_RECURSION_LIMIT: Final = 20_000


def set_recursion_limit(limit: int) -> None:
    """Set how deep calls of the script may nest, within what its stack holds."""
    sys.setrecursionlimit(max(_LOWEST_RECURSION_LIMIT, min(limit, _HIGHEST_RECURSION_LIMIT)))


def set_digits(maxdigits: int) -> None:
    """Set how many digits a number may have as text; no fewer than what talk with the parent needs."""
    sys.set_int_max_str_digits(maxdigits and max(maxdigits, sys.int_info.default_max_str_digits))


def table() -> Mapping[str, Mapping[str, Any]]:
    """Return, by module, what stands in place of the real names."""
    from sandbox import classmaking, copying, dispatching, formatting, streams, typehints

    shared = {name: getattr(SHARED, name) for name in dir(random) if not name.startswith("_") and hasattr(SHARED, name)}
    kept = ("byteorder", "float_info", "hash_info", "int_info", "intern", "maxsize", "maxunicode", "version")
    system: dict[str, Any] = {
        name: getattr(sys, name) for name in (*kept, "version_info", "getrecursionlimit", "getdefaultencoding")
    }
    system |= {
        "argv": ("script",),
        "platform": "linux",
        "exit": exit_script,
        "exc_info": exc_info,
        "exception": sys.exception,
        "get_int_max_str_digits": sys.get_int_max_str_digits,
        "set_int_max_str_digits": set_digits,
        "setrecursionlimit": set_recursion_limit,
        "getsizeof": sys.getsizeof,
    }
    return {
        "abc": {"ABCMeta": AbstractClasses, "abstractmethod": classmaking.abstractmethod},
        "collections": {"namedtuple": classmaking.script_namedtuple},
        "contextlib": {"redirect_stdout": streams.redirect_stdout, "redirect_stderr": streams.redirect_stderr},
        "copy": {"copy": copying.shallow_copy, "deepcopy": copying.deep_copy},
        "dataclasses": {
            "dataclass": classmaking.dataclass,
            "make_dataclass": classmaking.make_dataclass,
            "asdict": copying.as_dict,
            "astuple": copying.as_tuple,
        },
        "decimal": {
            name: Live(getattr(decimal, name).copy) for name in ("BasicContext", "ExtendedContext", "DefaultContext")
        },
        "functools": {
            "wraps": wraps,
            "update_wrapper": update_wrapper,
            "lru_cache": lru_cache,
            "singledispatch": dispatching.singledispatch,
            "singledispatchmethod": dispatching.singledispatchmethod,
            "cached_property": classmaking.cached_property,
            "total_ordering": classmaking.total_ordering,
        },
        "html.entities": {
            name: ReadOnly(getattr(html.entities, name)) for name in ("html5", "name2codepoint", "codepoint2name")
        },
        "keyword": {name: tuple(getattr(keyword, name)) for name in ("kwlist", "softkwlist")},
        "posixpath": {"relpath": relative_path},
        "operator": {"attrgetter": attrgetter, "methodcaller": methodcaller},
        "random": shared | {"Random": Random},
        "hashlib": dict.fromkeys(
            ("algorithms_guaranteed", "algorithms_available"), frozenset(hashlib.algorithms_guaranteed)
        ),
        "string": {"Formatter": formatting.Formatter},
        "sys": system | streams.NAMES,
        "traceback": {"format_exc": format_exc, "print_exc": print_exc, "print_exception": print_exception}
        | {"format_exception": format_exception, "format_exception_only": format_exception_only},
        "typing": dict.fromkeys(("overload", "no_type_check", "final", "override", "disjoint_base"), overload)
        | {name: getattr(typehints, name) for name in ("get_origin", "get_args", "get_type_hints")},
        "uuid": {"uuid4": uuid4, "uuid1": uuid1, "uuid6": uuid6, "uuid7": uuid7, "uuid8": uuid8},
    }
