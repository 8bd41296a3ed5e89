"""Reads the scripts of a trial without running them: what their names and the scratchpad may hold.

    rows = harness.read("/items.csv").content.splitlines()
    total = 0
    for row in rows:
        total += int(row)

Here `row` may hold `rows`, and `total` may hold `0` and `int(row)`. The order of the
statements is ignored: a name may hold every value that is ever bound to it.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import re2

from controlplane.gates.python_syntax import parse_program
from controlplane.gates.text_folding import encodable

# The syntax of scripts: names, arguments and assignments in a tree.

_ENVIRONMENT: Final = "harness"
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


def _names_in(node: ast.AST) -> Iterator[str]:
    """Yield the variables in an expression, except the environment and the scratchpad."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id not in (_ENVIRONMENT, SCRATCHPAD):
            yield part.id


def arguments_of(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call by position and by name."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _unpacked(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Return the targets of an assignment, each with its value: `a, b = 1, 2` -> (a, 1), (b, 2).

    The assignment stays whole if its parts are not known: `a, b = row`, `a, *b = 1, 2, 3`.
    """
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return [(target, value)]
    parts = [*target.elts, *value.elts]
    has_star = any(isinstance(part, ast.Starred) for part in parts)
    if has_star or len(target.elts) != len(value.elts):
        return [(target, value)]
    return list(zip(target.elts, value.elts, strict=True))


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

    def add_to_target(self, target: ast.AST, value: ast.expr) -> None:
        """Record that every name in a target may hold a value: `a` and `rows` of `a, rows[0]`."""
        for name in _names_in(target):
            self.add(name, value)

    def declare(self, name: str) -> None:
        """Record that a name is known, even if it gets no value: `f` of `def f(): pass`.

        Then `of` returns an empty list for it, instead of None.
        """
        self.values.setdefault(name, [])


# Expressions of a script with the values of their names, and how they are shown.
#
# After `n = len(rows)`, the expression `n` is shown as `len(rows)`.

_MAX_NAMES: Final = 20
"""How many names in a row are replaced by their values: `a = b`, `b = len(rows)`."""
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

    @property
    def value(self) -> ScriptExpression:
        """The value behind a name that is bound once, by `name = value`; else the expression.

        After `line = f"{n} rows"`, this is the f-string for `line`.
        """
        node = self.expression
        for _ in range(_MAX_NAMES):
            if not isinstance(node, ast.Name):
                break
            value = self.definitions.only_value(node.id)
            if value is None:
                break
            node = value
        return self.part(node)


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
    return isinstance(owner, ast.Name) and owner.id == _ENVIRONMENT


def returns_what_was_read(call: ast.Call) -> bool:
    """Return True if a call of the environment returns only what was read.

    True for `harness.read("/a.md")`; False for `harness.help()`, and for
    `harness.sql("select unicode('x') from t")`, by which the script chooses the number 120.
    """
    if not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr in _CALLS_THAT_READ_NOTHING:
        return False
    for node in ast.walk(call):
        match node:
            case ast.Constant(value=str() as text):
                if _CHARACTER_CODE.search(encodable(text)):
                    return False
    return True


# What the parameters of a function may hold after a call.
#
#     def price(item, count=1): ...
#
#     price(row, 3)      each may hold `row` and 3, and `count` also 1, its default
#
# The script is not run, and which parameter gets which argument is not followed. So a parameter may
# get more values here than it ever holds. That is safe: no value that it may hold is missing.

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def _parameter_names(function: _Function) -> list[str]:
    """Return all parameters, with the `rows` of `*rows` and the `options` of `**options`."""
    parameters = [part for part in ast.walk(function.args) if isinstance(part, ast.arg)]
    return [parameter.arg for parameter in parameters]


def _defaults_of(function: _Function) -> dict[str, ast.expr]:
    """Return what parameters hold if a call does not give them: 8 for `limit` in `over(rows, limit=8)`."""
    signature = function.args
    positional = [*signature.posonlyargs, *signature.args]
    # They belong to the last parameters: (a, b, c=1, d=2).
    pairs = [*zip(reversed(positional), reversed(signature.defaults), strict=False)]
    defaults = {parameter.arg: default for parameter, default in pairs}
    for parameter, default in zip(
        signature.kwonlyargs, signature.kw_defaults, strict=True
    ):
        if default is not None:  # None stands for no default.
            defaults[parameter.arg] = default
    return defaults


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

    Scripts are read one after the other (`add`); then `of` and `all` are asked. The key None stands for
    any key: `scratchpad.update(values)`, `scratchpad[name] = value`.
    """

    values: dict[str | None, list[ScriptExpression]] = field(default_factory=dict)
    """By key, the values that were assigned to it, and those that were added to what it held."""
    changed: set[str | None] = field(default_factory=set)
    """The keys that do not hold one of their values alone: `scratchpad["key"].append(value)`."""

    def of(self, key: str) -> list[ScriptExpression]:
        """Return everything that a key may hold."""
        return self.values.get(key, []) + self.values.get(None, [])

    def whole_values_of(self, key: str) -> Sequence[ScriptExpression]:
        """Return the expressions, one of which gave all that a key holds.

        Empty if a script may also have changed a part: after `scratchpad["text"] = "a"` and
        `scratchpad["text"] += more`, the key holds neither `"a"` nor `more`.
        """
        return () if self.changed & {key, None} else self.values.get(key, ())

    def all(self) -> list[ScriptExpression]:
        """Return everything that the scratchpad may hold."""
        return [value for values in self.values.values() for value in values]

    def add(
        self, key: str | None, values: Sequence[ScriptExpression], *, is_change: bool
    ) -> None:
        """Record values that a key may hold; `is_change` if they are only a part of it."""
        self.values.setdefault(key, []).extend(values)
        if is_change:
            self.changed.add(key)


def text_of(traced: ScriptExpression, stored: StoredExpressions) -> str:
    """Return an expression in a short form for display.

    - Of an f-string, only the values: `f"Total: {sum(prices)} EUR"` -> `sum(prices)`.
    - For a name that is bound only once, its value: after `n = len(rows)`, `n` -> `len(rows)`.
    - For a key of the scratchpad, the value that a script stored: after
      `scratchpad["n"] = len(rows)`, `scratchpad["n"]` -> `len(rows)`.
    """
    for _ in range(_MAX_NAMES):
        traced = traced.value
        key = key_of_scratchpad(traced.expression)
        if key is None:
            break
        stored_values = stored.whole_values_of(key)
        if len(stored_values) != 1:
            break
        traced = stored_values[0]
    expression = traced.expression
    if isinstance(expression, ast.JoinedStr):  # an f-string
        values = [
            text_of(traced.part(part.value), stored)
            for part in expression.values
            if isinstance(part, ast.FormattedValue)
        ]
        return _short_text(", ".join(values))
    return _short_text(ast.unparse(expression))


# The methods that only read their object: `rows.count(row)`, unlike `rows.append(row)`.

_READING_METHODS: Final = frozenset({
    "as_tuple", "astimezone", "capitalize", "casefold", "center", "copy", "count", "date",
    "decode", "difference", "elements", "encode", "endswith", "expandtabs", "find", "findall",
    "finditer", "format", "fullmatch", "get", "group", "groupdict", "groups", "index",
    "intersection", "isalnum", "isalpha", "isdigit", "isdisjoint", "isnumeric", "isoformat",
    "issubset", "issuperset", "isupper", "items", "join", "json", "keys", "limit_denominator",
    "ljust", "lower", "lstrip", "match", "most_common", "partition", "pop", "popleft",
    "quantize", "removeprefix", "removesuffix", "replace", "rfind", "rindex", "rjust",
    "rpartition", "rsplit", "rstrip", "search", "sort", "split", "splitlines", "startswith",
    "strftime", "strip", "sub", "time", "timestamp", "title", "total", "total_seconds",
    "translate", "union", "upper", "values", "weekday", "zfill",
})  # fmt: skip
"""Methods that store none of their arguments in their object. Every other method may do so.

`pop` and `sort` change the object, but store no argument.
"""


# Collects which values the names of a script may hold: `total = 0`, `for row in rows`.
#
#     total = 0              `total` may hold 0
#     total += fee           `total` may also hold `fee`
#     for row in rows: ...   `row` may hold `rows`
#
# The values need not be exact: they only serve to find the inputs, such as files, on which a
# name depends. `Definitions` stores them.

_RAISED: Final = "<raised>"
"""A made-up name that holds every exception that a script raises.

`raise value` adds a value to it, and `except Error as a` takes one. It is not valid in
Python, so no script uses it for something else.
"""


def _collect_bindings(tree: ast.Module, definitions: Definitions) -> None:
    """Record in `definitions` the values that a script binds to names."""
    for node in ast.walk(tree):
        _collect_binding(node, definitions)


def _collect_binding(node: ast.AST, definitions: Definitions) -> None:
    """Record the values that one statement, or one part of it, binds to names."""
    match node:
        case ast.Assign():  # a = b = value
            for target in node.targets:
                _collect_assignment(target, node.value, definitions)
        case ast.AnnAssign(value=ast.expr() as value):  # a: int = value
            _collect_assignment(node.target, value, definitions)
        case ast.AugAssign() | ast.NamedExpr():  # a += value, (a := value)
            definitions.add_to_target(node.target, node.value)
        case ast.For() | ast.AsyncFor() | ast.comprehension():  # for a in value
            definitions.add_to_target(node.target, node.iter)
        case ast.withitem(optional_vars=ast.expr() as target):  # with value as a
            definitions.add_to_target(target, node.context_expr)
        case ast.Raise(exc=ast.expr() as value):  # raise value
            definitions.add(_RAISED, value)
        case ast.ExceptHandler(name=str() as name):  # except Error as a
            definitions.add(name, ast.Name(_RAISED))
            # Without a `raise` in the script, the exception depends on no input.
            definitions.declare(_RAISED)
        case ast.FunctionDef() | ast.AsyncFunctionDef():  # def a(): return value
            # A call `price(row)` depends on what the function returns, which may be nothing.
            definitions.declare(node.name)
            for part in ast.walk(node):
                if isinstance(part, ast.Return | ast.Yield | ast.YieldFrom):
                    if part.value is not None:
                        definitions.add(node.name, part.value)
        case ast.Import() | ast.ImportFrom():  # import a.b, import a as b
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                definitions.imported.add(name)
        case ast.ClassDef():  # class A: its objects may hold anything
            definitions.untraceable.add(node.name)
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            if name == _ENVIRONMENT:  # harness = value, def f(harness)
                definitions.rebinds_environment = True


def _collect_assignment(
    target: ast.expr, value: ast.expr, definitions: Definitions
) -> None:
    """Record an assignment. In `a, b = 1, 2`, each name gets its own value."""
    for part, part_value in _unpacked(target, value):
        definitions.add_to_target(part, part_value)
    if isinstance(target, ast.Name):  # `total = 0`, not `a, b = 1, 2`
        definitions.last_assigned[target.id] = value


# Collects what a script stores in objects.
#
#     rows.append(row)       `rows` may now hold `row`
#     part = table["a"]
#     part.append(7)         `part` may now hold 7, and so may `table`, of which it is a part
#
# So a value that is read from `rows` depends on everything on which `row` depends.

_STORING_FUNCTIONS: Final = frozenset(
    {"heappush", "heappushpop", "heapreplace"}
    | {"insort", "insort_left", "insort_right", "setitem"}
)
"""Functions of the standard library that store their other arguments in the first one."""


def _collect_changes(tree: ast.Module, definitions: Definitions) -> None:
    """Record in `definitions` what a script stores in objects.

    All assignments of the script must be recorded already: `rows = []`, `rows[0] = row`.
    """
    # 1. Record what each call stores, and find the names whose objects change.
    changed_names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call():
                for changed, values in _changes_by(node):
                    names = set(_names_in(changed)) - definitions.imported
                    for name in names:
                        definitions.values.setdefault(name, []).extend(values)
                    changed_names |= names
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                changed_names.update(_names_in(node.value))  # rows[0] = row

    # 2. Pass the changes on: after `part = table["a"]`, `part.append(7)` also changes the table, which
    #    may hold what `part` holds, as after `table = part`. In alphabetical order, because the order
    #    of a set differs in each process, and decides in which order the files behind a value are
    #    shown.
    for name in sorted(changed_names):
        for value in list(definitions.values.get(name, ())):
            # `table["a"]`, `table.values()`
            may_be_part = isinstance(value, ast.Name | ast.Attribute | ast.Subscript)
            if isinstance(value, ast.Call):
                may_be_part = isinstance(value.func, ast.Attribute)
            if may_be_part:
                definitions.add_to_target(value, ast.Name(name))


def _changes_by(call: ast.Call) -> Iterator[tuple[ast.expr, list[ast.expr]]]:
    """Yield the objects in which a call may store values: `rows`, and `row`, of `rows.append(row)`."""
    if isinstance(call.func, ast.Attribute) and call.func.attr not in _READING_METHODS:
        yield call.func.value, arguments_of(call)
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            if name in _STORING_FUNCTIONS and call.args:  # heappush(rows, row)
                yield call.args[0], call.args[1:]


# Finds counts of a script, and the loops and branches on which they depend.
#
#     for row in rows:
#         if row.is_new:
#             n += 1
#
# The count `n` depends on `rows` and `row.is_new`, though `n += 1` does not say so.

_MAX_CONDITIONS: Final = 30
"""A count inside more loops and branches than this is untraceable: it may depend on anything."""


def _collect_counts(tree: ast.Module, definitions: Definitions) -> None:
    """Record in `definitions` that counts depend on the loops and branches around them.

    In `for row in rows: n += 1`, the count `n` depends on `rows`. `total += row.price` is
    not a count: it names its input.
    """
    # The statements that are still to be read, with the expressions that decide whether and how often
    # each runs: `rows` and `row.is_new` for the `n += 1` above. There are at most `_MAX_CONDITIONS`
    # and one more: a long chain of `elif` has thousands, one inside the other.
    waiting: list[tuple[ast.AST, tuple[ast.expr, ...]]] = [(tree, ())]
    while waiting:
        node, conditions = waiting.pop()
        has_too_many = len(conditions) > _MAX_CONDITIONS
        match node:
            case ast.AugAssign(target=target, value=ast.Constant()):  # n += 1
                if has_too_many:
                    definitions.untraceable.update(_names_in(target))
                else:
                    for condition in conditions:
                        definitions.add_to_target(target, condition)
            case ast.For(iter=condition) | ast.AsyncFor(iter=condition) if (
                not has_too_many
            ):
                conditions = (*conditions, condition)
            case ast.If(test=condition) | ast.While(test=condition) if not has_too_many:
                conditions = (*conditions, condition)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
                waiting.append((child, conditions))


# Collects what the parameters of a script's functions may hold.
#
#     def price(row): ...
#
#     price(rows[0])            calls it: `row` holds `rows[0]`
#     rows.sort(key=price)      passes it on: the sorting calls it with values from `rows`
#     table["price"] = price    is not understood: any code may take it from there and call it
#
# If a script refers to a function in a way that is not understood, the parameters of this function may
# hold anything: they are *untraceable*.

_MAX_PASSED_ARGUMENTS: Final = 20
"""If a call has more arguments than this, a function among them counts as not understood."""
_MAX_FUNCTIONS_OF_ONE_NAME: Final = 10
"""If more functions than this share a name, their parameters are untraceable.

This limits the work: a call by the name is recorded for each of them.
"""


def _collect_parameters(tree: ast.Module, definitions: Definitions) -> None:
    """Record in `definitions` what the parameters of a script's functions may hold."""
    functions = _functions_of(tree)
    for name, namesakes in functions.items():
        if len(namesakes) > _MAX_FUNCTIONS_OF_ONE_NAME:
            _make_untraceable(namesakes, definitions)
            functions[name] = []

    # 1. References that show what the parameters get: the `price` of `price(rows[0])`.
    understood_nodes: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call():
                for reference, function, values in _understood_in(node, functions):
                    understood_nodes.add(reference)
                    for name in _parameter_names(function):
                        definitions.values.setdefault(name, []).extend(values)
                    # With an argument for each parameter, no default counts.
                    if len(values) >= len(_parameter_names(function)):
                        continue
                    for name, default in _defaults_of(function).items():
                        definitions.add(name, default)
            case ast.Assign(targets=[ast.Name() as target, *_], value=ast.Lambda()):
                # `price = lambda row: ...`: nothing is called here.
                understood_nodes |= {target, node.value}

    # 2. All other references: the `price` of `table["price"] = price`.
    for node in ast.walk(tree):
        if node not in understood_nodes:
            _make_untraceable(_functions_at(node, functions), definitions)


def _functions_of(tree: ast.Module) -> dict[str, list[_Function]]:
    """Return the functions of a script by name: `def price(row): ...`, `price = lambda row: ...`.

    A script may define a name twice.
    """
    functions: dict[str, list[_Function]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                functions.setdefault(node.name, []).append(node)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value):
                functions.setdefault(name, []).append(value)
    return functions


def _functions_at(
    node: ast.AST, functions: Mapping[str, list[_Function]]
) -> Sequence[_Function]:
    """Return the functions to which a node of the syntax tree may refer.

    The nodes `price` and `prices.price` may refer to every function with the name `price`.
    A lambda refers to itself. Other nodes refer to no function.
    """
    match node:
        case ast.Lambda():
            return [node]
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return functions.get(name, [])
    return []


def _understood_in(
    call: ast.Call, functions: Mapping[str, list[_Function]]
) -> Iterator[tuple[ast.AST, _Function, list[ast.expr]]]:
    """Yield the references to functions in a call, each with the function and what its parameters get.

    | call                   | reference                              |
    | ---------------------- | -------------------------------------- |
    | `price(row)`           | `price`, whose parameters get `row`    |
    | `rows.sort(key=price)` | `price`, whose parameters get `rows`   |

    The called function, here the sorting, is not followed. It may call `price` with its object or
    with any other argument, so the parameters may hold all of these.
    """
    arguments = arguments_of(call)
    owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    for function in _functions_at(call.func, functions):
        yield call.func, function, arguments
    if len(arguments) > _MAX_PASSED_ARGUMENTS:
        return
    for argument in arguments:
        others = [other for other in arguments if other is not argument]
        for function in _functions_at(argument, functions):
            yield argument, function, [*others, *owner]


def _make_untraceable(functions: Iterable[_Function], definitions: Definitions) -> None:
    """Record that the parameters of functions may hold anything."""
    for function in functions:
        definitions.untraceable.update(_parameter_names(function))


# Collects the values that each name of a script may hold, without running the script.
#
#     rows = harness.read("/items.csv").content.splitlines()
#     total = 0
#     for row in rows:
#         total += int(row)
#
# Here `row` may hold `rows`, and `total` may hold `0` and `int(row)`. The order of the
# statements is ignored: a name may hold every value that is ever bound to it.


def definitions_of(tree: ast.Module) -> Definitions:
    """Return what the names of a script may hold."""
    definitions = Definitions()
    _collect_bindings(tree, definitions)
    _collect_counts(tree, definitions)
    _collect_parameters(tree, definitions)
    _collect_changes(tree, definitions)  # the last one: it follows what names hold
    return definitions


# Finds what a script stores in the scratchpad: `len(rows)` by `scratchpad["n"] = len(rows)`.
#
# The scratchpad is a dictionary in which a script keeps values for later scripts of the trial.

_CITING_METHODS: Final = frozenset({"cite", "uncite", "cite_all"})
"""Methods of the scratchpad that change only the citations, and store no value under a key."""
_METHODS_WITHOUT_EFFECT: Final = _READING_METHODS | _CITING_METHODS
"""Methods that store none of their arguments. Every other method may do so."""


def collect_stored(
    tree: ast.Module, definitions: Definitions, stored: StoredExpressions
) -> None:
    """Add what a script stores in the scratchpad to `stored`.

    `definitions` has what the names of the script may hold. It is kept with each stored
    expression: with `len(rows)`, it shows later what `rows` is.
    """
    script = ScriptExpression(tree, definitions)
    for node in ast.walk(tree):
        match node:
            case ast.Assign():  # scratchpad["n"] = len(rows)
                for target in node.targets:
                    for part, value in _unpacked(target, node.value):
                        key = key_of_scratchpad(part)
                        if key is not None:
                            stored.add(key, [script.part(value)], is_change=False)
                        else:  # scratchpad["rows"][0] = row
                            _record_change(part, [script.part(value)], stored)
            case ast.AugAssign():  # scratchpad["n"] += 1
                _record_change(node.target, [script.part(node.value)], stored)
            case ast.Call(func=ast.Attribute(value=owner, attr=method)):
                # scratchpad["rows"].append(row)
                if method not in _METHODS_WITHOUT_EFFECT:
                    arguments = script.parts(arguments_of(node))
                    _record_change(owner, arguments, stored)


def _record_change(
    target: ast.expr, values: Sequence[ScriptExpression], stored: StoredExpressions
) -> None:
    """Record values that are stored in a target, if it is a part of the scratchpad.

    | code                              | target                | recorded      |
    | --------------------------------- | --------------------- | ------------- |
    | `scratchpad["rows"].append(row)`  | `scratchpad["rows"]`  | for `rows`    |
    | `scratchpad.update(values)`       | `scratchpad`          | for any key   |
    | `scratchpad[name] = value`        | `scratchpad[name]`    | for any key   |
    | `rows.append(row)`                | `rows`                | not at all    |
    """
    names_scratchpad = False
    for part in ast.walk(target):
        # For `scratchpad["a"][scratchpad["b"]]`, the key is `a`: `ast.walk` yields it first.
        key = key_of_scratchpad(part)
        if key is not None:
            stored.add(key, values, is_change=True)
            return
        names_scratchpad = names_scratchpad or is_scratchpad(part)
    if names_scratchpad:
        stored.add(None, values, is_change=True)
