"""Collects what a script stores in objects.

    rows.append(row)       `rows` may now hold `row`
    part = table["a"]
    part.append(7)         `part` may now hold 7, and so may `table`, of which it is a part

So a value that is read from `rows` depends on everything on which `row` depends.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.gates.support.scripts.reading_methods import READING_METHODS
from controlplane.gates.support.scripts.script_names import Definitions
from controlplane.gates.support.scripts.script_syntax import arguments_of, names_in

_STORING_FUNCTIONS: Final = frozenset(
    {"heappush", "heappushpop", "heapreplace"}
    | {"insort", "insort_left", "insort_right", "setitem"}
)
"""Functions of the standard library that store their other arguments in the first one."""


def collect_changes(tree: ast.Module, definitions: Definitions) -> None:
    """Record in `definitions` what a script stores in objects.

    All assignments of the script must be recorded already: `rows = []`, `rows[0] = row`.
    """
    # 1. Record what each call stores, and find the names whose objects change.
    changed_names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call():  # rows.append(row)
                for change in _changes_by(node):
                    names = set(names_in(change.changed)) - definitions.imported
                    definitions.add_each(names, change.values)
                    changed_names |= names
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                changed_names.update(names_in(node.value))  # rows[0] = row

    # 2. Pass the changes on: `part.append(7)` also changes the `table` of `part = table["a"]`.
    #    In alphabetical order, because the order of a set differs in each process, and decides
    #    in which order the files behind a value are shown.
    for name in sorted(changed_names):
        _pass_on_to_containers(name, definitions)


@dataclass(frozen=True, slots=True)
class _Change:
    """Values that a call may store in an object, as `rows.append(row)` does."""

    changed: ast.expr
    """The object: `rows`."""
    values: Sequence[ast.expr]
    """What it may hold now: `row`."""


def _changes_by(call: ast.Call) -> Iterator[_Change]:
    """Yield what a call may store in its object, or in its first argument."""
    if isinstance(call.func, ast.Attribute) and call.func.attr not in READING_METHODS:
        yield _Change(call.func.value, arguments_of(call))  # rows.append(row)
    if call.args and _stores_in_first_argument(call.func):
        yield _Change(call.args[0], call.args[1:])  # heappush(rows, row)


def _stores_in_first_argument(function: ast.expr) -> bool:
    """Return True for `heappush` and other functions that put a value into their first argument."""
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _STORING_FUNCTIONS
    return False


def _pass_on_to_containers(part: str, definitions: Definitions) -> None:
    """Record that an object changes if one of its parts does.

        part = table["a"]
        part.append(7)

    The 7 is now in `table`, too. So `table` may hold what `part` holds, as after
    `table = part`.
    """
    for value in list(definitions.values.get(part, ())):
        if _may_be_part(value):
            for container in names_in(value):
                definitions.add(container, ast.Name(part))


def _may_be_part(value: ast.expr) -> bool:
    """Return True if an expression may be a part of an object: `table["a"]`, `table.values()`."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Attribute)
    return isinstance(value, ast.Name | ast.Attribute | ast.Subscript)
