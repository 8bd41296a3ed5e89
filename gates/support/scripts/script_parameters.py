"""Collects the values that the parameters of a script's functions may hold.

Each place that names the function `price` is one of these:

    price(row)               a call: the parameter may hold `row`
    max(rows, key=price)     passed on: it may hold any other argument, `rows`
    table = {"p": price}     anything else: it may hold anything
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from controlplane.gates.support.scripts.script_names import Definitions
from controlplane.gates.support.scripts.script_syntax import arguments_of

MAX_FUNCTIONS_OF_ONE_NAME: Final = 10
"""If more functions than this share a name, their parameters are untraceable.

This limits the work: a call by the name is recorded for each of them.
"""
MAX_PASSED_ARGUMENTS: Final = 20
"""If a function is passed to a call with more arguments, its parameters are untraceable."""

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def collect_parameters(tree: ast.Module, definitions: Definitions) -> None:
    """Record what the parameters of a script's functions may hold."""
    parameters = _Parameters(_functions_by_name(tree), definitions)
    parameters.leave_out_crowded_names()

    # References to functions of which it is known what arguments they pass
    understood: set[ast.AST] = set()
    for node in ast.walk(tree):
        understood.update(parameters.bind_at(node))
    for node in ast.walk(tree):
        if node not in understood:
            parameters.make_untraceable(parameters.functions_at(node))


def _functions_by_name(tree: ast.Module) -> dict[str, list[Function]]:
    """Return `def price(row): ...` and `price = lambda row: ...` by name."""
    functions: dict[str, list[Function]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                functions.setdefault(node.name, []).append(node)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value):
                functions.setdefault(name, []).append(value)
    return functions


@dataclass(frozen=True, slots=True)
class _Parameters:
    """Records the values of the parameters of a script's functions."""

    functions: dict[str, list[Function]]
    definitions: Definitions

    def functions_at(self, node: ast.AST) -> Sequence[Function]:
        """Return the functions of the script to which an expression may refer.

        `price` and `prices.price` refer to each function with the name `price`.
        """
        match node:
            case ast.Lambda():
                return [node]
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return self.functions.get(name, [])
        return []

    def leave_out_crowded_names(self) -> None:
        """Make the parameters of functions untraceable that share a name with many others."""
        for name, functions in self.functions.items():
            if len(functions) > MAX_FUNCTIONS_OF_ONE_NAME:
                self.make_untraceable(functions)
                self.functions[name] = []

    def make_untraceable(self, functions: Iterable[Function]) -> None:
        """Record that the parameters of functions may hold anything."""
        for function in functions:
            self.definitions.untraceable.update(_names_of(function))

    def bind_at(self, node: ast.AST) -> list[ast.AST]:
        """Record the arguments that functions get at a node.

        Returns the references to functions in it, such as `price` in `price(row)`. A
        reference that no node returns may pass anything to its function.
        """
        match node:
            case ast.Call():
                return [*self._bind_called(node), *self._bind_passed(node)]
            case ast.Assign(targets=[ast.Name() as name, *_], value=ast.Lambda()):
                return [name, node.value]  # the definition itself
        return []

    def _bind_called(self, call: ast.Call) -> list[ast.AST]:
        """Record the arguments of `price(row)`."""
        called = self.functions_at(call.func)
        for function in called:
            self._bind_call(function, call)
        return [call.func] if called else []

    def _bind_passed(self, call: ast.Call) -> list[ast.AST]:
        """Record what `price` gets in `rows.sort(key=price)`.

        The sorting calls `price` with values from `rows` or from other arguments, so
        its parameters may hold all of these.
        """
        arguments = arguments_of(call)
        if len(arguments) > MAX_PASSED_ARGUMENTS:
            return []
        passed: list[ast.AST] = []
        for argument in arguments:
            for function in self.functions_at(argument):
                passed.append(argument)
                values = [other for other in arguments if other is not argument]
                if isinstance(call.func, ast.Attribute):
                    values.append(call.func.value)  # the `rows` of `rows.sort`
                self._bind_to_all(function, values)
        return passed

    def _bind_call(self, function: Function, call: ast.Call) -> None:
        """Record the arguments of a call of a function.

        In a plain call, each parameter gets its own argument, by position or name. In
        any other call, such as `price(*row)`, each parameter may hold each argument.
        """
        names = [parameter.arg for parameter in _positional(function)]
        is_plain = _is_plain_call(call) and _has_plain_parameters(function)
        if not is_plain or len(call.args) > len(names):
            self._bind_to_all(function, arguments_of(call))
            return
        for name, value in zip(names, call.args, strict=False):
            self.definitions.add(name, value)
        for keyword in call.keywords:
            assert keyword.arg is not None  # None stands for `**options`
            self.definitions.add(keyword.arg, keyword.value)
        self._bind_defaults(function)

    def _bind_to_all(self, function: Function, values: Sequence[ast.expr]) -> None:
        """Record that each parameter of a function may hold each of several values."""
        self.definitions.add_each(_names_of(function), values)
        self._bind_defaults(function)

    def _bind_defaults(self, function: Function) -> None:
        """Record the defaults of parameters: 8 in `def over(rows, limit=8)`."""
        signature = function.args
        # The last positional parameters have the defaults, so both are read from the end.
        pairs = zip(
            reversed(_positional(function)), reversed(signature.defaults), strict=False
        )
        for parameter, default in pairs:
            self.definitions.add(parameter.arg, default)
        keyword_pairs = zip(signature.kwonlyargs, signature.kw_defaults, strict=True)
        for parameter, keyword_default in keyword_pairs:
            if keyword_default is not None:
                self.definitions.add(parameter.arg, keyword_default)


def _is_plain_call(call: ast.Call) -> bool:
    """Return True for `price(row, year=2026)`, not for `loans.price(row)` or with `*` or `**`.

    A method gets its object as the first argument, which would shift the others.
    """
    has_star = any(isinstance(argument, ast.Starred) for argument in call.args)
    has_double_star = any(keyword.arg is None for keyword in call.keywords)
    return isinstance(call.func, ast.Name) and not has_star and not has_double_star


def _has_plain_parameters(function: Function) -> bool:
    """Return True for a function without `*rows` and `**options`."""
    return function.args.vararg is None and function.args.kwarg is None


def _positional(function: Function) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args]


def _names_of(function: Function) -> list[str]:
    """Return the names of a function's parameters."""
    signature = function.args
    parameters = [*_positional(function), *signature.kwonlyargs]
    for collecting in (signature.vararg, signature.kwarg):
        if collecting is not None:
            parameters.append(collecting)
    return [parameter.arg for parameter in parameters]
