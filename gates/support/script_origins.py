"""What the numbers that a trial's scripts printed were computed from, by reading the scripts.

A printed expression is traced through the names that it uses to calls of the environment and to
literals. It counts as computed only if its inputs are known: calls, and literals that something
else supports.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from controlplane.gates.values.value_kinds import Kind
from controlplane.gates.values.written_values import written_values

ENVIRONMENT: Final = "harness"
SCRATCHPAD: Final = "scratchpad"
NOT_READING: Final = frozenset({"answer", "earlier", "help", "write", "delete", "mkdir", "move"})
"""Calls of the environment that return nothing of what was read in this trial."""
CONVERSION_CONSTANTS: Final = frozenset(
    {"24", "30", "52", "60", "100", "360", "365", "1000", "1024", "3600", "86400", "1000000"}
)
"""Numbers that convert units or make percentages: they need no source."""
MOST_UNMARKED: Final = 12
"""Whole numbers up to it without a unit may be indexes, widths or counts, and need no source
either."""
MOST_EXPRESSION_CHARS: Final = 120
"""Characters of an expression that are shown beside a value."""
MOST_NODES: Final = 200_000
"""Nodes of all scripts that are looked at."""


@dataclass(frozen=True, slots=True)
class Origins:
    """What an expression is computed from."""

    paths: tuple[str, ...] = ()
    """The paths that calls of the environment name as literals."""
    reads_environment: bool = False
    numbers: tuple[str, ...] = ()
    """The numbers in literals, as they are written, but those that need no source."""


@dataclass(frozen=True, slots=True)
class PrintedExpression:
    """An expression whose value a script printed, stored or wrote."""

    origins: Origins
    is_literal: bool
    """True if it is a text or number itself: its values stand in the script."""
    text: str = ""
    """The expression in one short line, with a name replaced by what it was bound to."""


@dataclass(frozen=True, slots=True)
class PathCall:
    """A call of the environment that names a path."""

    path: str
    text: str
    """The call in one short line."""


@dataclass(eq=False)
class Script:
    """One script of a trial."""

    output: str
    """What it printed and stored."""
    expressions: tuple[PrintedExpression, ...]
    literals: tuple[str, ...]
    """Its texts and numbers, but those of `verify`."""
    path_calls: tuple[PathCall, ...] = ()
    """Its calls of the environment that name a path as a literal."""


@dataclass(eq=False)
class _Definitions:
    """The expressions that names of a trial's scripts were bound to."""

    by_name: dict[str, list[ast.expr]] = field(default_factory=dict)

    def add(self, target: ast.AST, value: ast.expr) -> None:
        """Note that every name in a target, such as `a, rows[0]`, may hold a value."""
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                self.by_name.setdefault(node.id, []).append(value)


def trace_scripts(steps: Iterable[tuple[str, str]]) -> list[Script]:
    """Return the scripts of a trial, each with what its printed expressions were computed from.

    `steps` holds the code of each script, and what it printed and stored.
    """
    definitions = _Definitions()
    scripts: list[Script] = []
    for code, output in steps:
        tree = parsed(code)
        if tree is None:
            scripts.append(Script(output, (), (code,)))
            continue
        for node in ast.walk(tree):
            _define(node, definitions)
        expressions = []
        for expression in _printed(tree):
            printed = PrintedExpression(
                origins=_origins_of(expression, definitions),
                is_literal=_is_literal(expression),
                text=_expression_text(expression, definitions),
            )
            expressions.append(printed)
        path_calls = tuple(_path_calls(tree))
        scripts.append(Script(output, tuple(expressions), tuple(literals_of(tree)), path_calls))
    return scripts


def _expression_text(expression: ast.expr, definitions: _Definitions) -> str:
    """Return a printed expression as a reader wants to see it: without the words around a value in
    an f-string, and with what a name was bound to, if it was bound once, in place of the name."""
    if isinstance(expression, ast.JoinedStr):
        values = []
        for part in expression.values:
            if isinstance(part, ast.FormattedValue):
                values.append(_expression_text(part.value, definitions))
        return _short_text(", ".join(values))

    seen_names = set()
    while isinstance(expression, ast.Name) and expression.id not in seen_names:
        seen_names.add(expression.id)
        bound = definitions.by_name.get(expression.id, [])
        if len(bound) != 1:
            break
        expression = bound[0]
    return _short_text(ast.unparse(expression))


def _short_text(code: str) -> str:
    """Return code in one line of at most `MOST_EXPRESSION_CHARS` characters."""
    line = " ".join(code.split())
    if len(line) > MOST_EXPRESSION_CHARS:
        return f"{line[: MOST_EXPRESSION_CHARS - 1]}…"
    return line


