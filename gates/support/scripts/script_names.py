"""The values that each name of a script may hold."""

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

    A name is untraceable if it may hold anything, such as a parameter of a function
    whose callers are not all known.
    """

    values: dict[str, list[ast.expr]] = field(default_factory=dict)
    """Every expression that is bound to a name or stored in its object."""
    plain_values: dict[str, ast.expr] = field(default_factory=dict)
    """By name, the value of its last `name = value`."""
    imported: set[str] = field(default_factory=set)
    """Modules, and what is imported from them."""
    untraceable: set[str] = field(default_factory=set)
    """Names that may hold anything."""
    rebinds_environment: bool = False
    """True if the script assigns something else to the name of the environment."""

    def of(self, name: str) -> list[ast.expr] | None:
        """Return the expressions that a name may hold; None if it may hold anything.

        An empty list means that the name is known and holds no input, such as `len`.
        """
        if name in self.untraceable:
            return None
        if name in self.values:
            return self.values[name]
        is_known = name in self.imported or name in _BUILTINS
        return [] if is_known else None

    def only_value(self, name: str) -> ast.expr | None:
        """Return the value of a name that is bound once, by `name = value`; else None."""
        if len(self.values.get(name, ())) != 1 or name in self.untraceable:
            return None
        # Not there if its only binding is another one, such as `for name in rows`.
        return self.plain_values.get(name)

    def add(self, name: str, value: ast.expr) -> None:
        """Record that a name may hold a value."""
        self.values.setdefault(name, []).append(value)

    def add_each(self, names: Iterable[str], values: Iterable[ast.expr]) -> None:
        """Record that each name may hold each value."""
        for name in names:
            for value in values:
                self.add(name, value)

    def add_to_target(self, target: ast.AST, value: ast.expr) -> None:
        """Record that every name in a target, such as `a, rows[0]`, may hold a value."""
        for name in names_in(target):
            self.add(name, value)

    def declare(self, name: str) -> None:
        """Record that a name is known, even if it holds no value, such as `def f(): pass`."""
        self.values.setdefault(name, [])
