"""The functions of a script, and where the script calls them or passes them on.

    def price(row): ...

    price(rows[0])            calls it: `row` holds `rows[0]`
    rows.sort(key=price)      passes it on: the sorting calls it with values from `rows`
    table["price"] = price    is not understood: any code may take it from there and call it

`ScriptFunctions.understood_in` finds the references of the first two kinds. If a script
refers to a function in any other way, the parameters of this function may hold anything.
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
"""If a call has more arguments than this, a function among them counts as not understood."""


@dataclass(frozen=True, slots=True)
class UnderstoodReference:
    """A place at which a script refers to a function, and what the parameters get there.

    In `price(rows[0])`, the node is the name `price`, and the parameter `row` gets `rows[0]`.
    """

    node: ast.AST
    """The name of the function in the syntax tree, or the lambda itself."""
    values: Sequence[ParameterValue] = ()
    """What the parameters get; empty if nothing is called here, as in a definition."""


@dataclass(frozen=True, slots=True)
class ScriptFunctions:
    """The functions of one script, and the places at which the script refers to them."""

    by_name: dict[str, list[Function]]
    """The definitions by name. A script may define a name twice."""

    def at(self, node: ast.AST) -> Sequence[Function]:
        """Return the functions to which a node of the syntax tree may refer.

        The nodes `price` and `prices.price` may refer to every function with the name `price`.
        A lambda refers to itself. Other nodes refer to no function.
        """
        match node:
            case ast.Lambda():
                return [node]
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return self.by_name.get(name, [])
        return []

    def understood_in(self, node: ast.AST) -> Iterator[UnderstoodReference]:
        """Yield the understood references in a call or in the definition of a lambda.

        | node                       | references                                     |
        | -------------------------- | ---------------------------------------------- |
        | `price(row)`               | `price`, whose parameter gets `row`            |
        | `rows.sort(key=price)`     | `price`, whose parameter gets `rows`           |
        | `price = lambda row: ...`  | `price` and the lambda; nothing is called here |
        """
        match node:
            case ast.Call():
                yield from self._called_by(node)
                yield from self._passed_to(node)
            case ast.Assign(targets=[ast.Name() as name, *_], value=ast.Lambda()):
                yield UnderstoodReference(name)
                yield UnderstoodReference(node.value)

    def _called_by(self, call: ast.Call) -> Iterator[UnderstoodReference]:
        """Yield `price` in `price(row)`, with `row` for its parameter."""
        for function in self.at(call.func):
            yield UnderstoodReference(call.func, Parameters(function).values_in(call))

    def _passed_to(self, call: ast.Call) -> Iterator[UnderstoodReference]:
        """Yield `price` in `rows.sort(key=price)`, with `rows` for its parameter.

        The called function, here the sorting, is not followed. It may call `price` with its
        object or with any other argument, so the parameters may hold all of these.
        """
        arguments = arguments_of(call)
        if len(arguments) > MAX_PASSED_ARGUMENTS:
            return
        for argument in arguments:
            for function in self.at(argument):
                others = [other for other in arguments if other is not argument]
                if isinstance(call.func, ast.Attribute):
                    others.append(call.func.value)  # the `rows` of `rows.sort`
                values = Parameters(function).any_of(others)
                yield UnderstoodReference(argument, values)


def functions_of(tree: ast.Module) -> ScriptFunctions:
    """Return the functions of a script: `def price(row): ...` and `price = lambda row: ...`."""
    functions: dict[str, list[Function]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                functions.setdefault(node.name, []).append(node)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value):
                functions.setdefault(name, []).append(value)
    return ScriptFunctions(functions)