def _path_calls(tree: ast.Module) -> Iterator[PathCall]:
    """Yield the calls of the environment that name a path as a literal."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if not _is_of_environment(node.func):
            continue
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        for argument in arguments:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield PathCall(argument.value, _short_text(ast.unparse(node)))


def parsed(code: str) -> ast.Module | None:
    """Return the syntax tree of a script; None if it has none, or too large a one."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    count = sum(1 for _ in ast.walk(tree))
    return tree if count <= MOST_NODES else None


def _define(node: ast.AST, definitions: _Definitions) -> None:
    """Note what a statement or expression binds to names."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                definitions.add(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            definitions.add(target, value)
        case ast.AugAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
            definitions.add(target, value)
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            definitions.add(target, value)
        case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
            definitions.add(target, value)
        case ast.FunctionDef(name=name):
            for part in ast.walk(node):
                if isinstance(part, ast.Return) and part.value is not None:
                    definitions.add(ast.Name(name), part.value)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name)), args=arguments) if name not in (
            ENVIRONMENT,
            SCRATCHPAD,
        ):
            for argument in arguments:  # `rows.append(row)`
                definitions.add(ast.Name(name), argument)


def _printed(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield the expressions that a script prints, stores in the scratchpad or writes to a file."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="print"), args=arguments):
                yield from arguments
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))], value=value) if (
                name == SCRATCHPAD
            ):
                yield value
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="write")) if (
                name == ENVIRONMENT
            ):
                yield from node.args[1:]
                yield from (keyword.value for keyword in node.keywords)


def _origins_of(expression: ast.expr, definitions: _Definitions) -> Origins:
    """Trace an expression through all that its names were ever bound to."""
    paths: list[str] = []
    numbers: list[str] = []
    reads_environment = False
    seen_names: set[str] = set()
    waiting: list[ast.AST] = [expression]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Constant(value=str() as text):
                if text.startswith("/"):
                    paths.append(text)
                else:
                    numbers += _numbers_that_need_a_source(text)
                continue
            case ast.Constant(value=int() | float()):
                numbers += _numbers_that_need_a_source(ast.unparse(node).lstrip("-"))
                continue
            case ast.Name(id=name) if name not in seen_names:
                seen_names.add(name)
                waiting += definitions.by_name.get(name, [])
                continue
            case ast.Call(func=ast.Attribute(attr=operation) as function) if _is_of_environment(
                function
            ):
                if operation in NOT_READING:
                    continue
                reads_environment = True
            case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mult()):  # `"-" * 40`
                continue
            case ast.FormattedValue(value=value):  # its format is no input
                waiting.append(value)
                continue
            case ast.Subscript(value=value, slice=ast.Constant()):  # an index or a key
                waiting.append(value)
                continue
        waiting.extend(ast.iter_child_nodes(node))
    return Origins(tuple(dict.fromkeys(paths)), reads_environment, tuple(dict.fromkeys(numbers)))


def _is_of_environment(function: ast.Attribute) -> bool:
    """Say whether a call is `harness.read` or `harness.server.tool`."""
    value = function.value
    while isinstance(value, ast.Attribute):
        value = value.value
    return isinstance(value, ast.Name) and value.id == ENVIRONMENT


def _numbers_that_need_a_source(text: str) -> list[str]:
    """Return the numbers, dates and times of a literal but small counts and constants of
    conversions."""
    numbers: list[str] = []
    for value in written_values(text):
        is_small = value.canonical.isdigit() and (
            value.canonical in CONVERSION_CONSTANTS
            or (len(value.canonical) < 3 and int(value.canonical) <= MOST_UNMARKED)
        )
        if value.kind in _SOURCED_KINDS and not is_small:
            numbers.append(value.text)
    return numbers


_SOURCED_KINDS: Final = frozenset({Kind.NUMBER, Kind.DATE, Kind.MONTH, Kind.TIME})


def _is_literal(expression: ast.expr) -> bool:
    """Say whether an expression is a text or a number, or a list or mapping of them."""
    for node in ast.walk(expression):
        if isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.BinOp):
            return False
    return True


def literals_of(tree: ast.Module) -> list[str]:
    """Return the texts and numbers of a script, but those that `verify` or `harness.answer`
    compare."""
    literals: list[str] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.FunctionDef(name="verify"):
                continue
            case ast.Call(func=ast.Attribute(attr="answer")):
                continue
            case ast.FormattedValue(value=value):
                waiting.append(value)
                continue
            case ast.Constant(value=str() as text):
                literals.append(text)
            case ast.Constant(value=int() | float()):
                literals.append(ast.unparse(node))
        waiting.extend(ast.iter_child_nodes(node))
    return literals
