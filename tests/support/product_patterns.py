"""The compiled patterns of the product that meet texts from outside, by their places.

A module keeps a pattern in a variable, alone or in a list or a mapping:

    PATH = (re2.compile("/.*"), ...)   in controlplane/gates/paths.py
    -> {"controlplane.gates.paths.PATH.0": <pattern>, ...}
"""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import re2

import controlplane
from controlplane.benchmarks.shop.requests.request_kind import RequestKind

RULE_SET_MODULES = (
    "rule_set",
    "requests.block_marks.authority_marks",
    "requests.block_marks.mark",
    "requests.block_marks.role_marks",
    "requests.block_marks.wordings",
    "requests.block_marks.wrappers",
    "requests.basket_requests",
    "requests.block_policies",
    "requests.file_requests",
    "requests.payment_requests",
    "requests.posed_instructions",
    "requests.product_questions",
    "requests.record_questions",
    "requests.staff_questions",
    "requests.stock_questions",
    "rules.review",
    "workspace.kinds",
)
"""The modules of the shop's rule set, by their names below `benchmarks/shop`. It judges answers
in the process that plays the trials, so that a slow pattern would stop them all."""

PACKAGES_NOT_TIMED = (
    "controlplane.benchmarks",
    "controlplane.sandbox.child",
    "controlplane.sandbox.face",
    "controlplane.sandbox.files",
    "controlplane.sandbox.functions",
    "controlplane.sandbox.interface",
)
"""Packages whose patterns are not timed here: they run where a time limit can end them, or meet
no texts from outside."""


def timed_modules() -> Iterator[str]:
    """Yield the names of the modules whose patterns are timed."""
    for module in pkgutil.walk_packages(controlplane.__path__, "controlplane."):
        is_program = module.name.endswith("__main__")
        if not is_program and not module.name.startswith(PACKAGES_NOT_TIMED):
            yield module.name
    for name in RULE_SET_MODULES:
        yield f"controlplane.benchmarks.shop.{name}"


def values_in(variable: Any) -> list[Any]:
    """Return the values that may be patterns in a module's variable: its items, or itself."""
    if isinstance(variable, RequestKind):
        return [variable.pattern, variable.lookalikes]
    if isinstance(variable, dict):
        return list(variable.values())
    if isinstance(variable, tuple | list):
        return list(variable)
    return [variable]


def compiled_patterns() -> dict[str, Any]:
    """Return each pattern that a timed module has in a variable, by its place.

    `{"controlplane.gates.paths.PATH.0": <pattern>, ...}` is the first pattern in the variable
    `PATH`. A pattern that several modules import is in the result once.
    """
    patterns: dict[str, Any] = {}
    seen_ids: set[int] = set()
    for module_name in timed_modules():
        module = importlib.import_module(module_name)
        for name, variable in vars(module).items():
            for number, value in enumerate(values_in(variable)):
                is_pattern = isinstance(value, re.Pattern | re2._Regexp)
                if is_pattern and id(value) not in seen_ids:
                    seen_ids.add(id(value))
                    patterns[f"{module_name}.{name}.{number}"] = value
    return patterns
