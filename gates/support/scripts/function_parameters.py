"""What the parameters of a function may hold after a call.

    def price(item, count=1): ...

    price(row, 3)      `item` may hold `row`, and `count` may hold 3 or 1
    price(*row)        each may hold `row`: it is unknown which one gets which part

The script is not run. So a parameter may get more values here than it ever holds. That is
safe: no value that it may hold is missing.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from controlplane.gates.support.scripts.script_syntax import arguments_of

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class ParameterValue:
    """A value that a parameter may hold: `8` for `limit` in `def over(rows, limit=8)`."""

    name: str
    value: ast.expr


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of one function of a script, and what a call may give them.

    The script is only read. So a parameter may get more values here than it ever holds, but
    none that it may hold is missing.
    """

    function: Function
    """The definition in the syntax tree, or a lambda."""

    @property
    def positional_names(self) -> list[str]:
        """The parameters that can be given by position."""
        signature = self.function.args
        parameters = [*signature.posonlyargs, *signature.args]
        return [parameter.arg for parameter in parameters]

    @property
    def names(self) -> list[str]:
        """All parameters, with the `rows` of `*rows` and the `options` of `**options`."""
        signature = self.function.args
        names = self.positional_names
        names += [parameter.arg for parameter in signature.kwonlyargs]
        for collecting in (signature.vararg, signature.kwarg):
            if collecting is not None:
                names.append(collecting.arg)
        return names

    def values_in(self, call: ast.Call) -> list[ParameterValue]:
        """Return what the parameters may hold in a call of the function.

        `price(row, 3)` for `def price(item, count=1)` -> `row` for `item`, 3 and 1 for `count`
        """
        # 1. Is it known which parameter gets which argument? Not in `price(*row)`.
        signature = self.function.args
        collects = signature.vararg is not None or signature.kwarg is not None
        has_surplus = len(call.args) > len(self.positional_names)
        if collects or has_surplus or not is_plain_call(call):
            return self.any_of(arguments_of(call))

        # 2. The arguments by position and by name, and the defaults.
        values: list[ParameterValue] = []
        for name, argument in zip(self.positional_names, call.args, strict=False):
            values.append(ParameterValue(name, argument))
        for keyword in call.keywords:
            assert keyword.arg is not None  # None stands for `**options`
            values.append(ParameterValue(keyword.arg, keyword.value))
        return values + self.defaults

    def any_of(self, arguments: Sequence[ast.expr]) -> list[ParameterValue]:
        """Return what the parameters may hold if it is unknown which one gets which argument."""
        values = [
            ParameterValue(name, argument)
            for name in self.names
            for argument in arguments
        ]
        return values + self.defaults

    @property
    def defaults(self) -> list[ParameterValue]:
        """What parameters may hold if a call does not give them: 8 in `def over(rows, limit=8)`."""
        signature = self.function.args
        values: list[ParameterValue] = []
        # 1. Those of parameters by position. They belong to the last ones: (a, b, c=1, d=2).
        first = len(self.positional_names) - len(signature.defaults)
        names = self.positional_names[first:]
        for name, default in zip(names, signature.defaults, strict=True):
            values.append(ParameterValue(name, default))

        # 2. Those of parameters by name only: (*, a, b=1). None stands for no default.
        for parameter, keyword_default in zip(
            signature.kwonlyargs, signature.kw_defaults, strict=True
        ):
            if keyword_default is not None:
                values.append(ParameterValue(parameter.arg, keyword_default))
        return values


def is_plain_call(call: ast.Call) -> bool:
    """Return True for `price(row, year=2026)`, not for `loans.price(row)` or with `*` or `**`.

    A method gets its object as the first argument, which would shift the others.
    """
    has_star = any(isinstance(argument, ast.Starred) for argument in call.args)
    has_double_star = any(keyword.arg is None for keyword in call.keywords)
    return isinstance(call.func, ast.Name) and not has_star and not has_double_star
