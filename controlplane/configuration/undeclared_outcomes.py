"""Which outcomes the trials of a benchmark have that declares none.

Usually these are the general ones. If the benchmark's own code or data names an outcome that only the
platform has, such as `OUTCOME_DENIED_SECURITY`, its graders may demand it: then they are the platform's.
"""

from __future__ import annotations

import dataclasses
import sys
import sysconfig
from collections.abc import Iterable
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Final

from controlplane.sandbox.interface.outcomes import (
    GENERAL_OUTCOMES,
    PLATFORM_OUTCOMES,
    Outcomes,
    names_platform_outcome,
)

_PRODUCTS_BENCHMARKS: Final = "controlplane.benchmarks."
_MAX_VALUES: Final = 200_000
"""No more values are looked at: a benchmark may hold any amount of data."""


def undeclared_outcomes(benchmark: object) -> Outcomes:
    """Return the outcomes of a benchmark, given as the object that its module has made.

    Looked at are its attributes, its class, and the modules of the user's that they come from.
    """
    if type(benchmark).__module__.startswith(_PRODUCTS_BENCHMARKS):
        return GENERAL_OUTCOMES  # One with other outcomes declares them.
    code = _UsersCode(package=type(benchmark).__module__.partition(".")[0])
    pending: list[object] = [type(benchmark), *_attributes_of(benchmark)]
    seen: set[int] = set()
    while pending and len(seen) < _MAX_VALUES:
        value = pending.pop()
        if isinstance(value, str):
            if names_platform_outcome(value):
                return PLATFORM_OUTCOMES
        elif id(value) not in seen:
            seen.add(id(value))
            pending += code.parts_of(value)
    return GENERAL_OUTCOMES


def _attributes_of(value: object) -> list[object]:
    """Return what an object holds, without running code of its own."""
    try:
        attributes = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return []
    return [*attributes.values()]


class _UsersCode:
    """Knows which modules are the user's, and looks only into values that come from these."""

    def __init__(self, package: str) -> None:
        """`package` is the benchmark's own, even if it is installed."""
        self._package = package
        self._installed_folders = tuple(
            sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")
        )

    def parts_of(self, value: object) -> Iterable[object]:
        """Return what a value holds or uses: items, attributes, constants of code, and its module.

        Of values that are neither the user's nor plain data, nothing is returned.
        """
        if isinstance(value, dict):
            return [*value.keys(), *value.values()]
        if isinstance(value, list | tuple | set | frozenset):
            return value
        if isinstance(value, CodeType):
            return value.co_consts
        if isinstance(value, staticmethod | classmethod | MethodType):
            return [value.__func__]
        if isinstance(value, property):
            return [value.fget]
        if isinstance(value, ModuleType):
            return vars(value).values() if self._is_users(value) else ()

        if isinstance(value, FunctionType):
            module = sys.modules.get(value.__module__)
            return [value.__code__, module] if self._is_users(module) else ()
        if isinstance(value, type):
            module = sys.modules.get(value.__module__)
            if not self._is_users(module):
                return ()
            return [*vars(value).values(), *value.__bases__, module]
        return self._parts_of_object(value)

    def _parts_of_object(self, value: object) -> list[object]:
        """Return the attributes of an object of a class of the user's, or of a task of the product's."""
        module = sys.modules.get(type(value).__module__)
        is_task = module is not None and module.__name__.startswith("controlplane.")
        if is_task and dataclasses.is_dataclass(value):
            return [
                getattr(value, field.name, None) for field in dataclasses.fields(value)
            ]
        if self._is_users(module):
            return [*_attributes_of(value), type(value)]
        return []

    def _is_users(self, module: ModuleType | None) -> bool:
        """Return True for a module of the benchmark's package, and for one that is not installed."""
        if module is None:
            return False
        top_name = module.__name__.partition(".")[0]
        if top_name == "controlplane":
            return False
        if top_name == self._package:
            return True
        file = getattr(module, "__file__", None)
        if not file:  # a built-in module, or a program that is typed in
            return module.__name__ == "__main__"
        return not file.startswith(self._installed_folders)
