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
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

import re2

from controlplane.gates.python_syntax import parse_program
from controlplane.gates.text_folding import encodable

# The syntax of scripts: variables, arguments, calls of the environment.

_ENVIRONMENT: Final = "harness"
"""The name by which scripts call the environment: `harness.read(path)`."""
SCRATCHPAD: Final = "scratchpad"
"""The name of the dictionary in which scripts keep their results."""
_MAX_NODES: Final = 200_000
"""A script whose syntax tree has more nodes than this is not read, because it takes too long."""
_METHODS_WITH_KEY: Final = frozenset({"get", "pop", "setdefault"})
"""Methods of the scratchpad that return what is stored under a key: `scratchpad.get("rows")`."""
_MAX_EXPRESSION_CHARS: Final = 120
"""Characters of an expression that are shown beside a value."""


def parsed(code: str) -> ast.Module | None:
    """Return the syntax tree of a script; None if the script is invalid or too large."""
    try:
        tree = parse_program(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    node_count = sum(1 for _ in ast.walk(tree))
    return tree if node_count <= _MAX_NODES else None


def arguments_of(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call by position and by name."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def variable_of(node: ast.AST) -> str | None:
    """Return the variable that an expression is; None for any other expression, such as `a + b`.

    | expression                                | variable                                    |
    | ----------------------------------------- | ------------------------------------------- |
    | `rows`                                    | `rows`                                      |
    | `scratchpad["n"]`, `scratchpad.get("n")`  | `scratchpad n`, which all scripts share     |
    | `scratchpad`                              | `scratchpad`, which stands for all its keys |
    """
    match node:
        case ast.Name(id=name):
            return name
        case ast.Subscript(value=owner, slice=ast.Constant(value=str() as key)):
            return variable_of_key(key) if _is_named(owner, SCRATCHPAD) else None
        case ast.Call(
            func=ast.Attribute(value=owner, attr=method),
            args=[ast.Constant(value=str() as key), *_],
        ) if method in _METHODS_WITH_KEY:
            return variable_of_key(key) if _is_named(owner, SCRATCHPAD) else None
    return None


def variable_of_key(key: str) -> str:
    """Return the variable for a key of the scratchpad: `n` -> `scratchpad n`."""
    return f"{SCRATCHPAD} {key}"


def _is_named(node: ast.AST, name: str) -> bool:
    """Return True if an expression is a name."""
    return isinstance(node, ast.Name) and node.id == name


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


class PathCall(NamedTuple):
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
    owner: ast.expr = call.func
    while isinstance(owner, ast.Attribute):  # from `harness.mail` to `harness`
        owner = owner.value
    return owner is not call.func and _is_named(owner, _ENVIRONMENT)


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


# The values that each variable of a trial's scripts may hold.
#
#     total = 0
#     for row in rows:
#         total += fee
#
# Here `total` may hold `0` and `fee`, and `row` may hold `rows`. The values are not exact:
# they only serve to find the inputs, such as files, on which a variable depends.

_BUILTINS: Final = frozenset(dir(builtins))
_MAX_NAMES: Final = 20
"""How many names in a row are replaced by their values: `a = b`, `b = len(rows)`."""


@dataclass(eq=False)
class Definitions:
    """The expressions that each variable of one script may hold.

    The keys of the scratchpad are variables of all scripts of a trial, so they are in
    `scratchpad`, which the scripts share.
    """

    values: dict[str, list[ScriptExpression]] = field(default_factory=dict)
    """By variable, every expression that is bound to it or stored in its object.

    After `rows = []` and `rows.append(row)`, they are `[]` and `row`. A variable without an input,
    such as an imported module, has none.
    """
    parts: set[str] = field(default_factory=set)
    """The variables that hold none of their values as it is: `rows`, and `row` of `for row in rows`."""
    untraceable: set[str] = field(default_factory=set)
    """Names that may hold anything, such as the parameter of a function with unknown callers."""
    rebinds_environment: bool = False
    """True if `harness`, by which scripts call the environment, is something else: `harness = 3`."""
    scratchpad: Definitions | None = None
    """What scripts stored under the keys of the scratchpad. None for these definitions themselves."""

    def of(self, variable: str) -> list[ScriptExpression] | None:
        """Return the expressions that a variable may hold; None if it may hold anything.

        The list is empty for a name that holds no input: the builtin `len`, the module `json`.
        """
        if self.scratchpad is not None and variable.startswith(SCRATCHPAD):
            stored = self.scratchpad.values
            if variable == SCRATCHPAD:
                found = [value for values in stored.values() for value in values]
            else:  # What is stored under an unknown key may be stored under this one.
                found = stored.get(variable, []) + stored.get(SCRATCHPAD, [])
            return found or None  # What no script of this trial stored may be anything.
        if variable in self.untraceable:
            return None
        if variable in self.values:
            return self.values[variable]
        return [] if variable in _BUILTINS else None

    def whole_values_of(self, variable: str) -> Sequence[ScriptExpression]:
        """Return the expressions, one of which gave all that a variable holds.

        Empty if a script may also have changed a part: after `scratchpad["text"] = "a"` and
        `scratchpad["text"] += more`, the key holds neither `"a"` nor `more`.
        """
        owner = self
        if self.scratchpad is not None and variable.startswith(SCRATCHPAD):
            owner = self.scratchpad
        is_unknown = variable in owner.parts or variable in owner.untraceable
        if is_unknown or SCRATCHPAD in owner.values:
            return ()
        return owner.values.get(variable, ())

    def bind(self, target: ast.AST, value: ScriptExpression, *, is_whole: bool) -> None:
        """Record that what a target names may hold a value: `a` and `rows` of `a, rows[0]`.

        `is_whole` is True for `name = value`, after which the name holds nothing else.
        """
        variable = variable_of(target)
        if variable is None:
            is_whole = False
        owners = [part for part in ast.walk(target) if variable_of(part) is not None]
        stored = [part for part in owners if _is_of_scratchpad(part)]
        # For `scratchpad["a"][scratchpad["b"]]`, the key is `a`: `ast.walk` yields it first.
        for part in stored[:1] or owners:
            name = str(variable_of(part))
            definitions = self
            if stored and self.scratchpad is not None:
                definitions = self.scratchpad
            elif name == _ENVIRONMENT:
                continue
            definitions.values.setdefault(name, []).append(value)
            if not is_whole:
                definitions.parts.add(name)

    def declare(self, name: str) -> None:
        """Record that a name is known, even if it gets no value: `f` of `def f(): pass`."""
        self.values.setdefault(name, [])


def _is_of_scratchpad(node: ast.AST) -> bool:
    """Return True for the scratchpad and for what is stored under a key."""
    return str(variable_of(node)).startswith(SCRATCHPAD)


@dataclass(frozen=True, slots=True)
class ScriptExpression:
    """An expression of a script, with what the variables in it may hold."""

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
        found = self
        for _ in range(_MAX_NAMES):
            if not isinstance(found.expression, ast.Name):
                break
            values = found.definitions.whole_values_of(found.expression.id)
            if len(values) != 1:
                break
            [found] = values
        return found

    @property
    def text(self) -> str:
        """The expression in a short form for display.

        - Of an f-string, only the values: `f"Total: {sum(prices)} EUR"` -> `sum(prices)`.
        - For a variable that is bound only once, its value: after `n = len(rows)`, `n` ->
          `len(rows)`, and after `scratchpad["n"] = len(rows)`, `scratchpad["n"]` -> `len(rows)`.
        """
        shown = self
        for _ in range(_MAX_NAMES):
            shown = shown.value
            variable = variable_of(shown.expression)
            values = (
                () if variable is None else shown.definitions.whole_values_of(variable)
            )
            if len(values) != 1:
                break
            [shown] = values
        match shown.expression:
            case ast.JoinedStr(values=pieces):
                texts: list[str] = []
                for piece in pieces:
                    if isinstance(piece, ast.FormattedValue):
                        texts.append(shown.part(piece.value).text)
                return _short_text(", ".join(texts))
        return _short_text(ast.unparse(shown.expression))


# What the statements of a script bind to names and store in objects.
#
# | code                             | target                | value           |
# | -------------------------------- | --------------------- | --------------- |
# | `total = 0`, `total += fee`      | `total`               | `0`, `fee`      |
# | `for row in rows`                | `row`                 | `rows`          |
# | `rows.append(row)`               | `rows`                | `row`           |
# | `scratchpad["rows"].append(row)` | `scratchpad["rows"]`  | `row`           |
# | `scratchpad[name] = value`       | `scratchpad`, any key | `value`         |
# | `def price(): return fee`        | `price`               | `fee`           |

_RAISED: Final = "<raised>"
"""A made-up name that holds every exception that a script raises.

`raise value` adds a value to it, and `except Error as a` takes one. It is not valid in
Python, so no script uses it for something else.
"""
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
    "cite", "uncite", "cite_all",
})  # fmt: skip
"""Methods that store none of their arguments in their object. Every other method may do so.

`pop` and `sort` change the object, but store no argument; the last three change only the citations.
"""
_STORING_FUNCTIONS: Final = frozenset(
    {"heappush", "heappushpop", "heapreplace"}
    | {"insort", "insort_left", "insort_right", "setitem"}
)
"""Functions of the standard library that store their other arguments in the first one."""

