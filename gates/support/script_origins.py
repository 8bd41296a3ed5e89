"""Traces what an expression of a script is computed from, without running the script.

    rows = harness.sql("SELECT price FROM '/items.csv'")
    total = sum(rows) * 12
    print(total)

Here `total` comes from the path `/items.csv` and the number 12: these are its origins.
From them, `computations` decides whether a printed value counts as computed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import re2

from controlplane.gates.support.script_definitions import (
    ENVIRONMENT,
    READING_METHODS,
    SCRATCHPAD,
    Definitions,
    unpacked,
)
from controlplane.gates.values.value_kinds import Kind, WrittenValue
from controlplane.gates.values.written_values import written_values

CALLS_THAT_READ_NOTHING: Final = frozenset(
    {"answer", "earlier", "help", "write", "delete", "mkdir", "move"}
)
"""Calls of the environment that return no input of the trial: `harness.help()` returns
a manual, `harness.earlier()` the script's own words, and the others only report what
they did."""


# A number, date or time in an expression must occur in the question or in what was
# read, because the script may have invented it. Constants of conversions and small
# numbers need not.
_KINDS_WITH_SOURCE: Final = frozenset({Kind.NUMBER, Kind.DATE, Kind.MONTH, Kind.TIME})
CONVERSION_CONSTANTS: Final = frozenset(
    {
        "24",
        "30",
        "52",
        "60",
        "100",
        "360",
        "365",
        "1000",
        "1024",
        "3600",
        "86400",
        "1000000",
    }
)
"""Numbers that convert units or make percentages, as `WrittenValue.canonical` has
them."""
MAX_SMALL_NUMBER: Final = 12
"""Whole numbers up to this one need no source: they may be indexes, widths or
counts."""

MAX_EXPRESSION_CHARS: Final = 120
"""Characters of an expression that are shown beside a value."""
_METHODS_WITH_KEY: Final = frozenset({"get", "pop", "setdefault"})
"""Methods of the scratchpad that return what is stored under a key:
`scratchpad.get("rows")`."""
_CITING_METHODS: Final = frozenset({"cite", "uncite", "cite_all"})
"""Methods of the scratchpad that change only the citations, and store no value under a
key."""
_SELECTING_NODES: Final = (
    ast.Constant,
    ast.Dict,
    ast.List,
    ast.Name,
    ast.Set,
    ast.Starred,
    ast.Subscript,
    ast.Tuple,
    ast.expr_context,  # not an expression, but a part of each name and subscript
)
"""The parts of an expression that only selects among literals: `{"a": 1, "b":
2}[name]`."""


@dataclass(frozen=True, slots=True)
class ScriptExpression:
    """An expression of a script, with what the names in it may hold."""

    expression: ast.AST
    definitions: Definitions


@dataclass(frozen=True, slots=True)
class Origins:
    """What an expression is computed from."""

    paths: tuple[str, ...] = ()
    """The paths that calls of the environment name as literals."""
    reads_environment: bool = False
    """True if a call of the environment returned a part of the inputs."""
    numbers: tuple[str, ...] = ()
    """The numbers in literals that need a source, as they are written: 36 of `"36
    rows"`."""
    literals: tuple[str, ...] = ()
    """All texts and numbers that the script states itself: `36 rows`."""
    is_traceable: bool = True
    """False if a part of the inputs cannot be followed, such as a key of the scratchpad
    that no script stored."""
    is_literal: bool = False
    """True if the expression only selects among literals: `name` in `for name in ("a",
    "b")`."""

    @property
    def has_inputs(self) -> bool:
        return self.reads_environment or bool(self.numbers)


@dataclass(frozen=True, slots=True)
class PathCall:
    """A call of the environment that names a path."""

    path: str
    text: str
    """The call in one short line."""


# The scratchpad


@dataclass(eq=False)
class StoredExpressions:
    """The expressions that the scripts of a trial stored under each key of the
    scratchpad."""

    assigned: dict[str, list[ScriptExpression]] = field(default_factory=dict)
    """By key, the values of `scratchpad["key"] = value`. The key then holds the value
    alone."""
    changed: dict[str, list[ScriptExpression]] = field(default_factory=dict)
    """By key, the values that were added to what it held: `scratchpad["key"] += value`,
    `scratchpad["key"].append(value)`."""
    under_any_key: list[ScriptExpression] = field(default_factory=list)
    """The values stored by `scratchpad.update(values)` or under a computed key."""

    def of(self, key: str) -> list[ScriptExpression]:
        """Return everything that a key may hold."""
        return [
            *self.assigned.get(key, ()),
            *self.changed.get(key, ()),
            *self.under_any_key,
        ]

    def all(self) -> list[ScriptExpression]:
        """Return everything that the scratchpad may hold."""
        expressions = list(self.under_any_key)
        for by_key in (self.assigned, self.changed):
            for stored in by_key.values():
                expressions += stored
        return expressions

    def collect(self, tree: ast.Module, definitions: Definitions) -> None:
        """Record what a script stores in the scratchpad."""
        for node in ast.walk(tree):
            match node:
                case ast.Assign():
                    for target in node.targets:
                        for assignment in unpacked(target, node.value):
                            self._store(
                                assignment.target, assignment.value, definitions
                            )
                case ast.AugAssign():
                    self._change(node.target, [node.value], definitions)
                case ast.Call(func=ast.Attribute(value=owner, attr=method)):
                    if method not in READING_METHODS | _CITING_METHODS:
                        values = [
                            *node.args,
                            *(keyword.value for keyword in node.keywords),
                        ]
                        self._change(owner, values, definitions)

    def _store(
        self, target: ast.expr, value: ast.expr, definitions: Definitions
    ) -> None:
        """Record an assignment if its target is in the scratchpad: a key, or a part of
        what a key holds."""
        key = key_of_scratchpad(target)
        if key is not None:
            self.assigned.setdefault(key, []).append(
                ScriptExpression(value, definitions)
            )
        else:
            self._change(target, [value], definitions)

    def _change(
        self, target: ast.expr, values: Sequence[ast.expr], definitions: Definitions
    ) -> None:
        """Record values that are stored in `target`, if it is a part of the scratchpad.

        - `scratchpad["rows"].append(row)`: the target `scratchpad["rows"]` names the
          key `rows`.
        - `scratchpad.update(values)`, `scratchpad[name] = value`: the target names the
          scratchpad, but no key, so any key may hold the values.
        - `rows.append(row)`: the target has nothing to do with the scratchpad.
        """
        traced = [ScriptExpression(value, definitions) for value in values]
        key = _first_key_in(target)
        if key is not None:
            self.changed.setdefault(key, []).extend(traced)
        elif any(_is_scratchpad(part) for part in ast.walk(target)):
            self.under_any_key += traced


def _first_key_in(target: ast.expr) -> str | None:
    """Return the key of the scratchpad that a target names; None if it names no key.

    `ast.walk` yields outer parts first: of `scratchpad["a"][scratchpad["b"]]`, the key
    is `a`.
    """
    for part in ast.walk(target):
        key = key_of_scratchpad(part)
        if key is not None:
            return key
    return None


def key_of_scratchpad(node: ast.AST) -> str | None:
    """Return the key of `scratchpad["key"]` or `scratchpad.get("key")`, else None."""
    match node:
        case ast.Subscript(
            value=ast.Name(id=name), slice=ast.Constant(value=str() as key)
        ):
            if name == SCRATCHPAD:
                return key
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr=method),
            args=[ast.Constant(value=str() as key), *_],
        ):
            if name == SCRATCHPAD and method in _METHODS_WITH_KEY:
                return key
    return None


# What an expression is computed from


def origins_of(traced: ScriptExpression, stored: StoredExpressions) -> Origins:
    """Return what an expression is computed from: its own literals and calls, and those
    of the values that its names hold."""
    trace = _Trace(stored)
    waiting = [traced]
    while waiting:
        waiting += trace.visit(waiting.pop())
    return trace.origins()


@dataclass(eq=False)
class _Trace:
    """The state of tracing one expression, part by part.

    For `sum(rows) * 12`, `origins_of` visits `sum`, `rows` and 12, and then what `rows`
    holds. Fields without an explanation have the same meaning as in `Origins`.
    """

    stored: StoredExpressions
    paths: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    literals: list[str] = field(default_factory=list)
    reads_environment: bool = False
    is_traceable: bool = True
    only_selects: bool = True
    """True as long as all visited parts only select among literals."""

    # What was visited already, because names may refer to each other in a circle
    visited_keys: set[str] = field(default_factory=set)
    """Keys of the scratchpad."""
    has_visited_whole_scratchpad: bool = False
    visited_names: set[tuple[int, str]] = field(default_factory=set)
    """Names, each with the `id` of the definitions of its script."""

    def origins(self) -> Origins:
        return Origins(
            paths=tuple(dict.fromkeys(self.paths)),
            reads_environment=self.reads_environment,
            numbers=tuple(dict.fromkeys(self.numbers)),
            literals=tuple(dict.fromkeys(self.literals)),
            is_traceable=self.is_traceable,
            is_literal=self.only_selects
            and self.is_traceable,  # nothing unknown is a literal
        )

    def visit(self, traced: ScriptExpression) -> list[ScriptExpression]:
        """Record one part of the expression, and return the parts that it depends
        on."""
        node = traced.expression
        if not isinstance(node, _SELECTING_NODES):
            self.only_selects = False

        # 1. For the scratchpad, visit the expressions whose values scripts stored in it.
        key = key_of_scratchpad(node)
        if key is not None:
            return self._visit_key(key)
        if _is_scratchpad(node):
            return self._visit_whole_scratchpad()

        # 2. Record a literal, name or call of the environment.
        match node:
            case ast.Constant():
                self._note_literal(node)
                return []
            case ast.Name():
                return self._visit_name(node.id, traced.definitions)
            case ast.Call() if is_environment_call(node):
                return self._visit_environment_call(node, traced.definitions)

        # 3. Anything else is computed from its parts.
        if _makes_number_of_text(node):
            self.is_traceable = False
            return []
        return [ScriptExpression(part, traced.definitions) for part in _inputs_of(node)]

    def _note_literal(self, literal: ast.Constant) -> None:
        """Record a path, or the numbers that need a source."""
        self.literals.append(str(literal.value))
        match literal.value:
            case str() as text if text.startswith("/"):
                self.paths.append(text)
            case (
                bytes() | complex()
            ):  # numbers are hidden in them: `int.from_bytes(b"...")`
                self.is_traceable = False
            case _:
                self.numbers += numbers_with_source(literal)

    def _visit_key(self, key: str) -> list[ScriptExpression]:
        """Return what the scratchpad may hold under a key; nothing on a second
        visit."""
        if key in self.visited_keys:
            return []
        self.visited_keys.add(key)
        expressions = self.stored.of(key)
        if not expressions:  # no script of this trial stored it
            self.is_traceable = False
        return expressions

    def _visit_whole_scratchpad(self) -> list[ScriptExpression]:
        """Return what the scratchpad may hold under any key; nothing on a second
        visit."""
        if self.has_visited_whole_scratchpad:
            return []
        self.has_visited_whole_scratchpad = True
        expressions = self.stored.all()
        if not expressions:
            self.is_traceable = False
        return expressions

    def _visit_name(
        self, name: str, definitions: Definitions
    ) -> list[ScriptExpression]:
        """Return what a name may hold; nothing on a second visit."""
        values = definitions.of(name)
        if values is None:
            self.is_traceable = False
            return []
        if (id(definitions), name) in self.visited_names:
            return []
        self.visited_names.add((id(definitions), name))
        return [ScriptExpression(value, definitions) for value in values]

    def _visit_environment_call(
        self, call: ast.Call, definitions: Definitions
    ) -> list[ScriptExpression]:
        """Record that the environment is read, and return the arguments of the call.

        The call is untraceable if it may return other things than what was read: the
        script has assigned another object to `harness`, or a query such as `select
        unicode('x')` makes a number of its own text.
        """
        is_read = _reads(call) and not definitions.rebinds_environment
        if not is_read or _has_character_code(call):
            self.is_traceable = False
            return []
        self.reads_environment = True
        arguments: list[ast.AST] = [*call.args, *call.keywords]
        return [ScriptExpression(argument, definitions) for argument in arguments]


def _inputs_of(node: ast.AST) -> list[ast.AST]:
    """Return the parts of an expression from which its value is computed."""
    match node:
        case ast.FormattedValue():
            return [node.value]  # the format, such as `.2f`, is not an input
        case ast.Subscript(slice=ast.Constant()):
            return [node.value]  # a constant index or key is not an input
    return list(ast.iter_child_nodes(node))


def _is_scratchpad(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == SCRATCHPAD


def _makes_number_of_text(node: ast.AST) -> bool:
    """Return True for `int("3n5", 36)`, which is 4721, and `ord("#")`, which is 35.

    With such calls, a script could state a number of its own without any digit of it.
    """
    match node:
        case ast.Call(func=ast.Name(id="int"), args=[ast.Constant(value=str()), _]):
            return True
        case ast.Call(func=ast.Name(id="ord")):
            return True
    return False


CHARACTER_CODE: Final = re2.compile(r"(?i)\b(?:unicode|ascii|ord|char|chr)\s*\(")
"""Functions of SQL that turn a letter into a number, or a number into a letter:
`unicode('x')`."""


def _has_character_code(call: ast.Call) -> bool:
    """Return True if a query may state a number without its digits: `select
    unicode('x') from t` gives 120."""
    for node in ast.walk(call):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if CHARACTER_CODE.search(node.value.encode(errors="replace").decode()):
                return True
    return False


def is_environment_call(call: ast.Call) -> bool:
    """Return True for a call of the environment, such as `harness.read` or
    `harness.mail.send`."""
    if not isinstance(call.func, ast.Attribute):
        return False
    value = call.func.value
    while isinstance(value, ast.Attribute):
        value = value.value
    return isinstance(value, ast.Name) and value.id == ENVIRONMENT


def _reads(call: ast.Call) -> bool:
    """Return True if a call of the environment returns what was read."""
    return (
        isinstance(call.func, ast.Attribute)
        and call.func.attr not in CALLS_THAT_READ_NOTHING
    )


def numbers_with_source(literal: ast.Constant) -> list[str]:
    """Return the numbers, dates and times in a literal that need a source.

    Leaves out small counts and constants of conversions: of `"36 rows, 12 EUR"`, only
    36 is returned.
    """
    match literal.value:
        case bool():
            return []
        case str() as text:
            # In a query, `40+7` is two numbers. Without the blanks it would be read as
            # an id.
            text = text.replace("+", " ").replace("*", " ")
        case int() | float():
            text = ast.unparse(literal).lstrip("-")
        case _:
            return []
    numbers = []
    for value in written_values(text):
        if value.kind in _KINDS_WITH_SOURCE and not _is_small_or_constant(value):
            numbers.append(value.text)
    return numbers


def _is_small_or_constant(value: WrittenValue) -> bool:
    """Return True if a value is a small whole number or a constant of a conversion."""
    if not value.canonical.isdigit():
        return False
    if value.canonical in CONVERSION_CONSTANTS:
        return True
    # The length is checked first, because `int` refuses thousands of digits.
    is_short = len(value.canonical) <= len(str(MAX_SMALL_NUMBER))
    return is_short and int(value.canonical) <= MAX_SMALL_NUMBER


# Texts to show


def text_of(traced: ScriptExpression) -> str:
    """Return an expression in a short form for display.

    - Of an f-string, only the values: `f"Total: {sum(prices)} EUR"` -> `sum(prices)`.
    - For a name that is bound only once, its value: after `n = len(rows)`, `n` ->
      `len(rows)`.
    """
    expression = traced.expression
    if isinstance(expression, ast.JoinedStr):
        values = []
        for part in expression.values:
            if isinstance(part, ast.FormattedValue):
                values.append(text_of(ScriptExpression(part.value, traced.definitions)))
        return short_text(", ".join(values))

    seen_names = set()
    while isinstance(expression, ast.Name) and expression.id not in seen_names:
        seen_names.add(expression.id)
        value = traced.definitions.only_value(expression.id)
        if value is None:
            break
        expression = value
    return short_text(ast.unparse(expression))


def short_text(code: str) -> str:
    """Return code in one line of at most `MAX_EXPRESSION_CHARS` characters."""
    line = " ".join(code.split())
    if len(line) > MAX_EXPRESSION_CHARS:
        return f"{line[: MAX_EXPRESSION_CHARS - 1]}…"
    return line


def path_calls(tree: ast.Module) -> Iterator[PathCall]:
    """Yield the calls of the environment with a text among their arguments, which may
    be a path: `harness.read("/a.md")`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not is_environment_call(node):
            continue
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        for argument in arguments:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield PathCall(argument.value, short_text(ast.unparse(node)))
