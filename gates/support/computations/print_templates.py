"""Makes the template of all that a script prints.

A template is a list of known texts and gaps. A gap is filled when the script runs:
`print(f"{n} rows")` gives the gap of `n` and the known text ` rows\\n`.
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


def template_of_script(tree: ast.Module, definitions: Definitions) -> OutputTemplate:
    """Return the template of what a script prints.

    Each `print` outside loops and branches gives its own parts, in order. All that a
    loop or branch prints is one gap, because it is unknown how often it runs.
    """
    # 1. `map(print, rows)`: any part of the script may be printed, anywhere. The template is
    #    one gap, and the whole script counts as the expression that fills it.
    if prints_in_other_ways(tree):
        return OutputTemplate.of_unknown_form([ScriptExpression(tree, definitions)])
    # 2. A function prints: it is unknown when, so what is printed may be anywhere.
    if has_function_that_prints(tree):
        return OutputTemplate.of_unknown_form(printed_in(tree, definitions))
    # 3. Otherwise the order of the statements is that of the output.
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
    """Return the template for an output that does not fit the script's own template.

    A script that failed, for example, did not print everything. Any printed expression
    may have written any part of it.
    """
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
