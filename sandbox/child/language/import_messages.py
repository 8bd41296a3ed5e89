"""What a model is told about an import that is not possible, or one that is missing.

`import requests` is refused with `module 'requests' cannot be imported; there is no network;
...`. A script that uses `Counter` without an import is told which import to write.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

from controlplane.sandbox.child.language.importable_names import IMPORTABLE
from controlplane.sandbox.child.language.remedies import (
    ATTRIBUTES_INSTEAD,
    MODULES_INSTEAD,
)

_HINTED_MODULES: Final = (
    "collections",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "typing",
)
"""Modules for which `import_hint` suggests an import. A script that uses an undefined
name such as `Counter` or `Decimal` almost certainly means the one of these modules."""

NO_PACKAGE: Final = "relative imports are not available; there is only this script"


def offered_modules() -> list[str]:
    """Return the modules that a script may import, sorted, without `__future__`."""
    return sorted(name for name in IMPORTABLE if not name.startswith("_"))


def import_refusal(module: str, name: str | None) -> str:
    """Return why a script cannot import `module`, or `name` from it; empty if it can.

    `import_refusal("os", None)` returns `module 'os' cannot be imported; ...` with what
    to use instead.
    """
    names = IMPORTABLE.get(module)
    if names is None:
        package = module.split(".")[0]
        remedy = MODULES_INSTEAD.get(module) or MODULES_INSTEAD.get(package)
        if not remedy:
            remedy = f"there are {', '.join(offered_modules())}"
        return f"module {module!r} cannot be imported; {remedy}"

    if name is None or name in names or f"{module}.{name}" in IMPORTABLE:
        return ""
    return f"{name!r} cannot be imported from {module!r}{other_name(name, names)}"


def import_hint(name: str) -> str:
    """Return how to import a name that a script uses without importing it; empty if unknown.

    For `Counter`: imports end with their step; write `from collections import Counter` here.
    A model often expects that an import of its last script still holds. (Each step runs one
    script.)
    """
    statements = []
    if name in IMPORTABLE:
        statements.append(f"`import {name}`")
    for module in _HINTED_MODULES:
        if name in IMPORTABLE[module]:
            statements.append(f"`from {module} import {name}`")
            break

    if not statements:
        return ""
    return f"imports end with their step; write {' or '.join(statements)} here"


def other_name(name: str, names: Iterable[str]) -> str:
    """Return the end of a message about a name that is not among `names`: what to use instead.

    For `dump` among the names of `json`: `; did you mean 'dumps'?`. Empty if unknown.
    """
    if name in ATTRIBUTES_INSTEAD:
        return f"; {ATTRIBUTES_INSTEAD[name]}"
    similar_names = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {similar_names[0]!r}?" if similar_names else ""
