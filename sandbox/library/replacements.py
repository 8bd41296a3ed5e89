"""What stands in the modules that scripts import in place of the real names: guarded, or the same in every run."""

from __future__ import annotations

import decimal
import functools
import hashlib
import html.entities
import io
import keyword
import posixpath
import random
import sys
import typing
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from sandbox.language.attribute_names import exact_name, normal_name
from sandbox.language.script_errors import title_of
from sandbox.library.attribute_guard import owns
from sandbox.library.current_step import STEP
from sandbox.library.module_facades import Live
from sandbox.library.pinned_clock import SHARED, UUIDS, Random
from sandbox.library.script_builtins import AbstractClasses
from sandbox.library.script_dataclasses import dataclass, make_dataclass
from sandbox.library.sealed_type import sealed


def attrgetter(attr: str, /, *attrs: str) -> Callable[[Any], Any]:
    """Do what `operator.attrgetter` does, each name read through the guard."""
    paths = [normal_name(exact_name(name)).split(".") for name in (attr, *attrs)]

    def read(target: Any) -> Any:
        found = tuple(functools.reduce(STEP.guard.read, path, target) for path in paths)
        return found if attrs else found[0]

    return read


def methodcaller(name: str, /, *arguments: Any, **values: Any) -> Callable[[Any], Any]:
    """Do what `operator.methodcaller` does, the method read through the guard."""
    known = normal_name(exact_name(name))
    return lambda target: STEP.guard.read(target, known)(*arguments, **values)


def get_origin(tp: Any) -> Any:
    """Do what `typing.get_origin` does, with `type` as scripts see it."""
    return sealed(typing.get_origin(tp))


def update_wrapper(
    wrapper: Any,
    wrapped: Any,
    assigned: Iterable[str] = functools.WRAPPER_ASSIGNMENTS,
    updated: Iterable[str] = functools.WRAPPER_UPDATES,
) -> Any:
    """Do what `functools.update_wrapper` does, to functions and objects of the script and by its own names alone."""
    names, dicts = tuple(map(exact_name, assigned)), tuple(map(exact_name, updated))
    if not set(functools.WRAPPER_ASSIGNMENTS).issuperset(names) or not {"__dict__"}.issuperset(dicts):
        msg = f"a wrapper takes over {', '.join(functools.WRAPPER_ASSIGNMENTS)} and __dict__ at the most"
        raise TypeError(msg)
    if not STEP.guard.wrote(wrapper) and not owns(type(wrapper)):
        return wrapper
    return functools.update_wrapper(wrapper, wrapped, names, dicts)


def wraps(wrapped: Any, *names: Any, **named: Any) -> Callable[[Any], Any]:
    """Return a decorator that does what `update_wrapper` does."""
    return lambda wrapper: update_wrapper(wrapper, wrapped, *names, **named)


def format_exc(limit: Any = None, chain: bool = True) -> str:
    """Return the traceback of the exception that is being handled, through the script's own lines."""
    error = sys.exception()
    return f"{'NoneType: None' if error is None else STEP.describe(error)}\n"


def print_exc(limit: Any = None, file: Any = None, chain: bool = True) -> None:
    """Print what `format_exc` returns."""
    print(format_exc(), end="", file=sys.stderr if file is None else file)


def format_exception(error: Any, /, value: Any = None, *options: Any, **named: Any) -> list[str]:
    """Return the traceback of an exception, through the script's own lines."""
    return [f"{STEP.describe(error if value is None else value)}\n"]


def print_exception(error: Any, /, value: Any = None, *options: Any, file: Any = None, **named: Any) -> None:
    """Print what `format_exception` returns."""
    print(*format_exception(error, value), end="", file=sys.stderr if file is None else file)


def format_exception_only(error: Any, /, value: Any = None) -> list[str]:
    """Return the line that says what an exception is."""
    return [f"{title_of(error if value is None else value, lambda name: '')}\n"]


def exc_info() -> tuple[Any, Any, None]:
    """Return the exception that is being handled, its traceback left out."""
    error = sys.exception()
    return None if error is None else type(error), error, None


def exit_script(code: Any = None) -> None:
    """End the script."""
    raise SystemExit(code)


def relative_path(path: str, start: str = "/") -> str:
    """Return a path as it is written from another; one that is not absolute is below the root, as for `harness`."""
    return posixpath.relpath(posixpath.join("/", path), posixpath.join("/", start))


_LOWEST_RECURSION_LIMIT: Final = 100
_HIGHEST_RECURSION_LIMIT: Final = 20_000


def set_recursion_limit(limit: int) -> None:
    """Set how deep calls of the script may nest, within what its stack holds."""
    sys.setrecursionlimit(max(_LOWEST_RECURSION_LIMIT, min(limit, _HIGHEST_RECURSION_LIMIT)))


def set_digits(maxdigits: int) -> None:
    """Set how many digits a number may have as text; messages to the parent need the default at the least."""
    sys.set_int_max_str_digits(maxdigits and max(maxdigits, sys.int_info.default_max_str_digits))


def _stream(name: str) -> Live:
    return Live(functools.partial(getattr, sys, name), functools.partial(setattr, sys, name))


def _system() -> dict[str, Any]:
    kept = (
        *("byteorder", "float_info", "hash_info", "int_info", "intern", "maxsize", "maxunicode", "version"),
        *("version_info", "getrecursionlimit", "getdefaultencoding", "exception", "get_int_max_str_digits"),
        "getsizeof",
    )
    return {name: getattr(sys, name) for name in kept} | {
        "argv": ("script",),
        "platform": "linux",
        "exit": exit_script,
        "exc_info": exc_info,
        "set_int_max_str_digits": set_digits,
        "setrecursionlimit": set_recursion_limit,
        "stdin": Live(io.StringIO),
        "stdout": _stream("stdout"),
        "stderr": _stream("stderr"),
    }


def table() -> Mapping[str, Mapping[str, Any]]:
    """Return, by module, what stands in place of the real names."""
    shared = {name: getattr(SHARED, name) for name in dir(random) if not name.startswith("_") and hasattr(SHARED, name)}
    contexts = ("BasicContext", "ExtendedContext", "DefaultContext")
    entities = ("html5", "name2codepoint", "codepoint2name")
    exceptions = (format_exc, print_exc, format_exception, print_exception, format_exception_only)
    return {
        "abc": {"ABCMeta": AbstractClasses},
        "dataclasses": {"dataclass": dataclass, "make_dataclass": make_dataclass},
        "decimal": {name: Live(getattr(decimal, name).copy) for name in contexts},
        "functools": {"update_wrapper": update_wrapper, "wraps": wraps},
        "html.entities": {name: MappingProxyType(getattr(html.entities, name)) for name in entities},
        "keyword": {name: tuple(getattr(keyword, name)) for name in ("kwlist", "softkwlist")},
        "posixpath": {"relpath": relative_path},
        "operator": {"attrgetter": attrgetter, "methodcaller": methodcaller},
        "random": shared | {"Random": Random},
        "hashlib": dict.fromkeys(
            ("algorithms_guaranteed", "algorithms_available"), frozenset(hashlib.algorithms_guaranteed)
        ),
        "sys": _system(),
        "traceback": {each.__name__: each for each in exceptions},
        "typing": {"get_origin": get_origin},
        "uuid": UUIDS,
    }