_Binding: TypeAlias = tuple[ast.AST, ast.AST, bool]
"""A target, its value, and whether it holds nothing else then."""
_TARGETS_AND_VALUES: Final[Mapping[type[ast.AST], tuple[str, str]]] = {
    ast.AugAssign: ("target", "value"),  # a += value
    ast.NamedExpr: ("target", "value"),  # (a := value)
    ast.For: ("target", "iter"),  # for a in value
    ast.AsyncFor: ("target", "iter"),
    ast.comprehension: ("target", "iter"),
    ast.withitem: ("optional_vars", "context_expr"),  # with value as a
}
"""The fields of syntax that binds names to a part of a value, or to several values."""


def _bindings_by(node: ast.AST) -> Iterator[_Binding]:
    """Yield what one statement or expression binds to names, or stores in objects."""
    if type(node) in _TARGETS_AND_VALUES:
        target_field, value_field = _TARGETS_AND_VALUES[type(node)]
        if getattr(node, target_field) is not None:
            yield getattr(node, target_field), getattr(node, value_field), False
    match node:
        case ast.Assign(targets=targets):  # a = b = value
            for target in targets:
                for part, value in _unpacked(target, node.value):
                    yield part, value, True
        case ast.AnnAssign(value=ast.expr() as value):  # a: int = value
            yield node.target, value, True
        case ast.Raise(exc=ast.expr() as value):  # raise value
            yield ast.Name(_RAISED), value, False
        case ast.ExceptHandler(name=str() as name):  # except Error as a
            yield ast.Name(name), ast.Name(_RAISED), False
        case ast.FunctionDef() | ast.AsyncFunctionDef():  # def a(): return value
            for inner in ast.walk(node):
                if isinstance(inner, ast.Return | ast.Yield | ast.YieldFrom):
                    if inner.value is not None:
                        yield ast.Name(node.name), inner.value, False
        case ast.Call():
            for changed, values in _changes_by(node):
                for value in values:
                    yield changed, value, False


