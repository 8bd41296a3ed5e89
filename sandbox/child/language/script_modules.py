"""The modules of the standard library as a script gets them.

A script never gets a real module, because its attributes lead to other modules
(`json.codecs.sys`). `build_modules` makes a facade for each: an object with the
importable names alone (`importable_names`).
"""

from __future__ import annotations

import ast
import calendar
import csv
import decimal
import gc
import importlib
import sys
import typing
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, Final, TypeAlias

from controlplane.sandbox.child.language.import_messages import other_name
from controlplane.sandbox.child.language.importable_names import IMPORTABLE
from controlplane.sandbox.child.language.module_facades import facade

# The step that runs in a process of scripts, and what is restored after it.
#
# The modules and builtins of scripts exist once for all steps of a process. Some of their
# functions, such as `traceback.format_exc`, act for the current step, which they find in
# `STEP`.


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
DEFAULT_DIGITS: Final = sys.int_info.default_max_str_digits


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
    sys.set_int_max_str_digits(DEFAULT_DIGITS)
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


Modules: TypeAlias = dict[str, Any]
"""What a script gets for an import of a module, by the module's name."""

_ALSO_VALUES: Final = (
    "abc calendar copy datetime email enum html keyword numbers operator random statistics string "
    "struct time types typing uuid xml"
)
"""Modules whose names scripts also give to values: `email = row["email"]`.

`datetime` may mean the module or its class.
"""


def ready_modules(modules: Modules, source: str) -> Modules:
    """Return the modules that a script has without importing them: all that it may import.

    A variable of an earlier script is gone. If it had the name of a module, `if email == ""` must
    fail, and not compare the module. So such a name is a module only in a script that uses it as
    `email.NAME` alone.
    """
    ready = {name: module for name, module in modules.items() if name.isalnum()}
    for name in _names_of_values(source).intersection(_ALSO_VALUES.split()):
        ready.pop(name, None)
    return ready


def _names_of_values(source: str) -> set[str]:
    """Return the names that a script reads, except in front of a dot: `x` of `print(x, y.z)`."""
    tree = ast.parse(source)
    before_dot: set[ast.AST] = set()
    names: set[ast.Name] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            before_dot.add(node.value)
        elif isinstance(node, ast.Name):
            names.add(node)
    return {node.id for node in names - before_dot}


def build_modules(replacements: Mapping[str, Mapping[str, Any]]) -> Modules:
    """Return what a script gets for an import of each module, by the module's name.

    `replacements` has what a script gets in place of the library's own objects:
    `{"time": {"sleep": ...}}`.
    """
    modules: Modules = {}
    # `xml.etree.ElementTree` comes before `xml.etree`, which has it as a member.
    deepest_first = sorted(IMPORTABLE, key=lambda name: name.count("."), reverse=True)
    for module_name in deepest_first:
        members = _members(module_name, replacements.get(module_name, {}), modules)
        modules[module_name] = _module_facade(module_name, members)
    return modules


def _members(
    module_name: str, replacements: Mapping[str, Any], modules: Modules
) -> dict[str, Any]:
    """Return the values of a module's listed names, by name.

    A value is a replacement, the facade of a module below this one, or the library's own.
    """
    module = importlib.import_module(module_name)
    members: dict[str, Any] = {}
    for name in sorted(IMPORTABLE[module_name]):
        if name in replacements:
            replacement = replacements[name]
            if type(replacement) is FunctionType:
                # Messages show the name of a function, so it gets the one that scripts know.
                replacement.__name__ = name
                replacement.__qualname__ = name
            members[name] = replacement
        elif f"{module_name}.{name}" in modules:
            members[name] = modules[f"{module_name}.{name}"]
        elif hasattr(module, name):
            members[name] = getattr(module, name)
    return members


def _module_facade(module_name: str, members: Mapping[str, Any]) -> Any:
    """Return a module as a script sees it. For a missing name its error suggests another."""

    def message_for_missing(name: str) -> str:
        # `datetime.now()` means the class with the module's name.
        namesake = getattr(members.get(module_name), name, None)
        if namesake is not None and not name.startswith("_"):
            return (
                f"module {module_name!r} has no attribute {name!r} here; "
                f"write `from {module_name} import {module_name}`"
            )
        remedy = other_name(name, members)
        return f"module {module_name!r} has no attribute {name!r} here{remedy}"

    return facade(f"module {module_name!r}", members, message_for_missing)
