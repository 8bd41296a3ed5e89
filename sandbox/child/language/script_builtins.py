"""The builtins of scripts, and what scripts get instead of some functions of the standard library.

Both are created once for all steps of a process. Some of these functions,
such as `traceback.format_exc`, act for the current step, which they find in `STEP`.
After each step, `forget_step` clears `STEP` and undoes what the script may
have changed in the library.
"""

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
from typing import Any, Final

from RestrictedPython.Guards import safe_builtins

from controlplane.sandbox.child.language.library_guards import (
    attrgetter,
    make_dataclass,
    methodcaller,
    origin_of,
    redirect_stderr,
    redirect_stdout,
    update_wrapper,
    wraps,
)
from controlplane.sandbox.child.language.module_facades import Live
from controlplane.sandbox.child.language.pinned_library import (
    random_uuid1,
    random_uuid4,
)
from controlplane.sandbox.child.language.script_guards import (
    guarded_getattr,
    script_delattr,
    script_dir,
    script_hasattr,
    script_setattr,
    script_type,
    script_vars,
    settable,
)
from controlplane.sandbox.child.language.script_modules import (
    NO_PACKAGE,
    Modules,
    import_refusal,
)

# Builtins

_FURTHER_BUILTINS: Final = (
    "all any ascii bin bytearray bytes classmethod dict enumerate filter format frozenset iter "
    "list map max memoryview min next NotImplemented object print property reversed set sorted "
    "staticmethod sum super tuple zip "
    "frozendict sentinel"  # From Python 3.15 on.
)
"""Builtins that are not in RestrictedPython's `safe_builtins`, but
are harmless here: they work on objects of the script, or on copies."""

_IMPORTED_BY_C: Final = frozenset(
    {"_pylong", "_strptime", "time", "locale", "warnings", "zoneinfo._common"}
)
"""Modules that functions in C import, such as `_strptime` in `datetime.strptime`.
They call the `__import__` of the script that runs, but take the module from
`sys.modules` afterwards. So the returned value does not matter."""


GIVEN_NAMES: Final = ("harness", "scratchpad", "console")
"""Names that every script has without an import. An import of them,
which small models tend to write, binds the same objects."""


def exit_script(code: Any = None) -> None:
    """End the script. Scripts call this as `exit`, `quit` or `sys.exit`."""
    raise SystemExit(code)


def _shared_builtins() -> dict[str, Any]:
    """Return the builtins of all steps, except `__import__`."""
    # 1. Builtins of Python as they are.
    names: dict[str, Any] = dict(safe_builtins)
    for name in _FURTHER_BUILTINS.split():
        if hasattr(builtins, name):
            names[name] = getattr(builtins, name)
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            names[name] = value

    # 2. Builtins with guards, under the names that scripts know, because messages show them.
    guarded_builtins = {
        "getattr": guarded_getattr,
        "hasattr": script_hasattr,
        "setattr": script_setattr,
        "delattr": script_delattr,
        "vars": script_vars,
        "dir": script_dir,
    }
    for name, function in guarded_builtins.items():
        function.__name__ = name
        function.__qualname__ = name
    names.update(guarded_builtins)

    names["type"] = script_type
    names["exit"] = exit_script
    names["quit"] = exit_script

    # 3. Names that the policy writes into compiled code (`_getattr_`, `_write_`), or that
    #    Python's class statement reads.
    names["_getattr_"] = guarded_getattr
    names["_write_"] = settable
    names["__build_class__"] = builtins.__build_class__
    names["__name__"] = "__main__"
    return names


_SHARED_BUILTINS: Final = _shared_builtins()


