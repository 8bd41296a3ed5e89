"""Traces what the numbers that a trial's scripts printed were computed from.

The scripts are read, not run. A printed expression is traced through the names that it uses to
calls of the environment and to literals:

    rows = harness.sql("SELECT price FROM '/items.csv'")
    total = sum(rows) * 12
    print(total)

Here `total` comes from the path `/items.csv` and the number 12. `computations` decides with that
whether the output counts as computed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values

ENVIRONMENT: Final = "harness"
"""The name by which scripts call the environment: `harness.read(path)`."""
SCRATCHPAD: Final = "scratchpad"
CALLS_THAT_READ_NOTHING: Final = frozenset(
    {"answer", "earlier", "help", "write", "delete", "mkdir", "move"}
)
"""Calls of the environment whose results are not what was read in this trial."""
CONVERSION_CONSTANTS: Final = frozenset(
    {"24", "30", "52", "60", "100", "360", "365", "1000", "1024", "3600", "86400", "1000000"}
)
"""Numbers that convert units or make percentages: they need no source."""
MAX_SMALL_NUMBER: Final = 12
"""Whole numbers up to it may be indexes, widths or counts: they need no source either."""
MAX_EXPRESSION_CHARS: Final = 120
"""Characters of an expression that are shown beside a value."""
MAX_NODES: Final = 200_000
"""Nodes of the syntax tree of the largest script that is read."""
_KINDS_WITH_SOURCE: Final = frozenset({Kind.NUMBER, Kind.DATE, Kind.MONTH, Kind.TIME})


@dataclass(frozen=True, slots=True)
class Origins:
    """What an expression is computed from."""

    paths: tuple[str, ...] = ()
    """The paths that calls of the environment name as literals."""
    reads_environment: bool = False
    numbers: tuple[str, ...] = ()
    """The numbers in literals, as they are written, except those that need no source."""


@dataclass(frozen=True, slots=True)
class PrintedExpression:
    """An expression whose value a script printed, stored or wrote."""

    origins: Origins
    is_literal: bool
    """True if it is a text or number itself: its values stand in the script."""
    text: str = ""
    """The expression in one short line, with the expression behind a name in place of the name."""


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
    """Its texts and numbers, except those of `verify`."""
    path_calls: tuple[PathCall, ...] = ()


@dataclass(eq=False)
class _Definitions:
    """The expressions that the names of a trial's scripts were bound to.

    A name of an earlier script is still known in a later one, so all scripts share one object.
    """

    by_name: dict[str, list[ast.expr]] = field(default_factory=dict)

    def add(self, target: ast.AST, value: ast.expr) -> None:
        """Note that every name in a target, such as `a, rows[0]`, may hold a value."""
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                self.by_name.setdefault(node.id, []).append(value)


def trace_scripts(steps: Iterable[tuple[str, str]]) -> list[Script]:
    """Return the scripts of a trial with the origins of what they printed.

    `steps` holds the code of each script, and what it printed and stored.
    """
    definitions = _Definitions()
    scripts: list[Script] = []
    for code, output in steps:
        tree = parsed(code)
        if tree is None:
            scripts.append(Script(output, expressions=(), literals=(code,)))
            continue
        for node in ast.walk(tree):
            _collect_definitions(node, definitions)
        expressions = []
        for expression in _printed_expressions(tree):
            printed = PrintedExpression(
                origins=_origins_of(expression, definitions),
                is_literal=_is_literal(expression),
                text=_text_of(expression, definitions),
            )
            expressions.append(printed)
        script = Script(output, tuple(expressions), literals_of(tree), tuple(_path_calls(tree)))
        scripts.append(script)
    return scripts


def parsed(code: str) -> ast.Module | None:
    """Return the syntax tree of a script; None if the script is invalid or too large."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    node_count = sum(1 for _ in ast.walk(tree))
    if node_count > MAX_NODES:
        return None
    return tree


# What a script binds to names, and what it prints


def _collect_definitions(node: ast.AST, definitions: _Definitions) -> None:
    """Note what a statement or expression binds to names."""
    match node:
        case ast.Assign():  # a = b = value
            for target in node.targets:
                definitions.add(target, node.value)
        case ast.AnnAssign():  # a: int = value
            if node.value is not None:
                definitions.add(node.target, node.value)
        case ast.AugAssign() | ast.NamedExpr():  # a += value, (a := value)
            definitions.add(node.target, node.value)
        case ast.For() | ast.comprehension():  # for a in value
            definitions.add(node.target, node.iter)
        case ast.withitem():  # with value as a
            if node.optional_vars is not None:
                definitions.add(node.optional_vars, node.context_expr)
        case ast.FunctionDef():  # def a(): return value
            for part in ast.walk(node):
                if isinstance(part, ast.Return) and part.value is not None:
                    definitions.add(ast.Name(node.name), part.value)
        case ast.Call():  # a.append(value)
            _collect_from_method_call(node, definitions)


def _collect_from_method_call(call: ast.Call, definitions: _Definitions) -> None:
    """Note that a method such as `rows.append(row)` may put its arguments into `rows`."""
    function = call.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return
    name = function.value
    if name.id in (ENVIRONMENT, SCRATCHPAD):
        return
    for argument in call.args:
        definitions.add(name, argument)


