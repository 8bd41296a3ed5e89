"""Finds the expressions of a script that wrote a part of its output.

    print(f"{len(rows)} rows, {sum(fees)} EUR")         3 rows, 1070 EUR

The template of this output has four parts:

    the gap of len(rows)    the text " rows, "    the gap of sum(fees)    the text " EUR\\n"

The texts are known from the script, so they are looked up in the output. The 1070 is
between them, so `sum(fees)` wrote it. If the texts fit in several ways, the 1070 may
come from several gaps. Then the expressions of all these gaps are returned.
"""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from controlplane.gates.support.script_expressions import ScriptExpression
from controlplane.gates.support.script_names import Definitions

MAX_RESOLVED_NAMES: Final = 20
"""How many names in a row are replaced by their values, as in `a = b; b = f"..."`."""
MAX_KNOWN_CHARS: Final = 10_000
"""A repeated text such as `"-" * 40` is known only up to this length."""
_NO_CONVERSION: Final = -1
"""How `ast.FormattedValue` stores that a value has no `!r`, `!s` or `!a` behind it."""


@dataclass(frozen=True, slots=True)
class KnownText:
    """A text that a script writes as it stands in its code, such as ` rows` in `f"{n}
    rows"`."""

    text: str


@dataclass(frozen=True, slots=True)
class Gap:
    """A text that is known only when the script runs, such as that of `n` in `f"{n}
    rows"`."""

    expressions: tuple[ScriptExpression, ...]
    """The expressions of which one or several wrote the text."""


TemplatePart: TypeAlias = KnownText | Gap


@dataclass(frozen=True, slots=True)
class Writers:
    """What may have written some characters of an output, such as its `1070`."""

    expressions: tuple[ScriptExpression, ...] = ()
    """The expressions of the gaps in which the characters may be."""
    known_text: str = ""
    """The known texts in which the characters may be, joined."""

    def joined(self, other: Writers) -> Writers:
        return Writers(
            self.expressions + other.expressions, self.known_text + other.known_text
        )


class OutputTemplate:
    """The form of an output: known texts with gaps between them.

    `print(f"{count} rows")` has the known texts "" and " rows\\n", and the gap of
    `count` between them. Known texts and gaps always alternate. A known text, maybe
    empty, comes first and last.
    """

    def __init__(self, parts: Iterable[TemplatePart]) -> None:
        self.known_texts = [""]
        self.gaps: list[Gap] = []
        for part in parts:
            if isinstance(part, Gap):
                self.gaps.append(part)
                self.known_texts.append("")
            else:
                self.known_texts[-1] += part.text

    @classmethod
    def of_unknown_form(cls, expressions: Iterable[ScriptExpression]) -> OutputTemplate:
        """Return a template of one gap, which any of the expressions may have
        written."""
        return cls([Gap(tuple(expressions))])

    def aligned(self, output: str) -> AlignedTemplate | None:
        """Look up the known texts in an output; None if the output does not have this
        form.

        A known text may fit at several places. This template has three gaps with `, `
        between them, but the output has three commas, one of them written by a gap:

            output             a, b, c, d
            first `, `          ^            earliest place
                                   ^         latest place
            second `, `            ^         earliest place
                                      ^      latest place

        So both places of each text are looked up. The second gap may begin at the
        earliest end of the first `, ` and end at the latest start of the second.
        """
        if not self.gaps:
            only_text = self.known_texts[0]
            if output != only_text:
                return None
            return AlignedTemplate(
                [PlacedPart(KnownText(only_text), 0, len(only_text))]
            )

        # 1. The first and the last known text stand at the ends of the output.
        first_text, *middle_texts, last_text = self.known_texts
        end_of_first = len(first_text)
        start_of_last = len(output) - len(last_text)
        has_ends = output.startswith(first_text) and output.endswith(last_text)
        if not has_ends or start_of_last < end_of_first:
            return None

        # 2. The texts between them have an earliest and a latest place.
        earliest_starts = _earliest_starts(
            middle_texts, output, end_of_first, start_of_last
        )
        if earliest_starts is None:
            return None
        latest_starts = _latest_starts(
            middle_texts, output, end_of_first, start_of_last
        )

        # 3. Between each text and the next one is a gap.
        earliest_starts = [0, *earliest_starts, start_of_last]
        latest_starts = [0, *latest_starts, start_of_last]
        placed: list[PlacedPart] = []
        for index, text in enumerate(self.known_texts):
            earliest_end = earliest_starts[index] + len(text)
            latest_end = latest_starts[index] + len(text)
            placed.append(
                PlacedPart(KnownText(text), earliest_starts[index], latest_end)
            )
            if index < len(self.gaps):
                placed.append(
                    PlacedPart(self.gaps[index], earliest_end, latest_starts[index + 1])
                )
        return AlignedTemplate(placed)


