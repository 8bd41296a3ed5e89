"""The builtins of scripts: Python's own, some of them with guards, and `__import__`.

They are created once for all steps of a process.
"""

from __future__ import annotations

import builtins
import inspect
from contextlib import suppress
from typing import Any, Final

from RestrictedPython.Guards import safe_builtins

from controlplane.sandbox.child.language.guards import (
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
    Facade,
    Modules,
    import_refusal,
)

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
"""Modules that functions written in C import, such as `_strptime` in `datetime.strptime`.

They use the `__import__` of the script that runs. It must not refuse these modules, but need not
return them: the functions take the module from `sys.modules` afterwards.
"""


_GIVEN_NAMES: Final = ("harness", "scratchpad", "console", "tools")
"""Names that every script has without an import. An import of them,
which small models tend to write, binds the same objects."""


def exit_script(code: Any = None) -> None:
    """End the script. Scripts call this as `exit`, `quit` or `sys.exit`."""
    raise SystemExit(code)


_MAX_HELP_CHARS: Final = 4_000


def show_help(target: Any = None) -> None:
    """Print what a call, a function, a class or a module is for. Scripts call this as `help`.

    `help(tools.due_date)` prints its parameters, what each of them means, and what it returns.
    """
    if isinstance(target, Facade):
        print(f"{target!r} has {', '.join(dir(target))}"[:_MAX_HELP_CHARS])
        return
    lines: list[str] = []
    # The description of a call of `harness` begins with its parameters.
    is_described = str(getattr(target, "__module__", "")).startswith("controlplane.")
    if callable(target) and not is_described:
        with suppress(TypeError, ValueError):
            lines.append(f"{target.__name__}{inspect.signature(target)}")
    lines.append(inspect.getdoc(target) or f"{target!r} has no description")
    print("\n".join(lines)[:_MAX_HELP_CHARS])


def _shared_builtins() -> dict[str, Any]:
    """Return the builtins that scripts of all steps find, such as `len`, except `__import__`.

    Some are replaced by a guard, which checks what a script may do with an object.
    """
    # 1. Builtins of Python as they are.
    names: dict[str, Any] = dict(safe_builtins)
    for name in _FURTHER_BUILTINS.split():
        if hasattr(builtins, name):
            names[name] = getattr(builtins, name)
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            names[name] = value

    # 2. Builtins with guards. They get the names that scripts know, because tracebacks and `repr`
    #    show them: `getattr`, not `guarded_getattr`.
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
    names["help"] = show_help

    # 3. Names that the policy writes into compiled code (`_getattr_`, `_write_`), or that
    #    Python's class statement reads.
    names["_getattr_"] = guarded_getattr
    names["_write_"] = settable
    names["__build_class__"] = builtins.__build_class__
    names["__name__"] = "__main__"
    return names


_SHARED_BUILTINS: Final = _shared_builtins()


def builtins_of_step(modules: Modules) -> dict[str, Any]:
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
        # 1. Not the script, but a function of the library imports a module (`_IMPORTED_BY_C`).
        if name in _IMPORTED_BY_C and name not in modules:
            return None

        # 2. `import harness`, a global name of every script. (`from harness import x` has
        #    a `fromlist`, and is refused below.)
        if name in _GIVEN_NAMES and globals and name in globals and not fromlist:
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
    """Raise `ModuleNotFoundError` if a script cannot import a module, or `name` from it.

    The message says what to use instead: `module 'os' cannot be imported; ...`.
    """
    refusal = import_refusal(module, name)
    if refusal:
        raise ModuleNotFoundError(refusal)
