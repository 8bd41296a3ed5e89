"""What scripts get in place of some names of the standard library.

Each is replaced for one of four reasons: the library's own would read or set attributes without
the guards of scripts; would change something for later steps; would show the sandbox's own code; or
would depend on the machine, so that a replay differs.
"""

from __future__ import annotations

import decimal
import io
import posixpath
import sys
from collections.abc import Mapping
from typing import Any, Final

from controlplane.sandbox.child.language.current_step import DEFAULT_DIGITS, STEP
from controlplane.sandbox.child.language.guards.guarded_functions import (
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
from controlplane.sandbox.child.language.pinned_randomness import (
    random_uuid1,
    random_uuid4,
)
from controlplane.sandbox.child.language.script_builtins import exit_script


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
            # A context can be changed, and is the same for all steps. So each read gives a copy.
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


# `sys.stdout` and `sys.stderr` as a script reads and sets them: those of this process, which
# are the console of the running step.


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
        digits = max(digits, DEFAULT_DIGITS)
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
