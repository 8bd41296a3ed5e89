"""The compiled patterns of the product that meet texts from outside, by their places.

Tests measure how long each takes for hostile texts. `timed_modules()` are the modules with such patterns.
A module keeps a pattern in a variable, alone or in a list or a mapping:

    PATH = (re2.compile("/.*"), ...)   in controlplane/gates/paths.py
    -> {"controlplane.gates.paths.PATH.0": <pattern>, ...}
"""

import importlib
import re
from typing import Any

import re2

from controlplane.benchmarks.shop.requests.request_kind import RequestKind
from tests.support.product.timed_modules import timed_modules


def values_in(variable: Any) -> list[Any]:
    """Return the values that may be patterns in a module's variable: its items, or itself."""
    # A kind of request has two patterns: for its wordings, and for what only looks like them.
    if isinstance(variable, RequestKind):
        return [variable.pattern, variable.lookalikes]
    if isinstance(variable, dict):
        return list(variable.values())
    if isinstance(variable, tuple | list):
        return list(variable)
    return [variable]


def compiled_patterns() -> dict[str, Any]:
    """Return each pattern that a timed module has in a variable, by its place.

    The last part of a place is the number of the value in its variable, from 0. A pattern that
    several modules import is in the result once.
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