def _earliest_starts(
    texts: Sequence[str], output: str, start: int, end: int
) -> list[int] | None:
    """Return where each text begins between two offsets if all stand as far left as
    they can.

    Returns None if the output does not have all of them in this order.
    """
    starts: list[int] = []
    for text in texts:
        position = output.find(text, start, end)
        if position < 0:
            return None
        starts.append(position)
        start = position + len(text)
    return starts


def _latest_starts(
    texts: Sequence[str], output: str, start: int, end: int
) -> list[int]:
    """Return where each text begins between two offsets if all stand as far right as
    they can.

    The output must have all of them in this order.
    """
    starts: list[int] = []
    for text in reversed(texts):
        end = output.rfind(text, start, end)
        starts.append(end)
    starts.reverse()
    return starts


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """A part of a template, with the longest stretch of an output that it may fill."""

    part: TemplatePart
    earliest_start: int
    """The first offset at which the part may begin."""
    latest_end: int
    """The last offset at which the part may end."""


@dataclass(frozen=True, slots=True)
class AlignedTemplate:
    """A template whose parts have been looked up in an output."""

    parts: list[PlacedPart]
    """The parts in their order, and so sorted by both offsets, as a bisection
    requires."""

    def writers_of(self, start: int, end: int) -> Writers:
        """Return the expressions and known texts that may have written some characters.

        `start` and `end` are their offsets in the output.
        """
        # Parts that end at or before `start`, or begin at or behind `end`, did not
        # write them.
        first = bisect_right(self.parts, start, key=lambda placed: placed.latest_end)
        after_last = bisect_left(
            self.parts, end, key=lambda placed: placed.earliest_start
        )

        expressions: list[ScriptExpression] = []
        known_text = ""
        for placed in self.parts[first:after_last]:
            match placed.part:
                case Gap():
                    expressions += placed.part.expressions
                case KnownText():
                    known_text += placed.part.text
        return Writers(tuple(expressions), known_text)


# Templates of values


def template_of_value(traced: ScriptExpression) -> OutputTemplate:
    """Return the template of an expression that is stored as a text."""
    return OutputTemplate(_parts_of_value(traced))


def _parts_of_value(traced: ScriptExpression) -> list[TemplatePart]:
    """Return the parts of a text: `f"{n} rows"` -> the gap of `n` and ` rows`.

    A name stands for its value. After `n = 3`, these parts are the known texts `3` and
    ` rows`.
    """
    resolved = _resolved(traced)
    definitions = resolved.definitions
    known_text = known_text_of(resolved.expression)
    if known_text is not None:
        return [KnownText(known_text)]

    parts: list[TemplatePart] = []
    match resolved.expression:
        case ast.JoinedStr(values=values):
            for value in values:
                parts += _parts_of_f_string(value, definitions)
            return parts
        case ast.BinOp(left=left, op=ast.Add(), right=right) if _is_text(
            resolved.expression
        ):
            # The sum of two numbers is not split, because it is written as one number.
            parts += _parts_of_value(ScriptExpression(left, definitions))
            parts += _parts_of_value(ScriptExpression(right, definitions))
            return parts
        case ast.Call(func=ast.Name(id="str"), args=[argument], keywords=[]):
            return _parts_of_value(ScriptExpression(argument, definitions))
    return [Gap((resolved,))]


def _parts_of_f_string(value: ast.expr, definitions: Definitions) -> list[TemplatePart]:
    """Return the template's parts for a piece of an f-string: a text, or a value in
    braces."""
    match value:
        case ast.FormattedValue(value=inner):
            has_format = (
                value.conversion != _NO_CONVERSION or value.format_spec is not None
            )
            if (
                has_format
            ):  # `{n!r}`, `{n:.2f}` do not write `n` as it is, even if it is a literal
                return [Gap((ScriptExpression(inner, definitions),))]
            return _parts_of_value(ScriptExpression(inner, definitions))
    return _parts_of_value(ScriptExpression(value, definitions))


