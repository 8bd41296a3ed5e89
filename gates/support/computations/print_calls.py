"""Finds where a script prints, and what: the arguments of its calls of `print`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from controlplane.gates.support.scripts.script_expressions import ScriptExpression
from controlplane.gates.support.scripts.script_names import Definitions
from controlplane.gates.support.scripts.script_syntax import arguments_of


def is_print(call: ast.Call) -> bool:
    """Return True if a call is `print(…)`, or `console.log(…)`, which the sandbox also has."""
    match call.func:
        case ast.Name(id="print"):
            return True
        case ast.Attribute(value=ast.Name(id="console"), attr="log"):
            return True
    return False


def printed_in(node: ast.AST, definitions: Definitions) -> tuple[ScriptExpression, ...]:
    """Return the arguments of all calls of `print` in a statement, or in a whole script."""
    return tuple(
        ScriptExpression(argument, definitions)
        for call in _print_calls(node)
        for argument in arguments_of(call)
    )


def _print_calls(node: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls of `print` in a part of a script."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and is_print(part):
            yield part


def has_function_that_prints(tree: ast.Module) -> bool:
    """Return True if a function or class of the script prints. Its calls may print anywhere."""
    for node in ast.walk(tree):
        if isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
        ):
            if list(_print_calls(node)):
                return True
    return False


def prints_in_other_ways(tree: ast.Module) -> bool:
    """Return True if a script may print without a call of `print` or `console.log`.

    `sys.stdout.write(text)`, `from sys import stdout as out`, `map(print, rows)`
    """
    mentions = 0
    for node in ast.walk(tree):
        match node:
            case ast.Name(id="print" | "console"):
                mentions += 1
            case ast.Attribute(value=ast.Name(id="sys"), attr="stdout" | "stderr"):
                return True
            # What such a script does with `pprint`, or with what it takes from `sys`, is unknown.
            case ast.ImportFrom(module="pprint" | "sys") | ast.alias(name="pprint"):
                return True
    # `print(a)` mentions the name once, and is one call. `map(print, rows)` mentions it, and does
    # not call it itself.
    calls = len(list(_print_calls(tree)))
    return mentions > calls
