"""Collects what the parameters of a script's functions may hold.

    def price(row): ...

    price(rows[0])            `row` may hold `rows[0]`
    table["price"] = price    `row` may hold anything: any code may now call `price`

A parameter that may hold anything is called *untraceable*.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from controlplane.gates.support.scripts.function_parameters import Function, Parameters
from controlplane.gates.support.scripts.script_functions import (
    ScriptFunctions,
    functions_of,
)
from controlplane.gates.support.scripts.script_names import Definitions

MAX_FUNCTIONS_OF_ONE_NAME: Final = 10
"""If more functions than this share a name, their parameters are untraceable.

This limits the work: a call by the name is recorded for each of them.
"""


def collect_parameters(tree: ast.Module, definitions: Definitions) -> None:
    """Record in `definitions` what the parameters of a script's functions may hold."""
    # `functions.at(node)` has the functions to which a node of the syntax tree refers.
    functions = functions_of(tree)
    _leave_out_crowded_names(functions, definitions)

    # 1. References that show what the parameters get: the `price` of `price(rows[0])`.
    understood_nodes: set[ast.AST] = set()
    for node in ast.walk(tree):
        for reference in functions.understood_in(node):
            understood_nodes.add(reference.node)
            for parameter in reference.values:
                definitions.add(parameter.name, parameter.value)

    # 2. All other references: the `price` of `table["price"] = price`.
    for node in ast.walk(tree):
        if node not in understood_nodes:
            _make_untraceable(functions.at(node), definitions)


def _leave_out_crowded_names(
    functions: ScriptFunctions, definitions: Definitions
) -> None:
    """Remove functions that share a name with many others; their parameters are untraceable."""
    for name, namesakes in functions.by_name.items():
        if len(namesakes) > MAX_FUNCTIONS_OF_ONE_NAME:
            _make_untraceable(namesakes, definitions)
            functions.by_name[name] = []


def _make_untraceable(functions: Iterable[Function], definitions: Definitions) -> None:
    """Record that the parameters of functions may hold anything."""
    for function in functions:
        definitions.untraceable.update(Parameters(function).names)
