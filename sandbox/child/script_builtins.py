"""The builtins of a script, what it gets in place of the library's names, and the end of its step."""

from __future__ import annotations

import builtins
import calendar
import csv
import decimal
import gc
import io
import posixpath
import re
import sys
import typing
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from RestrictedPython.Guards import safe_builtins

from controlplane.sandbox.child.library_guards import (
    attrgetter,
    make_dataclass,
    methodcaller,
    origin_of,
    redirect_stderr,
    redirect_stdout,
    update_wrapper,
    wraps,
)
from controlplane.sandbox.child.module_facades import Live
from controlplane.sandbox.child.pinned_library import random_uuid1, random_uuid4
from controlplane.sandbox.child.script_guards import (
    guarded_getattr,
    own_object,
    script_delattr,
    script_dir,
    script_hasattr,
    script_setattr,
    script_type,
    script_vars,
)
from controlplane.sandbox.child.script_modules import NO_PACKAGE, Modules, import_refusal

# Builtins

_FURTHER_BUILTINS: Final = (
    "all any ascii bin bytearray bytes classmethod dict enumerate filter format frozenset iter "
    "list map max memoryview min next NotImplemented object print property reversed set sorted "
    "staticmethod sum super tuple zip "
    "frozendict sentinel"  # From Python 3.15 on.
)
"""Builtins of which RestrictedPython has no safe form, and which need none here: what they iterate
over and make is the script's own, or a copy."""

_IMPORTED_BY_C: Final = frozenset(
    {"_pylong", "_strptime", "time", "locale", "warnings", "zoneinfo._common"}
)
"""Modules that functions written in C import through the script's frame. What they import this way
is not what they use."""


def exit_script(code: Any = None) -> None:
    """End the script."""
    raise SystemExit(code)


def _shared_builtins() -> dict[str, Any]:
    """Return the builtins that all steps share."""
    names: dict[str, Any] = dict(safe_builtins)
    for name in _FURTHER_BUILTINS.split():
        if hasattr(builtins, name):
            names[name] = getattr(builtins, name)
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            names[name] = value

    guarded_builtins = {
        "getattr": guarded_getattr,
        "hasattr": script_hasattr,
        "setattr": script_setattr,
        "delattr": script_delattr,
        "vars": script_vars,
        "dir": script_dir,
    }
    for name, function in guarded_builtins.items():
        # Messages use the name that scripts know.
        function.__name__ = name
        function.__qualname__ = name
    names.update(guarded_builtins)

    names["type"] = script_type
    names["exit"] = exit_script
    names["quit"] = exit_script
    names["_getattr_"] = guarded_getattr
    names["_write_"] = own_object
    names["__build_class__"] = builtins.__build_class__
    names["__name__"] = "__main__"
    return names


_SHARED_BUILTINS: Final = _shared_builtins()


