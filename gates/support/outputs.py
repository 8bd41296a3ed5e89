r"""Finds the expressions of a trial's scripts that wrote a part of what they printed or stored.

    print(f"{len(rows)} rows, {sum(fees)} EUR")         3 rows, 1070 EUR

The template of this output has four parts:

    the gap of len(rows)    the text " rows, "    the gap of sum(fees)    the text " EUR\n"

The texts are known from the script, so they are looked up in the output. The 1070 is
between them, so `sum(fees)` wrote it. If the texts fit in several ways, the 1070 may
come from several gaps. Then the expressions of all these gaps are returned.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

import re2

from controlplane.gates.support.matching import Match
from controlplane.gates.support.scripts import (
    Definitions,
    PathCall,
    ScriptExpression,
    arguments_of,
    definitions_of,
    parsed,
    path_calls,
    variable_of_key,
)
from controlplane.gates.support.sources import LineBudget, Source
from controlplane.gates.text_folding import encodable
from controlplane.gates.trial import ScriptRun
from controlplane.gates.values.normal_text import NumberStyle

# The parts of the form of an output: texts known from the script, and gaps between them.


class _Gap(NamedTuple):
    """A text that is known only when the script runs, such as that of `n` in `f"{n} rows"`."""

    expressions: tuple[ScriptExpression, ...]
    """The expressions of which one or several wrote the text."""
    is_number: bool = False
    """True if the text is surely a number, which has no blanks and no line breaks."""


_Template: TypeAlias = Sequence[str | _Gap]
"""The form of an output: texts that a script writes as they stand in its code, and gaps."""


# Says which parts of a template may have written some characters of an output.
#
# The template of `print(f"{x}, {y}", end="")` has a gap, which the value of `x` fills, the text
# `, ` and the gap of `y`. If the output is `a, b, c`, either comma may be that of the template. So
# it is known only between which offsets each part may be:
#
#     output        a, b, c
#     gap of x      ----        0 to 4: `a`, or `a, b`
#     text `, `      -----      1 to 6: the first comma, or the second
#     gap of y         ----     3 to 7: `b, c`, or `c`
#
# The `b` is at offset 3, so either gap may have written it.


class Writers(NamedTuple):
    """What may have written some characters of an output, such as its `1070`."""

    gaps: Sequence[tuple[ScriptExpression, ...]]
    """The expressions of each gap in which the characters may be."""
    known_text: str
    """The texts of the script itself, such as `, `, in which the characters may be, joined."""


class _PlacedPart(NamedTuple):
    """A part of a template, and between which offsets of an output it may be.

    Neighbouring parts may overlap, because their exact places are not known.
    """

    part: str | _Gap
    earliest_start: int
    latest_end: int


def _placed_in(output: str, template: _Template) -> list[_PlacedPart]:
    """Return the parts of a template in their order, placed in an output; nothing if they do not fit.

    A known text may fit at several places: the `, ` of `f"{x}, {y}"` is at the offsets
    1 and 4 of `a, b, c`. A gap is somewhere between the known texts around it: `y` begins
    behind one of these commas, so at 3 at the earliest.
    """
    if len(output) * (len(template) + 1) > _MOST_ALIGNED:
        return []
    parts: list[str | _Gap] = []
    pattern = ""
    for part in template:
        if isinstance(part, str) and parts and isinstance(parts[-1], str):
            parts[-1] += part
        else:
            parts.append(part)
    for part in parts:
        if isinstance(part, str):
            pattern += f"({re2.escape(encodable(part))})"
        else:
            # A number has no blanks: of `print(page, sum(fees), len(fees))`, the two blanks are the
            # last ones of the output, however many the page has.
            pattern += r"(\S+)" if part.is_number else "((?s:.*))"
    # The shortest matches of all gaps put the texts as far left as they can stand, and the
    # longest as far right.
    shortest = pattern.replace(r"(\S+)", r"(\S+?)").replace("((?s:.*))", "((?s:.*?))")
    comparable = encodable(output)
    leftmost = re2.fullmatch(shortest, comparable)
    rightmost = re2.fullmatch(pattern, comparable)
    if leftmost is None or rightmost is None:
        return []
    return [
        _PlacedPart(part, leftmost.start(index), rightmost.end(index))
        for index, part in enumerate(parts, start=1)
    ]


_MOST_ALIGNED: Final = 2_000_000
"""Characters of an output times known texts of its template, up to which these are looked up in it."""
_MAX_KNOWN_CHARS: Final = 10_000
"""A repeated text such as `"-" * 40` is known only up to this length."""
_NO_CONVERSION: Final = -1
"""How `ast.FormattedValue` stores that a value has no `!r`, `!s` or `!a` behind it."""


def _parts_of_value(traced: ScriptExpression) -> list[str | _Gap]:
    """Return the parts of a text: `f"{n} rows"` -> the gap of `n` and ` rows`.

    A name with a single known value is replaced by it: after `n = 3`, there is the known
    text `3` instead of the gap. An expression of unknown form is one gap.
    """
    resolved = traced.value
    known_text = known_text_of(resolved.expression)
    if known_text is not None:
        return [known_text]
    match resolved.expression:
        case ast.JoinedStr(values=values):  # f"{n} rows"
            return _parts_of_all(resolved.parts(values))
        case ast.FormattedValue(value=inner) as braces:  # the `{n}` of an f-string
            # `{n!r}` does not write `n` as it is, and `{3:.2f}` writes `3.00`, so the text is not known.
            is_formatted = braces.format_spec is not None
            if is_formatted or braces.conversion != _NO_CONVERSION:
                is_number = _formats_number(braces)
                return [_Gap((resolved.part(inner),), is_number)]
            return _parts_of_value(resolved.part(inner))
        case ast.BinOp(left=left, op=ast.Add(), right=right) as addition:
            if _is_text(addition):  # the sum of two numbers is one number
                return _parts_of_all(resolved.parts([left, right]))
        case ast.Call(func=ast.Name(id="str"), args=[argument], keywords=[]):
            return _parts_of_value(resolved.part(argument))
    return [_Gap((resolved,), is_number=_is_number(resolved.expression))]


_NUMBER_FUNCTIONS: Final = frozenset({"abs", "float", "int", "len", "round"})
"""Functions whose result is a number."""
_NUMBER_OPERATORS: Final = (ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Pow)


def _is_number(expression: ast.AST) -> bool:
    """Return True if an expression is surely a number: `round(x, 2)`, `len(rows) * price`.

    False for `b - a`, which may be the time between two dates, and for `"-" * n`.
    """
    match expression:
        case ast.Constant(value=int() | float()):
            return True
        case ast.Call(func=ast.Name(id=name)):
            return name in _NUMBER_FUNCTIONS
        case ast.BinOp(left=left, op=operator, right=right):
            if not isinstance(operator, _NUMBER_OPERATORS) or _is_text(left):
                return False
            return _is_number(left) or _is_number(right)
    return False


def _formats_number(braces: ast.FormattedValue) -> bool:
    """Return True for `{n:.2f}` and `{n:,}`, whose formats only numbers have."""
    match braces.format_spec:
        case ast.JoinedStr(values=[ast.Constant(value=str() as form)]):
            return " " not in form and form[-1:] in (*"dfFgGeE%,", "_")
    return False


def _parts_of_all(expressions: Iterable[ScriptExpression]) -> list[str | _Gap]:
    """Return the parts of several texts that are written one after the other."""
    return [part for traced in expressions for part in _parts_of_value(traced)]


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


@dataclass(eq=False)
class Output:
    """A text that a script printed or stored, and what may have written each part of it.

    If `print(f"{len(rows)} rows")` has printed `3 rows`, the expression `len(rows)` has written
    the 3. So an answer that states 3 is supported by what this expression was computed from.
    """

    text: str
    templates: Sequence[_Template]
    """The forms that the text may have, if any are known; some may not fit it.

    Each is a list of known texts and gaps: `f"{n} rows"` gives a gap and ` rows`.
    """
    fallback: tuple[ScriptExpression, ...]
    """If no template fits, any of these expressions may have written any part."""
    _sources: dict[NumberStyle, Source] = field(default_factory=dict)
    """What `source` has made so far."""

    def source(self, style: NumberStyle, budget: LineBudget) -> Source:
        """Return the text as a source, in which values are searched; made once for each style.

        A style says, for example, whether `1.199` is read as 1199. `budget` limits the search.
        """
        if style not in self._sources:
            self._sources[style] = Source(
                "", self._lines, is_printed=True, style=style, budget=budget
            )
        return self._sources[style]

    def writers_of(self, start: int, end: int) -> Writers:
        """Return the expressions and known texts that may have written some characters.

        `start` and `end` are the offsets of the characters: 0 and 1 for the 3 of `3 rows`. If
        several templates fit, what may have written them by any of these is returned.
        """
        gaps: list[tuple[ScriptExpression, ...]] = []
        known_text = ""
        for placed in self._placed_parts:
            if placed.latest_end <= start or placed.earliest_start >= end:
                continue
            if isinstance(placed.part, _Gap):
                gaps.append(placed.part.expressions)
            else:
                known_text += placed.part
        return Writers(gaps, known_text)

    def writers_of_match(self, match: Match) -> Writers:
        """Return what may have written a value that a search found on a line of this text."""
        lines = match.source.lines
        start = sum(len(line) + 1 for line in lines[: match.line])
        if match.value is None:  # a quotation, of which only the first line is known
            return self.writers_of(start, start + len(lines[match.line]))
        return self.writers_of(start + match.value.start, start + match.value.end)

    @cached_property
    def _placed_parts(self) -> list[_PlacedPart]:
        """The parts of the templates that fit the text, placed in it; or one gap, which fits any."""
        placed: list[_PlacedPart] = []
        for template in self.templates:
            placed += _placed_in(self.text, template)
        return placed or [_PlacedPart(_Gap(self.fallback), 0, len(self.text))]

    @cached_property
    def _lines(self) -> str:
        """The text with each row of a printed list in a line of its own; the length stays."""
        text = self.text
        for between in ("), (", "], [", "}, {"):
            text = text.replace(between, between.replace(" ", "\n"))
        return text


# Finds where a script prints, and what: the arguments of its calls of `print`.


def _is_print(call: ast.Call) -> bool:
    """Return True if a call is `print(…)`, or `console.log(…)`, which the sandbox also has."""
    match call.func:
        case ast.Name(id="print"):
            return True
        case ast.Attribute(value=ast.Name(id="console"), attr="log"):
            return True
    return False


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
    """Yield the calls of `print` in a part of a script."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and _is_print(part):
            yield part


