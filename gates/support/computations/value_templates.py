"""Makes the template of the text that an expression of a script gives.

f"{n} rows"              a gap, which the value of `n` fills, and the known text ` rows`
"Total: " + str(total)   the known text `Total: `, and the gap of `total`
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Final

from controlplane.gates.support.computations.output_templates import (
    Gap,
    OutputTemplate,
    TemplatePart,
    WrittenText,
)
from controlplane.gates.support.scripts import ScriptExpression

_MAX_RESOLVED_NAMES: Final = 20
"""How many names in a row are replaced by their values, as in `a = b; b = f"..."`."""
_MAX_KNOWN_CHARS: Final = 10_000
"""A repeated text such as `"-" * 40` is known only up to this length."""
_NO_CONVERSION: Final = -1
"""How `ast.FormattedValue` stores that a value has no `!r`, `!s` or `!a` behind it."""


def template_of_value(traced: ScriptExpression) -> OutputTemplate:
    """Return the template of an expression that is stored as a text."""
    return OutputTemplate(parts_of_value(traced))


def parts_of_value(traced: ScriptExpression) -> list[TemplatePart]:
    """Return the parts of a text: `f"{n} rows"` -> the gap of `n` and ` rows`.

    A name with a single known value is replaced by it: after `n = 3`, there is the known
    text `3` instead of the gap. An expression of unknown form is one gap.
    """
    resolved = _resolved(traced)
    known_text = known_text_of(resolved.expression)
    if known_text is not None:
        return [WrittenText(known_text)]
    match resolved.expression:
        case ast.JoinedStr(values=values):  # f"{n} rows"
            return _parts_of_all(resolved.parts(values))
        case ast.FormattedValue(value=inner) as braces:  # the `{n}` of an f-string
            if _has_format(braces):  # `{3:.2f}` writes `3.00`, so the text is not known
                return [Gap((resolved.part(inner),))]
            return parts_of_value(resolved.part(inner))
        case ast.BinOp(left=left, op=ast.Add(), right=right) as addition:
            if _is_text(addition):  # the sum of two numbers is one number
                return _parts_of_all(resolved.parts([left, right]))
        case ast.Call(func=ast.Name(id="str"), args=[argument], keywords=[]):
            return parts_of_value(resolved.part(argument))
    return [Gap((resolved,))]


def _parts_of_all(expressions: Iterable[ScriptExpression]) -> list[TemplatePart]:
    """Return the parts of several texts that are written one after the other."""
    return [part for traced in expressions for part in parts_of_value(traced)]


def _has_format(braces: ast.FormattedValue) -> bool:
    """Return True for `{n!r}` and `{n:.2f}`, which do not write `n` as it is."""
    return braces.conversion != _NO_CONVERSION or braces.format_spec is not None


def _resolved(traced: ScriptExpression) -> ScriptExpression:
    """Return the value behind a name that is bound once, by `name = value`.

    After `line = f"{n} rows"`, this is the f-string for `line`. `traced.definitions` knows the
    values of names. Other expressions are returned unchanged.
    """
    expression = traced.expression
    for _ in range(_MAX_RESOLVED_NAMES):
        if not isinstance(expression, ast.Name):
            break
        value = traced.definitions.only_value(expression.id)
        if value is None:
            break
        expression = value
    return ScriptExpression(expression, traced.definitions)


def known_text_of(expression: ast.AST) -> str | None:
    """Return the text that a script writes by a literal, such as 12 or `"rows"`, or by `"-" * 40`.

    Returns None for any other expression.
    """
    match expression:
        case ast.Constant(value=str() | int() | float() as value):
            return str(value)
        case ast.BinOp(
            left=ast.Constant(value=str() as text),
            op=ast.Mult(),
            right=ast.Constant(value=int() as count),
        ):
            if len(text) * count <= _MAX_KNOWN_CHARS:
                return text * count
    return None


def _is_text(expression: ast.AST) -> bool:
    """Return True if an expression is surely a text: `"Total: " + str(total)`.

    False for `a + b`, which may be the sum of two numbers.
    """
    match expression:
        case (
            ast.JoinedStr()
            | ast.Constant(value=str())
            | ast.Call(func=ast.Name(id="str"))
        ):
            return True
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _is_text(left) or _is_text(right)
    return False