def script_names(modules: Modules) -> dict[str, Any]:
    """Return the builtins of a new step, whose import statements bind `modules`."""

    def import_module(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        """Return the module that an import statement binds. Raises `ImportError` with a remedy."""
        if name in _IMPORTED_BY_C and name not in modules:
            return None
        if level:
            raise ModuleNotFoundError(NO_PACKAGE)
        for imported_name in fromlist or (None,):
            refusal = import_refusal(name, imported_name)
            if refusal:
                raise ModuleNotFoundError(refusal)
        return modules[name if fromlist else name.partition(".")[0]]

    return {**_SHARED_BUILTINS, "__import__": import_module}


# The running step, as the library's replacements need it


class CurrentStep:
    """The step that runs in this process; its fields are set for the time of a step."""

    describe: Callable[[BaseException], str]
    """Returns the traceback of an exception, through lines of the script alone."""
    call: Callable[[str, list[Any], dict[str, Any]], Any]
    """Makes a call: takes an operation, its positional and its named arguments."""
    answer: Callable[[Any, Any], None]
    """Submits the answer: takes the scratchpad and `verify`."""


STEP: Final = CurrentStep()

_DIALECTS: Final[dict[str, Any]] = {name: csv.get_dialect(name) for name in csv.list_dialects()}
_MAX_CSV_FIELD: Final = csv.field_size_limit()
_RECURSION_LIMIT: Final = 1_000  # Python's own
_DEFAULT_DIGITS: Final = sys.int_info.default_max_str_digits


def forget_step() -> None:
    """Release the objects of a step, whose finalizers run now, and restore the library.

    What the library lets a script set for its whole process gets its default.
    """
    vars(STEP).clear()
    # Until the next step has its own.
    sys.stdout = None
    sys.stderr = None
    sys.modules.pop("__main__", None)
    gc.collect()

    sys.setrecursionlimit(_RECURSION_LIMIT)
    sys.set_int_max_str_digits(_DEFAULT_DIGITS)
    decimal.setcontext(decimal.Context())
    calendar.setfirstweekday(calendar.MONDAY)
    csv.field_size_limit(_MAX_CSV_FIELD)
    _restore_dialects()
    typing.clear_overloads()


def _restore_dialects() -> None:
    """Remove the dialects of CSV that a step registered."""
    current = {name: csv.get_dialect(name) for name in csv.list_dialects()}
    if current == _DIALECTS:
        return
    for name in current:
        csv.unregister_dialect(name)
    for name, dialect in _DIALECTS.items():
        csv.register_dialect(name, dialect)


ADDRESS: Final = "0x5ab1e0000040"
"""The address in place of every real one in what a script prints."""

_REAL_ADDRESS: Final = re.compile(r"(?:(?<= at )|(?<= @ ))0x[0-9a-f]{6,16}(?=[>,;:])")
"""Finds the address in the text of an object, as in `<map object at 0x7f3a5c0b1d60>`."""


def with_stable_addresses(text: str) -> str:
    """Return a text with one address in place of the real ones, which differ between runs."""
    if " 0x" not in text:
        return text
    return _REAL_ADDRESS.sub(ADDRESS, text)


# Replacements of the library's names


def replacements() -> Mapping[str, Mapping[str, Any]]:
    """Return what scripts get in place of names of the library, by module."""
    return {
        "contextlib": {"redirect_stdout": redirect_stdout, "redirect_stderr": redirect_stderr},
        "dataclasses": {"make_dataclass": make_dataclass},
        "decimal": {
            # A copy for each reading, since steps share the library's own.
            "BasicContext": Live(decimal.BasicContext.copy),
            "ExtendedContext": Live(decimal.ExtendedContext.copy),
            "DefaultContext": Live(decimal.DefaultContext.copy),
        },
        "functools": {"update_wrapper": update_wrapper, "wraps": wraps},
        "operator": {"attrgetter": attrgetter, "methodcaller": methodcaller},
        "posixpath": {"relpath": relative_path},
        "sys": {
            "argv": ("script",),
            "platform": "linux",
            "exit": exit_script,
            "exc_info": exc_info,
            "set_int_max_str_digits": set_max_digits,
            "setrecursionlimit": set_recursion_limit,
            "stdin": Live(io.StringIO),
            "stdout": Live(partial(getattr, sys, "stdout"), partial(setattr, sys, "stdout")),
            "stderr": Live(partial(getattr, sys, "stderr"), partial(setattr, sys, "stderr")),
        },
        "traceback": {"format_exc": format_exc, "print_exc": print_exc},
        "typing": {"get_origin": origin_of},
        "uuid": {"uuid1": random_uuid1, "uuid4": random_uuid4},
    }


def relative_path(path: str, start: str = "/") -> str:
    """Return `path` relative to `start`; both are below the root, as for `harness`."""
    return posixpath.relpath(f"/{path}", f"/{start}")


def exc_info() -> tuple[Any, Any, None]:
    """Return the exception that is being handled, without its traceback."""
    error = sys.exception()
    if error is None:
        return None, None, None
    return type(error), error, None


def set_max_digits(digits: int) -> None:
    """Limit the digits of written integers. Messages to the parent need the default number."""
    if digits:  # 0 is no limit.
        digits = max(digits, _DEFAULT_DIGITS)
    sys.set_int_max_str_digits(digits)


_LEAST_RECURSION: Final = 100
_MOST_RECURSION: Final = 20_000
"""Calls within calls: the end of a step needs the first number, and the stack holds the second."""


def set_recursion_limit(limit: int) -> None:
    """Set the limit of calls within calls, within bounds."""
    sys.setrecursionlimit(max(_LEAST_RECURSION, min(limit, _MOST_RECURSION)))


def format_exc(limit: Any = None, chain: bool = True) -> str:
    """Return the traceback of the current exception, through the script's own lines."""
    error = sys.exception()
    if error is None:
        return "NoneType: None\n"  # as the library does
    return f"{STEP.describe(error)}\n"


def print_exc(limit: Any = None, file: Any = None, chain: bool = True) -> None:
    """Print the traceback of the current exception, through the script's own lines."""
    print(format_exc(), end="", file=file or sys.stderr)
