"""Collects what the parameters of a script's functions may hold.

After `def price(row): ...` and `price(rows[0])`, the name `row` may hold `rows[0]`. That is
known if each reference to the function is understood, such as this call. By any other, such
as `table["price"] = price`, it may be called with anything. Then its parameters are
*untraceable*, which means that they may hold anything.
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
    """Record what the parameters of a script's functions may hold."""
    functions = functions_of(tree)
    leave_out_crowded_names(functions, definitions)

    # 1. Find the references that are understood, and record what the parameters get by them.
    understood: set[ast.AST] = set()
    for node in ast.walk(tree):
        for use in functions.uses_at(node):
            understood.add(use.reference)
            for given in use.values:
                definitions.add(given.name, given.value)

    # 2. Find all other references: any node that refers to a function.
    for node in ast.walk(tree):
        if node not in understood:
            make_untraceable(functions.at(node), definitions)


def leave_out_crowded_names(
    functions: ScriptFunctions, definitions: Definitions
) -> None:
    """Make the parameters of functions untraceable that share a name with many others.

    These functions are removed from `functions`, so that they are not looked for again.
    """
    for name, named_functions in functions.by_name.items():
        if len(named_functions) > MAX_FUNCTIONS_OF_ONE_NAME:
            make_untraceable(named_functions, definitions)
            functions.by_name[name] = []


def make_untraceable(functions: Iterable[Function], definitions: Definitions) -> None:
    """Record that the parameters of functions may hold anything."""
    for function in functions:
        definitions.untraceable.update(Parameters(function).names)