def _resolved(traced: ScriptExpression) -> ScriptExpression:
    """Return the value behind a name that is bound once, by `name = value`."""
    expression = traced.expression
    for _ in range(MAX_RESOLVED_NAMES):
        if not isinstance(expression, ast.Name):
            break
        value = traced.definitions.only_value(expression.id)
        if value is None:
            break
        expression = value
    return ScriptExpression(expression, traced.definitions)


def known_text_of(expression: ast.AST) -> str | None:
    """Return the text that a script writes by a literal, such as 12 or `"rows"`, or by
    `"-" * 40`.

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
            if len(text) * count <= MAX_KNOWN_CHARS:
                return text * count
    return None


def _is_text(expression: ast.AST) -> bool:
    """Return True if an expression is surely a text: `"Total: " + str(total)`. `a + b`
    may be the sum of two numbers."""
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


# Templates of scripts


def template_of_script(tree: ast.Module, definitions: Definitions) -> OutputTemplate:
    """Return the template of what a script prints.

    Each `print` outside loops and branches gives its own parts, in order. All that a
    loop or branch prints is one gap, because nobody knows how often it runs.
    """
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
    """Return True if a call is `print(…)`, or `console.log(…)`, which the sandbox also
    has."""
    match call.func:
        case ast.Name(id="print"):
            return True
        case ast.Attribute(value=ast.Name(id="console"), attr="log"):
            return True
    return False


def _parts_of_print(call: ast.Call, definitions: Definitions) -> list[TemplatePart]:
    """Return what a call of `print` writes: its arguments with blanks between, and a
    line end."""
    separator = " "
    end = "\n"
    has_known_form = True
    for keyword in call.keywords:
        match keyword:
            case ast.keyword(arg="sep", value=ast.Constant(value=str() as text)):
                separator = text
            case ast.keyword(arg="end", value=ast.Constant(value=str() as text)):
                end = text
            case ast.keyword(arg="flush"):
                pass
            case _:  # `file=log`
                has_known_form = False
    if any(
        isinstance(argument, ast.Starred) for argument in call.args
    ):  # `print(*rows)`
        has_known_form = False
    if not has_known_form:
        return [
            Gap(_printed_in(call, definitions))
        ]  # any argument may have written any part

    parts: list[TemplatePart] = []
    for index, argument in enumerate(call.args):
        if index > 0:
            parts.append(KnownText(separator))
        parts += _parts_of_value(ScriptExpression(argument, definitions))
    parts.append(KnownText(end))
    return parts


def _printed_in(
    node: ast.AST, definitions: Definitions
) -> tuple[ScriptExpression, ...]:
    """Return the arguments of all calls of `print` in a statement, or in a whole
    script."""
    expressions: list[ScriptExpression] = []
    for call in _print_calls(node):
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        expressions += [
            ScriptExpression(argument, definitions) for argument in arguments
        ]
    return tuple(expressions)


def _print_calls(node: ast.AST) -> Iterator[ast.Call]:
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and _is_print(part):
            yield part


def _has_function_that_prints(tree: ast.Module) -> bool:
    """Return True if a function of the script prints. Its calls may then print
    anywhere."""
    for node in ast.walk(tree):
        if isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
        ):
            if list(_print_calls(node)):
                return True
    return False


def _prints_in_other_ways(tree: ast.Module) -> bool:
    """Return True if a script may print without calling `print` itself, as by
    `sys.stdout.write(text)` or `map(print, rows)`."""
    # 1. The nodes of `print` and `console` in the calls `print(…)` and `console.log(…)`. Two nodes
    #    are never equal, so the set has only these occurrences of the names.
    called_names: set[ast.AST] = set()
    for call in _print_calls(tree):
        match call.func:
            case ast.Name() as name:
                called_names.add(name)
            case ast.Attribute(value=name):
                called_names.add(name)

    # 2. Any other use of `print`, or another way to print.
    for node in ast.walk(tree):
        match node:
            case ast.Name(id="print" | "console"):
                if node not in called_names:  # `map(print, rows)`
                    return True
            case ast.Attribute(value=ast.Name(id="sys"), attr="stdout" | "stderr"):
                return True
            case ast.ImportFrom(module="pprint" | "sys") | ast.alias(name="pprint"):
                return True
    return False