def _prints_in_other_ways(tree: ast.Module) -> bool:
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


# Makes the template of all that a script prints.
#
#     print(f"{n} rows")      the gap of `n`, then the known text ` rows\n`
#     for row in rows:
#         print(row)          one gap, which `row` fills
#
# A gap is filled when the script runs, so it may then hold any text.


def _template_of_script(tree: ast.Module, definitions: Definitions) -> _Template | None:
    """Return the template of what a script prints; None if the order of its parts is unknown.

    Each `print` outside loops and branches gives its own parts, in order. All that a
    loop or branch prints is one gap, because it is unknown how often it runs.
    """
    # `map(print, rows)`, or a function or class that prints: it is unknown when.
    if _prints_in_other_ways(tree):
        return None
    for node in ast.walk(tree):
        match node:
            case (
                ast.FunctionDef()
                | ast.AsyncFunctionDef()
                | ast.Lambda()
                | ast.ClassDef()
            ):
                if list(_print_calls(node)):
                    return None
    parts: list[str | _Gap] = []
    for statement in tree.body:
        match statement:
            case ast.Expr(value=ast.Call() as call) if _is_print(call):
                parts += _parts_of_print(call, definitions)
            case _:
                printed = _printed_in(statement, definitions)
                if printed:
                    parts.append(_Gap(printed))
    return parts


