"""Functions of the standard library that reach attributes or are not deterministic, as scripts get them."""

from __future__ import annotations

import functools
import posixpath
import sys
import uuid
from collections.abc import Callable
from typing import Any, Final

from sandbox.language.attribute_names import exact_name, normal_name
from sandbox.language.script_errors import title_of
from sandbox.library.current_step import STEP
from sandbox.library.pinned_clock import CLOCK, SEEDS


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
