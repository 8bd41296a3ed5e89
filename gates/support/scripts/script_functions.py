"""The functions of a script, and where the script calls them or passes them on.

    def price(row): ...

    price(rows[0])            calls it: `row` holds `rows[0]`
    rows.sort(key=price)      passes it on: the sorting calls it with values from `rows`
    table["price"] = price    is not understood: any code may take it from there and call it

`ScriptFunctions.uses_at` finds the references of the first two kinds. If a script refers to
a function in any other way, the parameters of this function may hold anything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.gates.support.scripts.function_parameters import (
    Function,
    Parameters,
    ParameterValue,
)
from controlplane.gates.support.scripts.script_syntax import arguments_of

MAX_PASSED_ARGUMENTS: Final = 20
"""Arguments of a call to which a function is passed. Of a call with more, no use is reported.

Then the reference is not understood, so the parameters of the function may hold anything.
"""


@dataclass(frozen=True, slots=True)
class FunctionUse:
    """A reference to a function from which it is known what the function's parameters get."""

    reference: ast.AST
    """The node of the syntax tree: the name of the function, or the lambda itself."""
    values: Sequence[ParameterValue] = ()
    """What the parameters get by this reference; empty if it calls nothing, as a definition."""


@dataclass(frozen=True, slots=True)
class ScriptFunctions:
    """The functions of one script, and where the script calls them or passes them on.

    From such a reference it is known what the parameters may hold: `rows[0]` after
    `price(rows[0])`. After any other reference, they may hold anything.
    """

    by_name: dict[str, list[Function]]
    """The definitions by name. A script may define a name twice."""

    def at(self, node: ast.AST) -> Sequence[Function]:
        """Return the functions of the script to which an expression may refer.

        `price` and `prices.price` refer to each function with the name `price`.
        """
        match node:
            case ast.Lambda():
                return [node]
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return self.by_name.get(name, [])
        return []

    def uses_at(self, node: ast.AST) -> Iterator[FunctionUse]:
        """Yield the understood references to functions at a node of the syntax tree.

        - in a call: `price` in `price(row)` and in `rows.sort(key=price)`
        - in a definition, `price = lambda row: ...`: the name and the lambda. They call
          nothing, so the parameters get no values by them.
        """
        match node:
            case ast.Call():
                yield from self._called_by(node)
                yield from self._passed_to(node)
            case ast.Assign(targets=[ast.Name() as name, *_], value=ast.Lambda()):
                yield FunctionUse(name)
                yield FunctionUse(node.value)

    def _called_by(self, call: ast.Call) -> Iterator[FunctionUse]:
        """Yield `price` in `price(row)`, with `row` for its parameter."""
        for function in self.at(call.func):
            yield FunctionUse(call.func, Parameters(function).values_in(call))

    def _passed_to(self, call: ast.Call) -> Iterator[FunctionUse]:
        """Yield `price` in `rows.sort(key=price)`.

        The sorting calls `price` with values from `rows` or from other arguments, so
        its parameters may hold all of these.
        """
        arguments = arguments_of(call)
        if len(arguments) > MAX_PASSED_ARGUMENTS:
            return
        for argument in arguments:
            for function in self.at(argument):
                others = [other for other in arguments if other is not argument]
                if isinstance(call.func, ast.Attribute):
                    others.append(call.func.value)  # the `rows` of `rows.sort`
                yield FunctionUse(argument, Parameters(function).any_of(others))


def functions_of(tree: ast.Module) -> ScriptFunctions:
    """Return `def price(row): ...` and `price = lambda row: ...` by name."""
    functions: dict[str, list[Function]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                functions.setdefault(node.name, []).append(node)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value):
                functions.setdefault(name, []).append(value)
    return ScriptFunctions(functions)
