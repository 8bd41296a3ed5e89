"""Makes the template of all that a script prints.

A template is a list of known texts and gaps. A gap is filled when the script runs:
`print(f"{n} rows")` gives the gap of `n` and the known text ` rows\\n`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from controlplane.gates.support.computations.output_templates import OutputTemplate
from controlplane.gates.support.computations.template_parts import (
    Gap,
    KnownText,
    TemplatePart,
)
from controlplane.gates.support.computations.value_templates import parts_of_value
from controlplane.gates.support.scripts.script_expressions import ScriptExpression
from controlplane.gates.support.scripts.script_names import Definitions
from controlplane.gates.support.scripts.script_syntax import arguments_of


def template_of_script(tree: ast.Module, definitions: Definitions) -> OutputTemplate:
    """Return the template of what a script prints.

    Each `print` outside loops and branches gives its own parts, in order. All that a
    loop or branch prints is one gap, because it is unknown how often it runs.
    """
    # `OutputTemplate.of_unknown_form` is one gap, which any of the expressions may have written.
    # Here, the expression is the whole script.
    if _prints_in_other_ways(tree):
        return OutputTemplate.of_unknown_form([ScriptExpression(tree, definitions)])
    if _has_function_that_prints(tree):
        return OutputTemplate.of_unknown_form(_printed_in(tree, definitions))
    parts: list[TemplatePart] = []
    for statement in tree.body:
        match statement:
            case ast.Expr(value=ast.Call() as call) if _is_print(call):
                parts += _parts_of_print(call, definitions)
            case _:
                printed = _printed_in(statement, definitions)
                if printed:
                    parts.append(Gap(printed))
    return OutputTemplate(parts)


def fallback_template(tree: ast.Module, definitions: Definitions) -> OutputTemplate:
    """Return the template for an output that does not fit the script's own template.

    A script that failed, for example, did not print everything. Any printed expression
    may have written any part of it.
    """
    if _prints_in_other_ways(tree):
        return OutputTemplate.of_unknown_form([ScriptExpression(tree, definitions)])
    return OutputTemplate.of_unknown_form(_printed_in(tree, definitions))


def _is_print(call: ast.Call) -> bool:
    """Return True if a call is `print(…)`, or `console.log(…)`, which the sandbox also has."""
    match call.func:
        case ast.Name(id="print"):
            return True
        case ast.Attribute(value=ast.Name(id="console"), attr="log"):
            return True
    return False


def _parts_of_print(call: ast.Call, definitions: Definitions) -> list[TemplatePart]:
    """Return what a call of `print` writes: its arguments with blanks between, and a line end."""
    separator = " "
    end = "\n"
    # `print(*rows)` writes an unknown number of arguments.
    has_stars = any(isinstance(argument, ast.Starred) for argument in call.args)
    has_unknown_options = False
    for keyword in call.keywords:
        match keyword:
            case ast.keyword(arg="sep", value=ast.Constant(value=str() as text)):
                separator = text
            case ast.keyword(arg="end", value=ast.Constant(value=str() as text)):
                end = text
            case ast.keyword(arg="flush"):
                pass
            case _:  # `file=log`, `sep=separator`
                has_unknown_options = True
    if has_stars or has_unknown_options:
        # What stands between the arguments is unknown: one gap, which any of them may fill.
        return [Gap(_printed_in(call, definitions))]

    parts: list[TemplatePart] = []
    for index, argument in enumerate(call.args):
        if index > 0:
            parts.append(KnownText(separator))
        parts += parts_of_value(ScriptExpression(argument, definitions))
    parts.append(KnownText(end))
    return parts


def _printed_in(
    node: ast.AST, definitions: Definitions
) -> tuple[ScriptExpression, ...]:
    """Return the arguments of all calls of `print` in a statement, or in a whole script."""
    return tuple(
        ScriptExpression(argument, definitions)
        for call in _print_calls(node)
        for argument in arguments_of(call)
    )


def _print_calls(node: ast.AST) -> Iterator[ast.Call]:
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and _is_print(part):
            yield part


def _has_function_that_prints(tree: ast.Module) -> bool:
    """Return True if a function of the script prints. Its calls may then print anywhere."""
    for node in ast.walk(tree):
        if isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
        ):
            if list(_print_calls(node)):
                return True
    return False


def _prints_in_other_ways(tree: ast.Module) -> bool:
    """Return True if a script may print without a call of `print`.

    `sys.stdout.write(text)`, `map(print, rows)`
    """
    mentions = 0
    for node in ast.walk(tree):
        match node:
            case ast.Name(id="print" | "console"):
                mentions += 1
            case ast.Attribute(value=ast.Name(id="sys"), attr="stdout" | "stderr"):
                return True
            case ast.ImportFrom(module="pprint" | "sys") | ast.alias(name="pprint"):
                return True
    # Each call of `print` or `console.log` mentions one of the names once. One more
    # mention is something else: `map(print, rows)`.
    calls = len(list(_print_calls(tree)))
    return mentions > calls
