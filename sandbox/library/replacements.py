"""Replacements for names in the modules that scripts import: guarded, or the same in every run.

The library evaluates annotations written as text without the guard, so they may only be names.
"""

from __future__ import annotations

import ast
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
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from sandbox.library.attribute_guard import sealed
from sandbox.library.built_in_types import STEP
from sandbox.library.importable_modules import Live
from sandbox.library.pinned_clock import SHARED, UUIDS, Random
from sandbox.library.script_builtins import AbstractClasses, dataclass, make_dataclass
from sandbox.walls.attribute_names import exact_name, is_plain, is_special, normal_name, owns
from sandbox.walls.script_errors import title_of

_GET_TYPE_HINTS: Final = typing.get_type_hints
_EVALUATE: Final[Any] = getattr(typing.ForwardRef, "evaluate", None)
"""From Python 3.14 on, all evaluation goes through this function."""
_SYNTAX: Final = (
    *(ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple, ast.List, ast.Constant, ast.Starred),
    *(ast.BinOp, ast.BitOr, ast.UnaryOp, ast.USub, ast.Load),
)
"""The syntax of annotations: names and combinations of names; nothing is called."""
_LOWEST_RECURSION_LIMIT: Final = 100
_HIGHEST_RECURSION_LIMIT: Final = 20_000


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


def format_exception(error: Any, /, value: Any = None, *options: Any, **named: Any) -> list[str]:
    """Return the traceback of an exception, through the script's own lines."""
    return [f"{STEP.describe(error if value is None else value)}\n"]


def format_exception_only(error: Any, /, value: Any = None) -> list[str]:
    """Return the line that says what an exception is."""
    return [f"{title_of(error if value is None else value, lambda name: '')}\n"]


def print_exception(error: Any, /, value: Any = None, *options: Any, file: Any = None, **named: Any) -> None:
    """Print what `format_exception` returns."""
    print(*format_exception(error, value), end="", file=sys.stderr if file is None else file)


def format_exc(limit: Any = None, chain: bool = True) -> str:
    """Return the traceback of the exception that is being handled, through the script's own lines."""
    error = sys.exception()
    return "NoneType: None\n" if error is None else format_exception(error)[0]


def print_exc(limit: Any = None, file: Any = None, chain: bool = True) -> None:
    """Print what `format_exc` returns."""
    print(format_exc(), end="", file=sys.stderr if file is None else file)


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


def set_recursion_limit(limit: int) -> None:
    """Set how deep calls of the script may nest, within what its stack holds."""
    sys.setrecursionlimit(max(_LOWEST_RECURSION_LIMIT, min(limit, _HIGHEST_RECURSION_LIMIT)))


def set_digits(maxdigits: int) -> None:
    """Set how many digits a number may have as text; messages to the parent need the default at the least."""
    sys.set_int_max_str_digits(maxdigits and max(maxdigits, sys.int_info.default_max_str_digits))


def table() -> Mapping[str, Mapping[str, Any]]:
    """Return the replacements of real names, by module."""
    shared = {name: getattr(SHARED, name) for name in dir(random) if not name.startswith("_") and hasattr(SHARED, name)}
    contexts = ("BasicContext", "ExtendedContext", "DefaultContext")
    entities = ("html5", "name2codepoint", "codepoint2name")
    exceptions = (format_exc, print_exc, format_exception, print_exception, format_exception_only)
    kept = (
        "byteorder float_info hash_info int_info intern maxsize maxunicode version version_info getrecursionlimit "
        "getdefaultencoding exception get_int_max_str_digits getsizeof"
    )
    streams = {name: Live(partial(getattr, sys, name), partial(setattr, sys, name)) for name in ("stdout", "stderr")}
    system = {
        "argv": ("script",),
        "platform": "linux",
        "exit": exit_script,
        "exc_info": exc_info,
        "set_int_max_str_digits": set_digits,
        "setrecursionlimit": set_recursion_limit,
        "stdin": Live(io.StringIO),
    }
    return {
        "abc": {"ABCMeta": AbstractClasses},
        "dataclasses": {"dataclass": dataclass, "make_dataclass": make_dataclass},
        "decimal": {name: Live(getattr(decimal, name).copy) for name in contexts},
        "functools": {"update_wrapper": update_wrapper, "wraps": wraps},
        "hashlib": dict.fromkeys(
            ("algorithms_guaranteed", "algorithms_available"), frozenset(hashlib.algorithms_guaranteed)
        ),
        "html.entities": {name: MappingProxyType(getattr(html.entities, name)) for name in entities},
        "keyword": {name: tuple(getattr(keyword, name)) for name in ("kwlist", "softkwlist")},
        "operator": {"attrgetter": attrgetter, "methodcaller": methodcaller},
        "posixpath": {"relpath": relative_path},
        "random": shared | {"Random": Random},
        "sys": {name: getattr(sys, name) for name in kept.split()} | streams | system,
        "traceback": {function.__name__: function for function in exceptions},
        "typing": {"get_origin": get_origin},
        "uuid": UUIDS,
    }


def check_text(text: str) -> None:
    """Raise `TypeError` for an annotation that is more than names. Text that is not Python cannot be evaluated."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        is_reached = isinstance(node, ast.Attribute) and not is_plain(node.attr)
        is_named = isinstance(node, ast.Name) and is_special(node.id)
        if not isinstance(node, _SYNTAX) or is_reached or is_named:
            msg = f"the annotation {text!r} is more than names"
            raise TypeError(msg)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            check_text(node.value)


def _check(hint: Any) -> None:
    """Raise `TypeError` unless everything written as text in a hint is names."""
    if isinstance(hint, str):
        check_text(str.__str__(hint))
    elif isinstance(hint, typing.ForwardRef):
        check_text(hint.__forward_arg__)
    elif isinstance(hint, list | tuple):
        for part in hint:
            _check(part)
    elif typing.get_origin(hint) is not typing.Literal:
        parts = typing.get_args(hint)
        _check(parts[:1] if typing.get_origin(hint) is typing.Annotated else parts)


def _get_type_hints(target: Any, *names: Any, include_extras: bool = False, **others: Any) -> Any:
    """Do what `typing.get_type_hints` does; text is evaluated among the names of the target's module."""
    owners = type.mro(target) if isinstance(target, type) else []
    annotated = [vars(kind).get("__annotations__", {}) for kind in owners] or [getattr(target, "__annotations__", {})]
    for hints in annotated:
        _check(list(hints.values()))
    return _GET_TYPE_HINTS(target, include_extras=include_extras)


def _evaluate(reference: Any, **options: Any) -> Any:
    check_text(reference.__forward_arg__)
    return _EVALUATE(reference, **options)


def install() -> None:
    """Guard the library's own evaluation of text in this process."""
    if _EVALUATE is None:
        vars(typing)["get_type_hints"] = _get_type_hints
    else:
        reference: Any = typing.ForwardRef
        reference.evaluate = _evaluate
