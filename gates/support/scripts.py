"""Reads the scripts of a trial without running them.

`script_origins` is the entry: it says which paths and numbers an expression comes from.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import re2

from controlplane.gates.python_syntax import parse_program

# The syntax of scripts: names, arguments and assignments in a tree.

ENVIRONMENT: Final = "harness"
"""The name by which scripts call the environment: `harness.read(path)`."""
SCRATCHPAD: Final = "scratchpad"
"""The name of the dictionary in which scripts keep their results."""
_MAX_NODES: Final = 200_000
"""A script whose syntax tree has more nodes than this is not read, because it takes too long."""


def parsed(code: str) -> ast.Module | None:
    """Return the syntax tree of a script; None if the script is invalid or too large."""
    try:
        tree = parse_program(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    node_count = sum(1 for _ in ast.walk(tree))
    return tree if node_count <= _MAX_NODES else None


def names_in(node: ast.AST) -> Iterator[str]:
    """Yield the variables in an expression, except the environment and the scratchpad."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id not in (ENVIRONMENT, SCRATCHPAD):
            yield part.id


def arguments_of(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call by position and by name."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


@dataclass(frozen=True, slots=True)
class _Assignment:
    """One target of an assignment, with the value that it gets."""

    target: ast.expr
    value: ast.expr


def unpacked(target: ast.expr, value: ast.expr) -> list[_Assignment]:
    """Return the targets of an assignment, each with its value: `a, b = 1, 2` -> (a, 1), (b, 2).

    The assignment stays whole if its parts are not known: `a, b = row`, `a, *b = 1, 2, 3`.
    """
    whole = [_Assignment(target, value)]
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return whole
    parts = [*target.elts, *value.elts]
    has_star = any(isinstance(part, ast.Starred) for part in parts)
    if has_star or len(target.elts) != len(value.elts):
        return whole
    return [
        _Assignment(part, part_value)
        for part, part_value in zip(target.elts, value.elts, strict=True)
    ]


# The values that each name of a script may hold.
#
#     total = 0
#     for row in rows:
#         total += fee
#
# Here `total` may hold `0` and `fee`, and `row` may hold `rows`. The values are not exact:
# they only serve to find the inputs, such as files, on which a name depends.

_BUILTINS: Final = frozenset(dir(builtins))


@dataclass(eq=False)
class Definitions:
    """The expressions that each name of one script may hold.

    First the definitions are collected (`add`, `declare`), then they are asked (`of`).
    """

    values: dict[str, list[ast.expr]] = field(default_factory=dict)
    """By name, every expression that is bound to it or stored in its object.

    After `rows = []` and `rows.append(row)`, they are `[]` and `row`.
    """
    last_assigned: dict[str, ast.expr] = field(default_factory=dict)
    """By name, the value of the last `name = value`. `for name in rows` is not recorded here."""
    imported: set[str] = field(default_factory=set)
    """The names of modules, and of what is imported from them: `json`, `sqrt`."""
    untraceable: set[str] = field(default_factory=set)
    """Names that may hold anything, such as the parameter of a function with unknown callers."""
    rebinds_environment: bool = False
    """True if `harness`, by which scripts call the environment, is something else: `harness = 3`."""

    def of(self, name: str) -> list[ast.expr] | None:
        """Return the expressions that a name may hold; None if it may hold anything.

        The list is empty for a name that holds no input: the builtin `len`, the module `json`.
        """
        if name in self.untraceable:
            return None
        if name in self.values:
            return self.values[name]
        is_known = name in self.imported or name in _BUILTINS
        return [] if is_known else None

    def only_value(self, name: str) -> ast.expr | None:
        """Return the value of a name that is bound once, by `name = value`; else None."""
        is_bound_once = len(self.values.get(name, ())) == 1
        if not is_bound_once or name in self.untraceable:
            return None
        return self.last_assigned.get(name)  # None after `for name in rows`

    def add(self, name: str, value: ast.expr) -> None:
        """Record that a name may hold a value."""
        self.values.setdefault(name, []).append(value)

    def add_each(self, names: Iterable[str], values: Iterable[ast.expr]) -> None:
        """Record that each name may hold each value."""
        for name in names:
            for value in values:
                self.add(name, value)

    def add_to_target(self, target: ast.AST, value: ast.expr) -> None:
        """Record that every name in a target may hold a value: `a` and `rows` of `a, rows[0]`."""
        for name in names_in(target):
            self.add(name, value)

    def declare(self, name: str) -> None:
        """Record that a name is known, even if it gets no value: `f` of `def f(): pass`.

        Then `of` returns an empty list for it, instead of None.
        """
        self.values.setdefault(name, [])


# Expressions of a script with the values of their names, and how they are shown.
#
# After `n = len(rows)`, the expression `n` is shown as `len(rows)`.

_MAX_EXPRESSION_CHARS: Final = 120
"""Characters of an expression that are shown beside a value."""


@dataclass(frozen=True, slots=True)
class ScriptExpression:
    """An expression of a script, with what the names in it may hold."""

    expression: ast.AST
    definitions: Definitions

    def part(self, node: ast.AST) -> ScriptExpression:
        """Return another expression of the same script, such as a part of this one."""
        return ScriptExpression(node, self.definitions)

    def parts(self, nodes: Iterable[ast.AST]) -> list[ScriptExpression]:
        """Return several expressions of the same script."""
        return [ScriptExpression(node, self.definitions) for node in nodes]


def text_of(traced: ScriptExpression) -> str:
    """Return an expression in a short form for display.

    - Of an f-string, only the values: `f"Total: {sum(prices)} EUR"` -> `sum(prices)`.
    - For a name that is bound only once, its value:
      after `n = len(rows)`, `n` -> `len(rows)`.
    """
    expression = traced.expression
    if isinstance(expression, ast.JoinedStr):  # an f-string
        values = [
            text_of(traced.part(part.value))
            for part in expression.values
            if isinstance(part, ast.FormattedValue)
        ]
        return _short_text(", ".join(values))

    # Replace a name by its value as long as that is a name again. Names may refer to each other
    # in a circle, `a = b` and `b = a`, so each is replaced once.
    seen_names = set()
    while isinstance(expression, ast.Name) and expression.id not in seen_names:
        seen_names.add(expression.id)
        value = traced.definitions.only_value(expression.id)
        if value is None:
            break
        expression = value
    return _short_text(ast.unparse(expression))


def _short_text(code: str) -> str:
    """Return code in one line of at most `_MAX_EXPRESSION_CHARS` characters."""
    line = " ".join(code.split())
    if len(line) > _MAX_EXPRESSION_CHARS:
        return f"{line[: _MAX_EXPRESSION_CHARS - 1]}…"
    return line


# Calls of the environment in a script: `harness.read("/a.md")`.
#
# What a script computes from the result of such a call counts as computed, not as invented.
# Some calls can return a number that the script itself chose. Their results do not count:
#
#     harness.sql("select unicode('x') from t")     returns 120, the code of the script's `x`

_CALLS_THAT_READ_NOTHING: Final = frozenset(
    {"answer", "earlier", "help", "write", "delete", "mkdir", "move"}
)
"""Names of calls that return nothing that was read in the trial.

- `harness.help()` returns a manual.
- `harness.earlier()` returns the script's own words.
- The others change or submit something, and return only a confirmation.
"""
_CHARACTER_CODE: Final = re2.compile(r"(?i)\b(?:unicode|ascii|ord|char|chr)\s*\(")
"""Functions of SQL that turn a letter into a number, or a number into a letter: `unicode('x')`.

A query that uses one can return a number that is in no table: 120 for `unicode('x')`.
"""


@dataclass(frozen=True, slots=True)
class PathCall:
    """A call of the environment that names a path."""

    path: str
    text: str
    """The call in one short line."""


def path_calls(tree: ast.Module) -> Iterator[PathCall]:
    """Yield the calls of the environment that may name a path: `harness.read("/a.md")`.

    Every text among the arguments may be the path, so a call with two texts is yielded twice.
    """
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not is_environment_call(node):
            continue
        for argument in arguments_of(node):
            match argument:
                case ast.Constant(value=str() as path):
                    yield PathCall(path, _short_text(ast.unparse(node)))


def is_environment_call(call: ast.Call) -> bool:
    """Return True for `harness.read(path)` and `harness.mail.send(text)`, not for `harness()`."""
    if not isinstance(call.func, ast.Attribute):
        return False
    owner = call.func.value
    while isinstance(owner, ast.Attribute):  # from `harness.mail` to `harness`
        owner = owner.value
    return isinstance(owner, ast.Name) and owner.id == ENVIRONMENT


def returns_what_was_read(call: ast.Call) -> bool:
    """Return True if a call of the environment returns only what was read.

    True for `harness.read("/a.md")`; False for `harness.help()`, and for
    `harness.sql("select unicode('x') from t")`, by which the script chooses the number 120.
    """
    if not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr in _CALLS_THAT_READ_NOTHING:
        return False
    return not _has_character_code(call)


def _has_character_code(call: ast.Call) -> bool:
    """Return True if a text among the arguments of a call uses a function of `_CHARACTER_CODE`."""
    for node in ast.walk(call):
        match node:
            case ast.Constant(value=str() as text):
                # RE2 cannot read lone surrogates; `replace` makes them question marks.
                if _CHARACTER_CODE.search(text.encode(errors="replace").decode()):
                    return True
    return False


# What the parameters of a function may hold after a call.
#
#     def price(item, count=1): ...
#
#     price(row, 3)      `item` may hold `row`, and `count` may hold 3 or 1
#     price(*row)        each may hold `row`: it is unknown which one gets which part
#
# The script is not run. So a parameter may get more values here than it ever holds. That is
# safe: no value that it may hold is missing.

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class ParameterValue:
    """A value that a parameter may hold: `8` for `limit` in `def over(rows, limit=8)`."""

    name: str
    value: ast.expr


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of one function of a script, and what a call may give them.

    The script is only read. So a parameter may get more values here than it ever holds, but
    none that it may hold is missing.
    """

    function: Function
    """The definition in the syntax tree, or a lambda."""

    @property
    def positional_names(self) -> list[str]:
        """The parameters that can be given by position."""
        signature = self.function.args
        parameters = [*signature.posonlyargs, *signature.args]
        return [parameter.arg for parameter in parameters]

    @property
    def names(self) -> list[str]:
        """All parameters, with the `rows` of `*rows` and the `options` of `**options`."""
        signature = self.function.args
        names = self.positional_names
        names += [parameter.arg for parameter in signature.kwonlyargs]
        for collecting in (signature.vararg, signature.kwarg):
            if collecting is not None:
                names.append(collecting.arg)
        return names

    def values_in(self, call: ast.Call) -> list[ParameterValue]:
        """Return what the parameters may hold in a call of the function.

        `price(row, 3)` for `def price(item, count=1)` -> `row` for `item`, 3 and 1 for `count`
        """
        # 1. Is it known which parameter gets which argument? Not in `price(*row)`.
        signature = self.function.args
        collects = signature.vararg is not None or signature.kwarg is not None
        has_surplus = len(call.args) > len(self.positional_names)
        if collects or has_surplus or not _is_plain_call(call):
            return self.any_of(arguments_of(call))

        # 2. The arguments by position and by name, and the defaults.
        values: list[ParameterValue] = []
        for name, argument in zip(self.positional_names, call.args, strict=False):
            values.append(ParameterValue(name, argument))
        for keyword in call.keywords:
            assert keyword.arg is not None  # None stands for `**options`
            values.append(ParameterValue(keyword.arg, keyword.value))
        return values + self.defaults

    def any_of(self, arguments: Sequence[ast.expr]) -> list[ParameterValue]:
        """Return what the parameters may hold if it is unknown which one gets which argument."""
        values = [
            ParameterValue(name, argument)
            for name in self.names
            for argument in arguments
        ]
        return values + self.defaults

    @property
    def defaults(self) -> list[ParameterValue]:
        """What parameters may hold if a call does not give them: 8 in `def over(rows, limit=8)`."""
        signature = self.function.args
        values: list[ParameterValue] = []
        # 1. Those of parameters by position. They belong to the last ones: (a, b, c=1, d=2).
        first = len(self.positional_names) - len(signature.defaults)
        names = self.positional_names[first:]
        for name, default in zip(names, signature.defaults, strict=True):
            values.append(ParameterValue(name, default))

        # 2. Those of parameters by name only: (*, a, b=1). None stands for no default.
        for parameter, keyword_default in zip(
            signature.kwonlyargs, signature.kw_defaults, strict=True
        ):
            if keyword_default is not None:
                values.append(ParameterValue(parameter.arg, keyword_default))
        return values


def _is_plain_call(call: ast.Call) -> bool:
    """Return True for `price(row, year=2026)`, not for `loans.price(row)` or with `*` or `**`.

    A method gets its object as the first argument, which would shift the others.
    """
    has_star = any(isinstance(argument, ast.Starred) for argument in call.args)
    has_double_star = any(keyword.arg is None for keyword in call.keywords)
    return isinstance(call.func, ast.Name) and not has_star and not has_double_star


# The scratchpad in the syntax of a script: `scratchpad["rows"]` has the key `rows`.

_METHODS_WITH_KEY: Final = frozenset({"get", "pop", "setdefault"})
"""Methods of the scratchpad that return what is stored under a key: `scratchpad.get("rows")`."""


def is_scratchpad(node: ast.AST) -> bool:
    """Return True for the name `scratchpad`."""
    return isinstance(node, ast.Name) and node.id == SCRATCHPAD


def key_of_scratchpad(node: ast.AST) -> str | None:
    """Return the key of `scratchpad["key"]` or `scratchpad.get("key")`, else None."""
    match node:
        case ast.Subscript(value=owner, slice=ast.Constant(value=str() as key)):
            return key if is_scratchpad(owner) else None
        case ast.Call(
            func=ast.Attribute(value=owner, attr=method),
            args=[ast.Constant(value=str() as key), *_],
        ):
            has_key = is_scratchpad(owner) and method in _METHODS_WITH_KEY
            return key if has_key else None
    return None


# The expressions that the scripts of a trial stored in the scratchpad.
#
#     scratchpad["n"] = len(rows)           assigns: the key `n` holds `len(rows)` alone
#     scratchpad["rows"].append(row)        changes: the key `rows` also holds `row`
#     scratchpad.update(values)             under any key
#
# The scripts are only read, so it is unknown which of several assignments came last. All are kept.


@dataclass(eq=False)
class StoredExpressions:
    """The expressions that the scripts of a trial stored under each key of the scratchpad.

    Scripts are read one after the other (`assign`, `change`); then `of` and `all` are asked.
    """

    assigned: dict[str, list[ScriptExpression]] = field(default_factory=dict)
    """By key, the values of `scratchpad["key"] = value`. Each may be what the key holds now."""
    changed: dict[str, list[ScriptExpression]] = field(default_factory=dict)
    """By key, the values that were added to what it held: `scratchpad["key"].append(value)`."""
    under_any_key: list[ScriptExpression] = field(default_factory=list)
    """The values stored by `scratchpad.update(values)` or under a computed key."""

    def of(self, key: str) -> list[ScriptExpression]:
        """Return everything that a key may hold."""
        assigned = self.assigned.get(key, [])
        return assigned + self.changed.get(key, []) + self.under_any_key

    def whole_values_of(self, key: str) -> Sequence[ScriptExpression]:
        """Return the expressions, one of which gave all that a key holds.

        Empty if a script may also have changed a part: after `scratchpad["text"] = "a"` and
        `scratchpad["text"] += more`, the key holds neither `"a"` nor `more`.
        """
        if self.changed.get(key) or self.under_any_key:
            return ()
        return self.assigned.get(key, ())

    def all(self) -> list[ScriptExpression]:
        """Return everything that the scratchpad may hold."""
        expressions = list(self.under_any_key)
        for by_key in (self.assigned, self.changed):
            for stored in by_key.values():
                expressions += stored
        return expressions

    def assign(self, key: str, value: ScriptExpression) -> None:
        """Record that a key was set to a value."""
        self.assigned.setdefault(key, []).append(value)

    def change(self, key: str | None, values: Sequence[ScriptExpression]) -> None:
        """Record that values were added to what a key holds; None if it may be any key."""
        if key is None:
            self.under_any_key += values
        else:
            self.changed.setdefault(key, []).extend(values)