def _parts_of_print(call: ast.Call, definitions: Definitions) -> list[str | _Gap]:
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
        return [_Gap(_printed_in(call, definitions))]

    parts: list[str | _Gap] = []
    for index, argument in enumerate(call.args):
        if index > 0:
            parts.append(separator)
        parts += _parts_of_value(ScriptExpression(argument, definitions))
    parts.append(end)
    return parts


ANSWER_KEY: Final = "answer"
"""The key under which a script stores its answer in the scratchpad, the dictionary of results."""


class WrittenTexts(NamedTuple):
    """What the scripts of a trial wrote, and what is known of how they did it."""

    outputs: list[Output]
    """What each script printed, then each text and number that the scratchpad held."""
    scratchpad: Definitions
    """What the keys of the scratchpad may hold."""
    path_calls: list[PathCall]
    """The calls of the environment that name a path."""


def written_texts(script_runs: Sequence[ScriptRun]) -> WrittenTexts:
    """Read what the scripts of a trial printed and stored, and which paths they called.

    `scratchpad["fee"] = 300` and `print(f"{n} rows")` give two outputs: `3 rows` with its
    template, a gap and ` rows`, and `300`. A script that cannot be parsed is left out.
    """
    outputs: list[Output] = []
    scratchpad = Definitions()
    scratchpad.scratchpad = scratchpad
    calls: list[PathCall] = []
    for run in script_runs:
        tree = parsed(run.code)
        if tree is None:
            continue
        definitions = definitions_of(tree, scratchpad)
        outputs.append(_printed_output(run.printed, tree, definitions))
        calls += path_calls(tree)

    # What the scratchpad held after any of the scripts; most stays the same from script to script. It
    # may be stored by another script than the one after which it was seen.
    stored: dict[tuple[str, str], Output] = {}
    for run in script_runs:
        for key, value in run.stored.items():
            for text in _texts_in(value):
                if (key, text) not in stored:
                    stored[key, text] = stored_output(key, text, scratchpad)
    return WrittenTexts([*outputs, *stored.values()], scratchpad, calls)