def _printed_expressions(tree: ast.Module) -> Iterator[ast.expr]:
    """Yield the expressions that a script prints, stores in the scratchpad or writes to a file."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="print")):
                yield from node.args
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))]):
                if name == SCRATCHPAD:
                    yield node.value
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="write")):
                if name == ENVIRONMENT:
                    yield from node.args[1:]  # the first argument is the path
                    for keyword in node.keywords:
                        yield keyword.value


# What an expression is computed from


def _origins_of(expression: ast.expr, definitions: _Definitions) -> Origins:
    """Trace an expression through everything that its names were ever bound to."""
    paths: list[str] = []
    numbers: list[str] = []
    reads_environment = False
    seen_names: set[str] = set()
    waiting: list[ast.AST] = [expression]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str) and node.value.startswith("/"):
                paths.append(node.value)
            else:
                numbers += _numbers_with_source(node)
        elif isinstance(node, ast.Name):
            if node.id not in seen_names:
                seen_names.add(node.id)
                waiting += definitions.by_name.get(node.id, [])
        elif isinstance(node, ast.Call) and _is_environment_call(node):
            if _reads(node):
                reads_environment = True
                waiting += ast.iter_child_nodes(node)
        else:
            waiting += _inputs_of(node)
    return Origins(tuple(dict.fromkeys(paths)), reads_environment, tuple(dict.fromkeys(numbers)))


def _inputs_of(node: ast.AST) -> list[ast.AST]:
    """Return the parts of an expression from which its value is computed."""
    match node:
        case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mult()):
            return []  # a line of signs, such as `"-" * 40`
        case ast.FormattedValue():
            return [node.value]  # the format, such as `.2f`, is not an input
        case ast.Subscript(slice=ast.Constant()):
            return [node.value]  # a constant index or key is not an input
    return list(ast.iter_child_nodes(node))


def _is_environment_call(call: ast.Call) -> bool:
    """Say whether a call is one of the environment, such as `harness.read` or `harness.mail.send`."""
    if not isinstance(call.func, ast.Attribute):
        return False
    value = call.func.value
    while isinstance(value, ast.Attribute):
        value = value.value
    return isinstance(value, ast.Name) and value.id == ENVIRONMENT


def _reads(call: ast.Call) -> bool:
    """Say whether a call of the environment returns what was read."""
    return isinstance(call.func, ast.Attribute) and call.func.attr not in CALLS_THAT_READ_NOTHING


def _numbers_with_source(literal: ast.Constant) -> list[str]:
    """Return the numbers, dates and times of a literal that have to stand somewhere else.

    Small counts and constants of conversions do not: of `"36 rows, 12 EUR"`, only 36 is returned.
    """
    match literal.value:
        case bool():
            return []
        case str() as text:
            pass
        case int() | float():
            text = ast.unparse(literal).lstrip("-")
        case _:
            return []
    numbers = []
    for value in written_values(text):
        if value.kind in _KINDS_WITH_SOURCE and not _needs_no_source(value):
            numbers.append(value.text)
    return numbers


def _needs_no_source(value: WrittenValue) -> bool:
    """Say whether a value is a small whole number or a constant of a conversion."""
    if not value.canonical.isdigit():
        return False
    if value.canonical in CONVERSION_CONSTANTS:
        return True
    is_short = len(value.canonical) <= len(str(MAX_SMALL_NUMBER))
    return is_short and int(value.canonical) <= MAX_SMALL_NUMBER


# Literals


def _is_literal(expression: ast.expr) -> bool:
    """Say whether an expression is a text or a number, or a list or mapping of them."""
    for node in ast.walk(expression):
        if isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.BinOp):
            return False
    return True


def literals_of(tree: ast.Module) -> tuple[str, ...]:
    """Return the texts and numbers of a script, except those of `verify` and `harness.answer`.

    Those two repeat the values of the answer, to check and to submit them.
    """
    literals: list[str] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.FunctionDef(name="verify"):
                continue
            case ast.Call(func=ast.Attribute(attr="answer")):
                continue
            case ast.FormattedValue():
                waiting.append(node.value)
                continue
            case ast.Constant(value=str() as text):
                literals.append(text)
            case ast.Constant(value=int() | float()):
                literals.append(ast.unparse(node))
        waiting.extend(ast.iter_child_nodes(node))
    return tuple(literals)


# Texts to show


def _text_of(expression: ast.expr, definitions: _Definitions) -> str:
    """Return a printed expression as a reader wants to see it.

    Of an f-string, only the values: `f"Total: {sum(prices)} EUR"` -> `sum(prices)`. A name is
    replaced by the expression behind it, unless it was bound more than once.
    """
    if isinstance(expression, ast.JoinedStr):
        values = []
        for part in expression.values:
            if isinstance(part, ast.FormattedValue):
                values.append(_text_of(part.value, definitions))
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
    """Return code in one line of at most `MAX_EXPRESSION_CHARS` characters."""
    line = " ".join(code.split())
    if len(line) > MAX_EXPRESSION_CHARS:
        return f"{line[: MAX_EXPRESSION_CHARS - 1]}…"
    return line


def _path_calls(tree: ast.Module) -> Iterator[PathCall]:
    """Yield the calls of the environment that name a path, or another text, as a literal."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not _is_environment_call(node):
            continue
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        for argument in arguments:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield PathCall(argument.value, _short_text(ast.unparse(node)))
