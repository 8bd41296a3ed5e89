"""Makes the template of all that a script prints.

    print(f"{n} rows")      the gap of `n`, then the known text ` rows\\n`
    for row in rows:
        print(row)          one gap, which `row` fills

A gap is filled when the script runs, so it may then hold any text.
"""

from __future__ import annotations

import ast

from controlplane.gates.support.computations.output_templates import OutputTemplate
from controlplane.gates.support.computations.print_calls import (
    has_function_that_prints,
    is_print,
    printed_in,
    prints_in_other_ways,
)
from controlplane.gates.support.computations.template_parts import (
    Gap,
    KnownText,
    TemplatePart,
)
from controlplane.gates.support.computations.value_templates import parts_of_value
from controlplane.gates.support.scripts.script_expressions import ScriptExpression
from controlplane.gates.support.scripts.script_names import Definitions


def template_of_script(
    tree: ast.Module, definitions: Definitions
) -> OutputTemplate | None:
    """Return the template of what a script prints; None if the order of its parts is unknown.

    Each `print` outside loops and branches gives its own parts, in order. All that a
    loop or branch prints is one gap, because it is unknown how often it runs.
    """
    # `map(print, rows)`, or a function that prints: it is unknown when.
    if prints_in_other_ways(tree) or has_function_that_prints(tree):
        return None
    parts: list[TemplatePart] = []
    for statement in tree.body:
        match statement:
            case ast.Expr(value=ast.Call() as call) if is_print(call):
                parts += _parts_of_print(call, definitions)
            case _:
                printed = printed_in(statement, definitions)
                if printed:
                    parts.append(Gap(printed))
    return OutputTemplate(parts)


def fallback_template(tree: ast.Module, definitions: Definitions) -> OutputTemplate:
    """Return the template for an output without a template, or one that does not fit it.

    A script that failed, for example, did not print everything. The template is a single gap:
    any printed expression may have written any part of the output.
    """
    # `map(print, rows)` may print any value of the script, so the whole script counts as the
    # expression.
    if prints_in_other_ways(tree):
        return OutputTemplate.of_unknown_form([ScriptExpression(tree, definitions)])
    return OutputTemplate.of_unknown_form(printed_in(tree, definitions))


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
        return [Gap(printed_in(call, definitions))]

    parts: list[TemplatePart] = []
    for index, argument in enumerate(call.args):
        if index > 0:
            parts.append(KnownText(separator))
        parts += parts_of_value(ScriptExpression(argument, definitions))
    parts.append(KnownText(end))
    return parts