def script_names(modules: Modules) -> dict[str, Any]:
    """Return the builtins of a step. Its import statements can import `modules`."""

    def import_module(
        name: str,
        globals: Any = None,
        locals: Any = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        """Do the same as `__import__`.

        Raises `ModuleNotFoundError` with a hint on what to use instead.
        """
        # 1. A function of the library, written in C, imports a module that scripts may not
        #    have. It ignores the returned value (see `_IMPORTED_BY_C`).
        if name in _IMPORTED_BY_C and name not in modules:
            return None

        # 2. `import harness`, a global name of every script. (`from harness import x` has
        #    a `fromlist`, and is refused below.)
        if name in GIVEN_NAMES and globals and name in globals and not fromlist:
            return globals[name]

        # 3. `from . import x`
        if level > 0:
            raise ModuleNotFoundError(NO_PACKAGE)

        # 4. `from os.path import join` needs the module `os.path`.
        if fromlist:
            for imported_name in fromlist:
                _require_importable(name, imported_name)
            return modules[name]

        # 5. `import os.path` binds `os`.
        _require_importable(name, None)
        package = name.partition(".")[0]
        return modules[package]

    return {**_SHARED_BUILTINS, "__import__": import_module}


def _require_importable(module: str, name: str | None) -> None:
    """Raise `ModuleNotFoundError` if a script cannot import a module, or `name` from it."""
    refusal = import_refusal(module, name)
    if refusal:
        raise ModuleNotFoundError(refusal)


# The running step


class CurrentStep:
    """The step that runs in this process. Its attributes are set when a step begins.

    Between steps it has no attributes: code of a script that still runs then gets an error.
    """

    describe: Callable[[BaseException], str]
    """Returns the traceback of an exception, with only the lines of the script."""
    call: Callable[[str, list[Any], dict[str, Any]], Any]
    """Makes a call: takes an operation, its positional and its named arguments."""
    answer: Callable[[Any, Any], None]
    """Submits the answer: takes the scratchpad and `verify`."""


STEP: Final = CurrentStep()

_DIALECTS: Final[dict[str, Any]] = {
    name: csv.get_dialect(name) for name in csv.list_dialects()
}
_MAX_CSV_FIELD: Final = csv.field_size_limit()
_RECURSION_LIMIT: Final = 1_000  # Python's own
_DEFAULT_DIGITS: Final = sys.int_info.default_max_str_digits


def forget_step() -> None:
    """Release the objects of a step, and restore what it may have changed in the library."""
    # 1. Release the objects, so that their finalizers run now, within the time of the step.
    vars(STEP).clear()
    sys.stdout = None
    sys.stderr = None
    sys.modules.pop("__main__", None)
    gc.collect()

    # 2. Restore settings that the library lets a script change for the whole process.
    sys.setrecursionlimit(_RECURSION_LIMIT)
    sys.set_int_max_str_digits(_DEFAULT_DIGITS)
    decimal.setcontext(decimal.Context())
    calendar.setfirstweekday(calendar.MONDAY)
    csv.field_size_limit(_MAX_CSV_FIELD)
    _restore_dialects()
    typing.clear_overloads()  # They are functions of the script.


def _restore_dialects() -> None:
    """Remove the dialects of CSV that a step registered."""
    current = {name: csv.get_dialect(name) for name in csv.list_dialects()}
    if current == _DIALECTS:
        return
    for name in current:
        csv.unregister_dialect(name)
    for name, dialect in _DIALECTS.items():
        csv.register_dialect(name, dialect)


# Addresses in printed text

ADDRESS: Final = "0x5ab1e0000040"
"""Replaces every real address in printed text. Any number of the usual length would do."""

# `at ` in `<map object at 0x7f3a5c0b1d60>`
_BEFORE_ADDRESS: Final = r"(?:(?<= at )|(?<= @ ))"
# `0x7f3a5c0b1d60`
_HEX_NUMBER: Final = r"0x[0-9a-f]{6,16}"
# `>`, or `,` in `<code object f at 0x7f3a5c0b1d60, file ...>`
_AFTER_ADDRESS: Final = r"(?=[>,;:])"

_REAL_ADDRESS: Final = re.compile(_BEFORE_ADDRESS + _HEX_NUMBER + _AFTER_ADDRESS)
"""Matches an address as Python shows it in the `repr` of an object.
Other hexadecimal numbers do not have such neighbours."""


def with_stable_addresses(text: str) -> str:
    """Return a text with `ADDRESS` instead of real addresses, which differ between runs."""
    if " 0x" not in text:
        return text
    return _REAL_ADDRESS.sub(ADDRESS, text)


# Replacements for names of the library


def replacements() -> Mapping[str, Mapping[str, Any]]:
    """Return the objects that scripts get in place of the library's, by module and name.

    A name that is `Live` gets its value anew whenever a script reads it.
    """
    return {
        "contextlib": {
            "redirect_stdout": redirect_stdout,
            "redirect_stderr": redirect_stderr,
        },
        "dataclasses": {"make_dataclass": make_dataclass},
        "decimal": {
            # These contexts can be changed, so scripts get copies.
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
            # A new empty file each time, so that nothing is shared.
            "stdin": Live(io.StringIO),
            "stdout": Live(_stdout, _set_stdout),
            "stderr": Live(_stderr, _set_stderr),
        },
        "traceback": {"format_exc": format_exc, "print_exc": print_exc},
        "typing": {"get_origin": origin_of},
        "uuid": {"uuid1": random_uuid1, "uuid4": random_uuid4},
    }


def _stdout() -> Any:
    return sys.stdout


def _set_stdout(stream: Any) -> None:
    sys.stdout = stream


def _stderr() -> Any:
    return sys.stderr


def _set_stderr(stream: Any) -> None:
    sys.stderr = stream


def relative_path(path: str, start: str = "/") -> str:
    """Do the same as `posixpath.relpath`, with the root as working directory.

    `relative_path("a/b", "a")` returns `b`. The slashes make both paths absolute: the
    library would otherwise ask the system for the working directory.
    """
    return posixpath.relpath(f"/{path}", f"/{start}")


def exc_info() -> tuple[Any, Any, None]:
    """Do the same as `sys.exc_info`, but without the traceback.

    A traceback would give access to frames of the sandbox.
    """
    error = sys.exception()
    if error is None:
        return None, None, None
    return type(error), error, None


def set_max_digits(digits: int) -> None:
    """Do the same as `sys.set_int_max_str_digits`, but never go below Python's default.

    Messages to the parent may contain integers with that many digits.
    """
    if digits:  # 0 means no limit.
        digits = max(digits, _DEFAULT_DIGITS)
    sys.set_int_max_str_digits(digits)


_MIN_RECURSION: Final = 100
"""The lowest recursion limit. The sandbox's own code
at the end of a step needs this many nested calls."""
_MAX_RECURSION: Final = 20_000
"""The highest recursion limit. More nested calls could overflow the stack and end the process."""


def set_recursion_limit(limit: int) -> None:
    """Do the same as `sys.setrecursionlimit`, within `_MIN_RECURSION` and `_MAX_RECURSION`."""
    sys.setrecursionlimit(max(_MIN_RECURSION, min(limit, _MAX_RECURSION)))


def format_exc(limit: Any = None, chain: bool = True) -> str:
    """Do the same as `traceback.format_exc`, but show only lines of the script."""
    error = sys.exception()
    if error is None:
        return "NoneType: None\n"  # as the library does
    return f"{STEP.describe(error)}\n"


def print_exc(limit: Any = None, file: Any = None, chain: bool = True) -> None:
    """Do the same as `traceback.print_exc`, but show only lines of the script."""
    print(format_exc(), end="", file=file or sys.stderr)
