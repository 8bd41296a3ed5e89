"""Collects the values that each name of a script may hold, without running the script.

    rows = harness.read("/items.csv").content.splitlines()
    total = 0
    for row in rows:
        total += int(row)

Here `row` may hold `rows`, and `total` may hold `0` and `int(row)`. The order of the
statements is ignored: a name may hold every value that is ever bound to it.

A name is untraceable if it may hold anything, such as a parameter of a function whose
callers are not all known. If a printed number depends on such a name, nobody can tell
where it came from.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from controlplane.gates.python_syntax import parse_program

ENVIRONMENT: Final = "harness"
"""The name by which scripts call the environment: `harness.read(path)`."""
SCRATCHPAD: Final = "scratchpad"
MAX_NODES: Final = 200_000
"""Nodes of the syntax tree of the largest script that is read."""
MAX_CONDITIONS: Final = 30
"""A count such as `n += 1` inside more loops and branches than this is untraceable."""
MAX_FUNCTIONS_OF_ONE_NAME: Final = 10
"""If more functions than this share a name, their parameters are untraceable. This
limits the work: a call by the name is recorded for each of them."""
MAX_PASSED_ARGUMENTS: Final = 20
"""In `map(price, rows)`, the function `price` is an argument. If such a call has more
arguments than this, the parameters of `price` are untraceable. This limits the work,
too."""
_BUILTIN_NAMES: Final = frozenset(dir(builtins))

# `rows.append(row)` stores a row in `rows`, while `rows.count(row)` does not. Only
# these methods are known to store nothing. `pop` and `sort` change the object, but
# store no argument.
READING_METHODS: Final = frozenset({
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
"""Methods that store none of their arguments in their object. Every other method may do
so."""
_PUTTING_FUNCTIONS: Final = frozenset(
    {
        "heappush",
        "heappushpop",
        "heapreplace",
        "insort",
        "insort_left",
        "insort_right",
        "setitem",
    }
)
"""Functions of the standard library that store their other arguments in the first
one."""
_RAISED: Final = "<raised>"
"""Stands for all exceptions that a script raises. It is not a valid name, so no script
uses it."""

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Assignment:
    """One target of an assignment, with the value that it gets."""

    target: ast.expr
    value: ast.expr


@dataclass(eq=False)
class Definitions:
    """The expressions that each name of one script may hold.

    `definitions_of` fills it; afterwards, `of` and `only_value` look a name up. For
    `of`, a name is in one of three groups: it holds certain expressions, no input at
    all, or anything.
    """

    # 1. Certain expressions
    by_name: dict[str, list[ast.expr]] = field(default_factory=dict)
    """Every expression that is bound to a name or stored in its object."""
    # 2. No input of the script
    imported_names: set[str] = field(default_factory=set)
    """Modules, and what is imported from them."""
    known_names: set[str] = field(default_factory=set)
    """The script's functions, of which some return nothing, and `_RAISED`."""
    # 3. Anything
    untraceable_names: set[str] = field(default_factory=set)
    """Classes, deeply nested counts, and parameters of functions with unknown
    callers."""

    plain_values: dict[str, ast.expr] = field(default_factory=dict)
    """For `only_value`: the value of the last `name = value` of each name."""
    rebinds_environment: bool = False
    """True if the script assigns something else to the name of the environment."""

    def of(self, name: str) -> list[ast.expr] | None:
        """Return the expressions that a name may hold; None if it may hold anything.

        An empty list means that the name is known and holds no input, such as `len`.
        """
        if name in self.untraceable_names:
            return None
        if name in self.by_name:
            return self.by_name[name]
        if (
            name in self.imported_names
            or name in self.known_names
            or name in _BUILTIN_NAMES
        ):
            return []
        return None

    def only_value(self, name: str) -> ast.expr | None:
        """Return the value of a name that is bound once, by `name = value`; else None.

        A name that holds one expression by `for name in rows` has no plain value.
        """
        if len(self.by_name.get(name, ())) != 1 or name in self.untraceable_names:
            return None
        return self.plain_values.get(name)

    def add(self, name: str, value: ast.expr) -> None:
        self.by_name.setdefault(name, []).append(value)

    def add_to_target(self, target: ast.AST, value: ast.expr) -> None:
        """Record that every name in a target, such as `a, rows[0]`, may hold a
        value."""
        for name in names_in(target):
            self.add(name, value)


