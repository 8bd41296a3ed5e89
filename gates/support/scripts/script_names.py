"""The values that each name of a script may hold.

    total = 0
    for row in rows:
        total += fee

Here `total` may hold `0` and `fee`, and `row` may hold `rows`. The values are not exact:
they only serve to find the inputs, such as files, on which a name depends.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from controlplane.gates.support.scripts.script_syntax import names_in

_BUILTINS: Final = frozenset(dir(builtins))


@dataclass(eq=False)
class Definitions:
    """The expressions that each name of one script may hold.

    First the definitions are collected (`add`, `declare`), then they are asked (`of`).
    """

    values: dict[str, list[ast.expr]] = field(default_factory=dict)
    """By name, every expression that is bound to it or stored in its object.

    After `rows = []` and `rows.append(row)`, they are `[]` and `row`.
    """
    last_assigned: dict[str, ast.expr] = field(default_factory=dict)
    """By name, the value of the last `name = value`. `for name in rows` is not recorded here."""
    imported: set[str] = field(default_factory=set)
    """The names of modules, and of what is imported from them: `json`, `sqrt`."""
    untraceable: set[str] = field(default_factory=set)
    """Names that may hold anything, such as the parameter of a function with unknown callers."""
    rebinds_environment: bool = False
    """True if `harness`, by which scripts call the environment, is something else: `harness = 3`."""

    def of(self, name: str) -> list[ast.expr] | None:
        """Return the expressions that a name may hold; None if it may hold anything.

        The list is empty for a name that holds no input: the builtin `len`, the module `json`.
        """
        if name in self.untraceable:
            return None
        if name in self.values:
            return self.values[name]
        is_known = name in self.imported or name in _BUILTINS
        return [] if is_known else None

    def only_value(self, name: str) -> ast.expr | None:
        """Return the value of a name that is bound once, by `name = value`; else None."""
        is_bound_once = len(self.values.get(name, ())) == 1
        if not is_bound_once or name in self.untraceable:
            return None
        return self.last_assigned.get(name)  # None after `for name in rows`

    def add(self, name: str, value: ast.expr) -> None:
        """Record that a name may hold a value."""
        self.values.setdefault(name, []).append(value)

    def add_each(self, names: Iterable[str], values: Iterable[ast.expr]) -> None:
        """Record that each name may hold each value."""
        for name in names:
            for value in values:
                self.add(name, value)

    def add_to_target(self, target: ast.AST, value: ast.expr) -> None:
        """Record that every name in a target may hold a value: `a` and `rows` of `a, rows[0]`."""
        for name in names_in(target):
            self.add(name, value)

    def declare(self, name: str) -> None:
        """Record that a name is known, even if it gets no value: `f` of `def f(): pass`.

        Then `of` returns an empty list for it, instead of None.
        """
        self.values.setdefault(name, [])