def _unpacked(target: ast.expr, value: ast.expr) -> Iterable[tuple[ast.expr, ast.expr]]:
    """Return the targets of an assignment, each with its value: `a, b = 1, 2` -> (a, 1), (b, 2).

    The assignment stays whole if its parts are not known: `a, b = row`, `a, *b = 1, 2, 3`.
    """
    match target, value:
        case ast.Tuple(elts=targets), ast.Tuple(elts=values):
            has_star = any(isinstance(part, ast.Starred) for part in targets + values)
            if len(targets) == len(values) and not has_star:
                return zip(targets, values, strict=True)
    return [(target, value)]


def _changes_by(call: ast.Call) -> Iterator[tuple[ast.expr, list[ast.expr]]]:
    """Yield the objects in which a call may store values: `rows`, and `row`, of `rows.append(row)`."""
    match call.func:
        case ast.Attribute(value=owner, attr=method) if method not in _READING_METHODS:
            yield owner, arguments_of(call)
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            if name in _STORING_FUNCTIONS and call.args:  # heappush(rows, row)
                yield call.args[0], call.args[1:]


# Reads a script: what its variables may hold.

_MAX_CONDITIONS: Final = 30
"""The innermost loops and branches on which a count depends. A chain of `elif` has thousands."""


def definitions_of(tree: ast.Module, scratchpad: Definitions) -> Definitions:
    """Return what the names of a script may hold, and add to `scratchpad` what it stores there."""
    definitions = Definitions(scratchpad=scratchpad)
    imported = set[str]()
    changed: dict[str, None] = {}  # the names whose objects the script changes

    # The nodes of the script from the outermost ones on, with what decides whether and how often each
    # runs: `n += 1` names no input, but in `for row in rows:` it counts the rows.
    waiting: deque[tuple[ast.AST, tuple[ast.expr, ...]]] = deque([(tree, ())])
    while waiting:
        node, conditions = waiting.popleft()
        match node:
            case ast.Import() | ast.ImportFrom():  # import a.b, import a as b
                for alias in node.names:
                    imported.add(alias.asname or alias.name.partition(".")[0])
            case ast.ClassDef():  # class A: its objects may hold anything
                definitions.untraceable.add(node.name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                if name == _ENVIRONMENT:  # harness = value, def f(harness)
                    definitions.rebinds_environment = True
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                definitions.declare(node.name)
            case ast.ExceptHandler():
                # Without a `raise` in the script, the exception depends on no input.
                definitions.declare(_RAISED)
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                changed.update(dict.fromkeys(_names_in(node.value)))  # rows[0] = row
            case ast.Call():
                for owner, _ in _changes_by(node):
                    changed.update(dict.fromkeys(_names_in(owner)))
            case ast.AugAssign(target=target, value=ast.Constant()):  # n += 1
                for condition in conditions:
                    bound = ScriptExpression(condition, definitions)
                    definitions.bind(target, bound, is_whole=False)
        for place, value, is_whole in _bindings_by(node):
            bound = ScriptExpression(value, definitions)
            definitions.bind(place, bound, is_whole=is_whole)
        match node:
            case ast.For(iter=condition) | ast.AsyncFor(iter=condition):
                conditions = (*conditions, condition)
            case ast.If(test=condition) | ast.While(test=condition):
                conditions = (*conditions, condition)
        for child in ast.iter_child_nodes(node):
            waiting.append((child, conditions[-_MAX_CONDITIONS:]))

    _bind_parameters(tree, definitions)
    for name in imported:  # What a script does with a module changes nothing in it.
        definitions.values[name] = []
    _pass_changes_on(changed.keys() - imported, definitions)
    return definitions


def _names_in(node: ast.AST) -> Iterator[str]:
    """Yield the variables in an expression, except the environment and the scratchpad."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id not in (_ENVIRONMENT, SCRATCHPAD):
            yield part.id


def _pass_changes_on(changed: Iterable[str], definitions: Definitions) -> None:
    """Record that a change of an object also changes what it is a part of.

    After `part = table["a"]`, `part.append(7)` changes the table, which may now hold what `part` holds.
    The names are taken in alphabetical order, because the order of a set differs in each process,
    and decides in which order the files behind a value are shown.
    """
    for name in sorted(changed):
        for value in list(definitions.values.get(name, ())):
            owner = value.expression
            # `table["a"]`, `table.values()`
            may_be_part = isinstance(owner, ast.Name | ast.Attribute | ast.Subscript)
            if isinstance(owner, ast.Call):
                may_be_part = isinstance(owner.func, ast.Attribute)
            if may_be_part:
                definitions.bind(owner, value.part(ast.Name(name)), is_whole=False)


# What the parameters of a script's functions may hold.
#
#     def price(row, rate=2): ...
#
#     price(rows[0])            calls it: `row` holds `rows[0]`, and `rate` 2
#     rows.sort(key=price)      passes it on: the sorting calls it with values from `rows`
#     table["price"] = price    is not understood: any code may take it from there and call it
#
# If a script refers to a function in a way that is not understood, the parameters of this function may
# hold anything: they are *untraceable*.

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_MAX_PASSED_ARGUMENTS: Final = 20
"""If a call has more arguments than this, a function among them counts as not understood."""
_MAX_FUNCTIONS_OF_ONE_NAME: Final = 10
"""If more functions than this share a name, their parameters are untraceable.

This limits the work: a call by the name is recorded for each of them.
"""


def _bind_parameters(tree: ast.Module, definitions: Definitions) -> None:
    """Record in `definitions` what the parameters of a script's functions may hold."""
    functions: dict[str, list[_Function]] = {}  # by name: a script may define one twice
    understood = set[ast.AST]()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                functions.setdefault(node.name, []).append(node)
            case ast.Assign(
                targets=[ast.Name(id=name) as target], value=ast.Lambda() as function
            ):
                # `price = lambda row: ...`: nothing is called here.
                functions.setdefault(name, []).append(function)
                understood |= {target, function}

    for name, namesakes in functions.items():
        if len(namesakes) > _MAX_FUNCTIONS_OF_ONE_NAME:
            for namesake in namesakes:
                definitions.untraceable.update(_parameters_of(namesake))
            functions[name] = []

    def functions_at(node: ast.AST) -> list[_Function]:
        """Return the functions to which a node may refer: `price`, `prices.price`, a lambda."""
        match node:
            case ast.Lambda():
                return [node]
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return functions.get(name, [])
        return []

    # 1. References that show what the parameters get: the `price` of `price(rows[0])`.
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        arguments = arguments_of(node)
        understood.add(node.func)
        for callee in functions_at(node.func):
            _bind_all(callee, arguments, definitions)
        if len(arguments) > _MAX_PASSED_ARGUMENTS:
            continue
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        for argument in arguments:
            understood.add(argument)
            others = [other for other in arguments if other is not argument]
            for callee in functions_at(argument):  # It may be called with any of these.
                _bind_all(callee, [*others, *owner], definitions)

    # 2. All other references: the `price` of `table["price"] = price`.
    for node in ast.walk(tree):
        if node not in understood:
            for callee in functions_at(node):
                definitions.untraceable.update(_parameters_of(callee))


def _parameters_of(function: _Function) -> list[str]:
    """Return all parameters, with the `rows` of `*rows` and the `options` of `**options`."""
    parameters = [part for part in ast.walk(function.args) if isinstance(part, ast.arg)]
    return [parameter.arg for parameter in parameters]


def _defaults_of(function: _Function) -> dict[str, ast.expr]:
    """Return what parameters hold if a call does not give them: 8 for `limit` in `over(rows, limit=8)`."""
    signature = function.args
    positional = [*signature.posonlyargs, *signature.args]
    # They belong to the last parameters: (a, b, c=1, d=2).
    pairs: list[tuple[ast.arg, ast.expr | None]] = [
        *zip(reversed(positional), reversed(signature.defaults), strict=False),
        *zip(signature.kwonlyargs, signature.kw_defaults, strict=True),
    ]
    return {parameter.arg: default for parameter, default in pairs if default}


def _bind_all(
    function: _Function, values: Sequence[ast.expr], definitions: Definitions
) -> None:
    """Record that each parameter of a function may hold any of some values.

    Which parameter gets which value is not followed. A default counts if there are fewer values.
    """
    parameters = _parameters_of(function)
    defaults = _defaults_of(function) if len(values) < len(parameters) else {}
    for name in parameters:
        definitions.declare(name)
        of_parameter = [*values, defaults[name]] if name in defaults else values
        for value in of_parameter:
            bound = ScriptExpression(value, definitions)
            definitions.bind(ast.Name(name), bound, is_whole=False)