def parsed(code: str) -> ast.Module | None:
    """Return the syntax tree of a script; None if the script is invalid or too
    large."""
    try:
        tree = parse_program(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    node_count = sum(1 for _ in ast.walk(tree))
    if node_count > MAX_NODES:
        return None
    return tree


def names_in(node: ast.AST) -> Iterator[str]:
    """Yield the variables in an expression, except the environment and the
    scratchpad."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id not in (ENVIRONMENT, SCRATCHPAD):
            yield part.id


def definitions_of(tree: ast.Module) -> Definitions:
    """Return what the names of a script may hold."""
    definitions = Definitions()
    functions: dict[str, list[Function]] = {}
    for node in ast.walk(tree):
        _collect_binding(node, definitions)
        _collect_function(node, functions, definitions)
    for name, functions_of_name in functions.items():
        if len(functions_of_name) > MAX_FUNCTIONS_OF_ONE_NAME:
            _make_untraceable(functions_of_name, definitions)
            functions[name] = []
    _collect_counts(tree, definitions)
    _collect_arguments(tree, functions, definitions)
    _collect_changes(
        tree, definitions
    )  # the last one, because it follows what names may hold
    return definitions


# Statements and expressions that bind names


def _collect_binding(node: ast.AST, definitions: Definitions) -> None:
    """Record the values that one statement or expression binds to names."""
    match node:
        case ast.Assign():  # a = b = value
            for target in node.targets:
                _collect_assignment(target, node.value, definitions)
        case ast.AnnAssign():  # a: int = value
            if node.value is not None:
                _collect_assignment(node.target, node.value, definitions)
        case ast.AugAssign() | ast.NamedExpr():  # a += value, (a := value)
            definitions.add_to_target(node.target, node.value)
        case ast.For() | ast.AsyncFor() | ast.comprehension():  # for a in value
            definitions.add_to_target(node.target, node.iter)
        case ast.withitem():  # with value as a
            if node.optional_vars is not None:
                definitions.add_to_target(node.optional_vars, node.context_expr)
        case ast.Raise():  # raise value
            if node.exc is not None:
                definitions.add(_RAISED, node.exc)
        case ast.ExceptHandler():  # except Error as a: `a` may hold any raised value
            if node.name is not None:
                definitions.add(node.name, ast.Name(_RAISED))
                definitions.known_names.add(
                    _RAISED
                )  # known even if the script itself raises none
        case ast.Import() | ast.ImportFrom():
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                definitions.imported_names.add(name)
        case ast.ClassDef():
            definitions.untraceable_names.add(node.name)
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            if name == ENVIRONMENT:  # harness = value, def f(harness)
                definitions.rebinds_environment = True


def _collect_assignment(
    target: ast.expr, value: ast.expr, definitions: Definitions
) -> None:
    """Record an assignment. In `a, b = 1, 2`, each name gets its own value."""
    if isinstance(target, ast.Name):
        definitions.plain_values[target.id] = value
    for assignment in unpacked(target, value):
        definitions.add_to_target(assignment.target, assignment.value)


def unpacked(target: ast.expr, value: ast.expr) -> list[Assignment]:
    """Return the targets of an assignment, each with its value: `a, b = 1, 2` -> (a,
    1), (b, 2)."""
    whole = [Assignment(target, value)]
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return whole
    has_star = any(
        isinstance(part, ast.Starred) for part in (*target.elts, *value.elts)
    )
    if has_star or len(target.elts) != len(value.elts):
        return whole
    assignments = []
    for part, part_value in zip(target.elts, value.elts, strict=True):
        assignments.append(Assignment(part, part_value))
    return assignments


def _collect_function(
    node: ast.AST, functions: dict[str, list[Function]], definitions: Definitions
) -> None:
    """Record a function, and what it returns as values of its name.

    For `def price(row): return row.fee`, the name `price` may hold `row.fee`. So a call
    `price(row)` depends on `row.fee`.
    """
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            functions.setdefault(node.name, []).append(node)
            definitions.known_names.add(node.name)
            for part in ast.walk(node):
                match part:
                    case (
                        ast.Return(value=ast.expr() as value)
                        | ast.Yield(value=ast.expr() as value)
                    ):
                        definitions.add(node.name, value)
                    case ast.YieldFrom(value=value):
                        definitions.add(node.name, value)
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as function):
            functions.setdefault(name, []).append(function)


# Counts


@dataclass(frozen=True, slots=True)
class _NestedNode:
    """A part of a script, with the loops and branches around it."""

    node: ast.AST
    conditions: tuple[ast.expr, ...]
    """The expressions that decide whether and how often the part runs: `rows` and
    `row.is_new` for the body of `for row in rows:` and `if row.is_new:`. There are at
    most `MAX_CONDITIONS` + 1, which shows that there are too many."""


def _collect_counts(tree: ast.Module, definitions: Definitions) -> None:
    """Record that a count depends on the loops and branches around it.

    In `for row in rows: n += 1`, the count `n` depends on `rows`, though `n += 1` does
    not say so. `total += row.price` is not a count: it names its input.
    """
    waiting = [_NestedNode(tree, ())]
    while waiting:
        nested = waiting.pop()
        node = nested.node
        if isinstance(node, ast.AugAssign) and isinstance(
            node.value, ast.Constant
        ):  # `n += 1`
            _collect_count(node.target, nested.conditions, definitions)

        conditions_of_body = nested.conditions
        condition = _condition_of(node)
        if condition is not None and len(nested.conditions) <= MAX_CONDITIONS:
            conditions_of_body = (*nested.conditions, condition)
        for child in ast.iter_child_nodes(node):
            may_contain_statements = isinstance(
                child, ast.stmt | ast.ExceptHandler | ast.match_case
            )
            if may_contain_statements:  # an expression cannot contain `n += 1`
                waiting.append(_NestedNode(child, conditions_of_body))


def _collect_count(
    target: ast.expr, conditions: Sequence[ast.expr], definitions: Definitions
) -> None:
    """Record that the target of a count, such as the `n` of `n += 1`, depends on
    conditions."""
    if len(conditions) > MAX_CONDITIONS:
        definitions.untraceable_names.update(names_in(target))
        return
    for condition in conditions:
        definitions.add_to_target(target, condition)


def _condition_of(node: ast.AST) -> ast.expr | None:
    """Return the expression that decides whether or how often a body runs: the `rows`
    of `for row in rows:`, the test of an `if` or `while`. None for other statements."""
    match node:
        case ast.For() | ast.AsyncFor():
            return node.iter
        case ast.If() | ast.While():
            return node.test
    return None


# Arguments of a script's own functions


def _collect_arguments(
    tree: ast.Module, functions: dict[str, list[Function]], definitions: Definitions
) -> None:
    """Record the values that the parameters of a script's functions may hold.

    `functions` holds the script's functions by name. Each place that names `price` is
    one of these:

        price(row)                  a call: the parameter may hold `row`
        max(rows, key=price)        passed on: the parameter may hold any other argument, `rows`
        table = {"p": price}        anything else: the parameter may hold anything
    """
    # 1. Calls, and functions that are passed on. These references are understood.
    understood: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call():
                understood |= _bind_called(node, functions, definitions)
                understood |= _bind_passed(node, functions, definitions)
            case ast.Assign(
                targets=[ast.Name() as name, *_], value=ast.Lambda() as function
            ):
                understood |= {
                    name,
                    function,
                }  # `price = lambda row: ...` is the definition itself

    # 2. All other references.
    for node in ast.walk(tree):
        if node not in understood:
            _make_untraceable(_functions_at(node, functions), definitions)


def _make_untraceable(functions: Iterable[Function], definitions: Definitions) -> None:
    """Record that the parameters of functions may hold anything."""
    for function in functions:
        definitions.untraceable_names.update(_parameters(function))


def _bind_called(
    call: ast.Call, functions: dict[str, list[Function]], definitions: Definitions
) -> set[ast.AST]:
    """Record the arguments of a call of a script's function: `price(row)`.

    Returns the reference to the function, here `price`; nothing if another function is
    called.
    """
    called_functions = _functions_at(call.func, functions)
    for function in called_functions:
        _bind_arguments(function, call, definitions)
    return {call.func} if called_functions else set()


def _bind_passed(
    call: ast.Call, functions: dict[str, list[Function]], definitions: Definitions
) -> set[ast.AST]:
    """Record what a function gets that is passed to a call: `price` in
    `rows.sort(key=price)`.

    The sorting calls `price`, with values that come from `rows` or from other arguments
    of the call. So the parameters of `price` may hold all of these. Returns the
    references to passed functions, here `price`.
    """
    arguments = _arguments_of(call)
    if len(arguments) > MAX_PASSED_ARGUMENTS:
        return set()
    passed: set[ast.AST] = set()
    for argument in arguments:
        for function in _functions_at(argument, functions):
            passed.add(argument)
            values = [other for other in arguments if other is not argument]
            if isinstance(call.func, ast.Attribute):
                values.append(call.func.value)  # the `rows` of `rows.sort`
            _bind_to_all(function, values, definitions)
    return passed


def _arguments_of(call: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call by position and by name."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _functions_at(
    node: ast.AST, functions: dict[str, list[Function]]
) -> Sequence[Function]:
    """Return the functions of a script to which an expression may refer: `price`, or
    `prices.price` if the script has a function of this name."""
    match node:
        case ast.Lambda():
            return [node]
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return functions.get(name, [])
    return []


def _bind_arguments(
    function: Function, call: ast.Call, definitions: Definitions
) -> None:
    """Record the arguments of a call as values of the parameters.

    In a plain call, each parameter gets its own argument, by position or name. In any
    other call, such as `price(*row)`, each parameter may hold each argument.
    """
    signature = function.args
    positional = [
        parameter.arg for parameter in (*signature.posonlyargs, *signature.args)
    ]
    has_plain_parameters = signature.vararg is None and signature.kwarg is None
    if (
        not has_plain_parameters
        or not _is_plain_call(call)
        or len(call.args) > len(positional)
    ):
        _bind_to_all(function, _arguments_of(call), definitions)
        return
    for name, value in zip(positional, call.args, strict=False):
        definitions.add(name, value)
    for keyword in call.keywords:
        assert keyword.arg is not None
        definitions.add(keyword.arg, keyword.value)
    _bind_defaults(function, definitions)


def _is_plain_call(call: ast.Call) -> bool:
    """Return True for `price(row, year=2026)`, not for `loans.price(row)` or with `*`
    or `**`.

    A method gets its object as the first argument, which would shift the others.
    """
    has_star = any(isinstance(argument, ast.Starred) for argument in call.args)
    has_double_star = any(keyword.arg is None for keyword in call.keywords)
    return isinstance(call.func, ast.Name) and not has_star and not has_double_star


def _bind_to_all(
    function: Function, values: Sequence[ast.expr], definitions: Definitions
) -> None:
    """Record that each parameter of a function may hold each of several values."""
    for name in _parameters(function):
        for value in values:
            definitions.add(name, value)
    _bind_defaults(function, definitions)


def _bind_defaults(function: Function, definitions: Definitions) -> None:
    """Record the defaults of parameters: 8 for `limit` in `def over(rows, limit=8)`."""
    signature = function.args
    positional = [*signature.posonlyargs, *signature.args]
    # The last positional parameters have the defaults, so both are read from the end.
    pairs = zip(reversed(positional), reversed(signature.defaults), strict=False)
    for parameter, default in pairs:
        definitions.add(parameter.arg, default)
    for parameter, keyword_default in zip(
        signature.kwonlyargs, signature.kw_defaults, strict=True
    ):
        if keyword_default is not None:
            definitions.add(parameter.arg, keyword_default)


def _parameters(function: Function) -> list[str]:
    """Return the names of a function's parameters."""
    signature = function.args
    parameters = [*signature.posonlyargs, *signature.args, *signature.kwonlyargs]
    if signature.vararg is not None:
        parameters.append(signature.vararg)
    if signature.kwarg is not None:
        parameters.append(signature.kwarg)
    return [parameter.arg for parameter in parameters]


# Changes of what a name holds


def _collect_changes(tree: ast.Module, definitions: Definitions) -> None:
    """Record what is stored in objects: `rows` may hold `row` after
    `rows.append(row)`."""
    changed_names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call():
                for change in _changes_by_call(node):
                    changed_names |= _record_change(change, definitions)
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                changed_names.update(
                    names_in(node.value)
                )  # the value is recorded as a binding
    _add_changes_to_owners(changed_names, definitions)


@dataclass(frozen=True, slots=True)
class _StoredValues:
    """Values that a call may store in an object: `row` in `rows` by
    `rows.append(row)`."""

    owner: ast.expr
    values: Sequence[ast.expr]


def _changes_by_call(call: ast.Call) -> Iterator[_StoredValues]:
    """Yield what a call may store in its object, or in its first argument."""
    if isinstance(call.func, ast.Attribute) and call.func.attr not in READING_METHODS:
        yield _StoredValues(call.func.value, _arguments_of(call))
    if call.args and _is_putting_function(call.func):
        yield _StoredValues(call.args[0], call.args[1:])


def _record_change(change: _StoredValues, definitions: Definitions) -> set[str]:
    """Record that the names of an object may hold what was stored in it, and return
    these names."""
    names = set(names_in(change.owner)) - definitions.imported_names
    for name in names:
        for value in change.values:
            definitions.add(name, value)
    return names


def _add_changes_to_owners(
    changed_names: Iterable[str], definitions: Definitions
) -> None:
    """Record that an object changes if one of its parts does.

        part = table["a"]
        part.append(7)

    The 7 is now in `table` as well. So this is recorded as if the script had also
    `table = part`.
    """
    for part_name in changed_names:
        for value in list(definitions.by_name.get(part_name, ())):
            if _may_be_part_of_another_object(value):
                for owner_name in names_in(value):
                    definitions.add(owner_name, ast.Name(part_name))


def _may_be_part_of_another_object(value: ast.expr) -> bool:
    """Return True if an expression may give a part of an object: `table["a"]`,
    `table.values()`."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Attribute)
    return isinstance(value, ast.Name | ast.Attribute | ast.Subscript)


def _is_putting_function(function: ast.expr) -> bool:
    """Return True for `heappush` and the like, which store an argument in their first
    one."""
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _PUTTING_FUNCTIONS
    return False