def _printed_output(text: str, tree: ast.Module, definitions: Definitions) -> Output:
    """Return what a script printed, with its template, if one is known.

    A script that failed, for example, did not print everything, so its template does not fit. Then any
    printed expression may have written any part of the output.
    """
    template = _template_of_script(tree, definitions)
    printed = _printed_in(tree, definitions)
    if _prints_in_other_ways(
        tree
    ):  # `map(print, rows)` may print any value of the script
        printed = (ScriptExpression(tree, definitions),)
    return Output(text, [] if template is None else [template], printed)


def _texts_in(data: object) -> list[str]:
    """Return the texts and numbers in a value of the scratchpad: `{"a": [1, "x"]}` -> `1`, `x`."""
    match data:
        case dict():
            return [text for value in data.values() for text in _texts_in(value)]
        case list():
            return [text for value in data for text in _texts_in(value)]
    return [str(data)]


def stored_output(key: str, text: str, scratchpad: Definitions) -> Output:
    """Return a text that the scratchpad held under a key, with its templates.

        scratchpad["answer"] = f"{n} rows"      the template: a gap, then ` rows`
        scratchpad["answer"] += more            the text was changed: no template is known
        scratchpad[name] = more                 changed, too, if `name` is "answer"

    If no template is known or fits, any expression that was stored under the key may have
    written any part of the text.
    """
    variable = variable_of_key(key)
    whole_values = scratchpad.whole_values_of(variable)
    any_values = tuple(scratchpad.of(variable) or ())
    return Output(text, [_parts_of_value(value) for value in whole_values], any_values)
