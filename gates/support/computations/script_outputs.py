"""Collects the texts that the scripts of a trial printed or stored, with the forms of each.

The form of a text is a template of known words and *gaps*, which expressions filled. It tells
which expression wrote the 3 that an answer states:

    print(f"{len(rows)} rows")  ->  3 rows      a gap of `len(rows)`, then the word ` rows`
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.gates.support.computations.output_templates import (
    Gap,
    OutputTemplate,
    TemplatePart,
    WrittenText,
)
from controlplane.gates.support.computations.outputs import Output
from controlplane.gates.support.computations.value_templates import (
    parts_of_value,
    template_of_value,
)
from controlplane.gates.support.scripts import (
    ENVIRONMENT,
    Definitions,
    Function,
    Parameters,
    ParameterValue,
    PathCall,
    ScriptExpression,
    StoredExpressions,
    arguments_of,
    is_scratchpad,
    key_of_scratchpad,
    names_in,
    parsed,
    path_calls,
    unpacked,
)
from controlplane.gates.trial import ScriptRun

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


def _has_function_that_prints(tree: ast.Module) -> bool:
    """Return True if a function or class of the script prints. Its calls may print anywhere."""
    for node in ast.walk(tree):
        if isinstance(
            node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
        ):
            if list(_print_calls(node)):
                return True
    return False


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


def _template_of_script(
    tree: ast.Module, definitions: Definitions
) -> OutputTemplate | None:
    """Return the template of what a script prints; None if the order of its parts is unknown.

    Each `print` outside loops and branches gives its own parts, in order. All that a
    loop or branch prints is one gap, because it is unknown how often it runs.
    """
    # `map(print, rows)`, or a function that prints: it is unknown when.
    if _prints_in_other_ways(tree) or _has_function_that_prints(tree):
        return None
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


def _fallback_template(tree: ast.Module, definitions: Definitions) -> OutputTemplate:
    """Return the template for an output without a template, or one that does not fit it.

    A script that failed, for example, did not print everything. The template is a single gap:
    any printed expression may have written any part of the output.
    """
    # `map(print, rows)` may print any value of the script, so the whole script counts as the
    # expression.
    if _prints_in_other_ways(tree):
        return OutputTemplate.of_unknown_form([ScriptExpression(tree, definitions)])
    return OutputTemplate.of_unknown_form(_printed_in(tree, definitions))


def _parts_of_print(call: ast.Call, definitions: Definitions) -> list[TemplatePart]:
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
        return [Gap(_printed_in(call, definitions))]

    parts: list[TemplatePart] = []
    for index, argument in enumerate(call.args):
        if index > 0:
            parts.append(WrittenText(separator))
        parts += parts_of_value(ScriptExpression(argument, definitions))
    parts.append(WrittenText(end))
    return parts


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
            _collect_returns(node, definitions)
        case ast.Import() | ast.ImportFrom():  # import a.b, import a as b
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                definitions.imported.add(name)
        case ast.ClassDef():  # class A: its objects may hold anything
            definitions.untraceable.add(node.name)
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            if name == ENVIRONMENT:  # harness = value, def f(harness)
                definitions.rebinds_environment = True


def _collect_assignment(
    target: ast.expr, value: ast.expr, definitions: Definitions
) -> None:
    """Record an assignment. In `a, b = 1, 2`, each name gets its own value."""
    for assignment in unpacked(target, value):
        definitions.add_to_target(assignment.target, assignment.value)
    if isinstance(target, ast.Name):  # `total = 0`, not `a, b = 1, 2`
        definitions.last_assigned[target.id] = value


def _collect_returns(
    function: ast.FunctionDef | ast.AsyncFunctionDef, definitions: Definitions
) -> None:
    """Record that the name of a function may hold what the function returns.

    After `def price(row): return row.fee`, the name `price` may hold `row.fee`. So a
    call `price(row)` depends on `row.fee`.
    """
    definitions.declare(function.name)  # it may return nothing
    for part in ast.walk(function):
        if isinstance(part, ast.Return | ast.Yield | ast.YieldFrom):
            if part.value is not None:
                definitions.add(function.name, part.value)


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
            case ast.Call():  # rows.append(row)
                for change in _changes_by(node):
                    names = set(names_in(change.changed)) - definitions.imported
                    definitions.add_each(names, change.values)
                    changed_names |= names
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                changed_names.update(names_in(node.value))  # rows[0] = row

    # 2. Pass the changes on: `part.append(7)` also changes the `table` of `part = table["a"]`.
    #    In alphabetical order, because the order of a set differs in each process, and decides
    #    in which order the files behind a value are shown.
    for name in sorted(changed_names):
        _pass_on_to_containers(name, definitions)


@dataclass(frozen=True, slots=True)
class _Change:
    """Values that a call may store in an object, as `rows.append(row)` does."""

    changed: ast.expr
    """The object: `rows`."""
    values: Sequence[ast.expr]
    """What it may hold now: `row`."""


def _changes_by(call: ast.Call) -> Iterator[_Change]:
    """Yield what a call may store in its object, or in its first argument."""
    if isinstance(call.func, ast.Attribute) and call.func.attr not in _READING_METHODS:
        yield _Change(call.func.value, arguments_of(call))  # rows.append(row)
    if call.args and _stores_in_first_argument(call.func):
        yield _Change(call.args[0], call.args[1:])  # heappush(rows, row)


def _stores_in_first_argument(function: ast.expr) -> bool:
    """Return True for `heappush` and other functions that put a value into their first argument."""
    match function:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _STORING_FUNCTIONS
    return False


def _pass_on_to_containers(part: str, definitions: Definitions) -> None:
    """Record that an object changes if one of its parts does.

        part = table["a"]
        part.append(7)

    The 7 is now in `table`, too. So `table` may hold what `part` holds, as after
    `table = part`.
    """
    for value in list(definitions.values.get(part, ())):
        if _may_be_part(value):
            for container in names_in(value):
                definitions.add(container, ast.Name(part))


def _may_be_part(value: ast.expr) -> bool:
    """Return True if an expression may be a part of an object: `table["a"]`, `table.values()`."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Attribute)
    return isinstance(value, ast.Name | ast.Attribute | ast.Subscript)


# Finds counts of a script, and the loops and branches on which they depend.
#
#     for row in rows:
#         if row.is_new:
#             n += 1
#
# The count `n` depends on `rows` and `row.is_new`, though `n += 1` does not say so.

_MAX_CONDITIONS: Final = 30
"""A count inside more loops and branches than this is untraceable: it may depend on anything."""


@dataclass(frozen=True, slots=True)
class _NestedNode:
    """A part of a script, with the loops and branches around it."""

    node: ast.AST
    conditions: tuple[ast.expr, ...] = ()
    """The expressions that decide whether and how often the part runs.

    For `n += 1` in the example above, they are `rows` and `row.is_new`. There are at most
    `_MAX_CONDITIONS` and one more: a long chain of `elif` has thousands, one inside the other.
    """

    @property
    def has_too_many_conditions(self) -> bool:
        """True if the part is inside more loops and branches than `_MAX_CONDITIONS`."""
        return len(self.conditions) > _MAX_CONDITIONS

    def statements(self) -> list[_NestedNode]:
        """Return the statements directly inside this part. An expression has none."""
        conditions = self.conditions
        condition = _condition_of(self.node)
        if condition is not None and not self.has_too_many_conditions:
            conditions = (*conditions, condition)
        return [
            _NestedNode(child, conditions)
            for child in ast.iter_child_nodes(self.node)
            if isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case)
        ]


def _collect_counts(tree: ast.Module, definitions: Definitions) -> None:
    """Record in `definitions` that counts depend on the loops and branches around them.

    In `for row in rows: n += 1`, the count `n` depends on `rows`. `total += row.price` is
    not a count: it names its input.
    """
    waiting = [_NestedNode(tree)]
    while waiting:
        nested = waiting.pop()
        match nested.node:
            case ast.AugAssign(target=target, value=ast.Constant()):  # n += 1
                _collect_count(target, nested, definitions)
        waiting += nested.statements()


def _collect_count(
    target: ast.expr, nested: _NestedNode, definitions: Definitions
) -> None:
    """Record that the names in the target of `n += 1` depend on the conditions around it."""
    if nested.has_too_many_conditions:
        definitions.untraceable.update(names_in(target))
        return
    for condition in nested.conditions:
        definitions.add_to_target(target, condition)


def _condition_of(node: ast.AST) -> ast.expr | None:
    """Return the expression that decides whether or how often a body runs; None without one.

    It is the `rows` of `for row in rows:`, and the test of an `if` or `while`.
    """
    match node:
        case ast.For() | ast.AsyncFor():
            return node.iter
        case ast.If() | ast.While():
            return node.test
    return None


# The functions of a script, and where the script calls them or passes them on.
#
#     def price(row): ...
#
#     price(rows[0])            calls it: `row` holds `rows[0]`
#     rows.sort(key=price)      passes it on: the sorting calls it with values from `rows`
#     table["price"] = price    is not understood: any code may take it from there and call it
#
# `ScriptFunctions.understood_in` finds the references of the first two kinds. If a script
# refers to a function in any other way, the parameters of this function may hold anything.

_MAX_PASSED_ARGUMENTS: Final = 20
"""If a call has more arguments than this, a function among them counts as not understood."""


@dataclass(frozen=True, slots=True)
class _UnderstoodReference:
    """A place at which a script refers to a function, and what the parameters get there.

    In `price(rows[0])`, the node is the name `price`, and the parameter `row` gets `rows[0]`.
    """

    node: ast.AST
    """The name of the function in the syntax tree, or the lambda itself."""
    values: Sequence[ParameterValue] = ()
    """What the parameters get; empty if nothing is called here, as in a definition."""


@dataclass(frozen=True, slots=True)
class _ScriptFunctions:
    """The functions of one script, and the places at which the script refers to them."""

    by_name: dict[str, list[Function]]
    """The definitions by name. A script may define a name twice."""

    def at(self, node: ast.AST) -> Sequence[Function]:
        """Return the functions to which a node of the syntax tree may refer.

        The nodes `price` and `prices.price` may refer to every function with the name `price`.
        A lambda refers to itself. Other nodes refer to no function.
        """
        match node:
            case ast.Lambda():
                return [node]
            case ast.Name(id=name) | ast.Attribute(attr=name):
                return self.by_name.get(name, [])
        return []

    def understood_in(self, node: ast.AST) -> Iterator[_UnderstoodReference]:
        """Yield the understood references in a call or in the definition of a lambda.

        | node                       | references                                     |
        | -------------------------- | ---------------------------------------------- |
        | `price(row)`               | `price`, whose parameter gets `row`            |
        | `rows.sort(key=price)`     | `price`, whose parameter gets `rows`           |
        | `price = lambda row: ...`  | `price` and the lambda; nothing is called here |
        """
        match node:
            case ast.Call():
                yield from self._called_by(node)
                yield from self._passed_to(node)
            case ast.Assign(targets=[ast.Name() as name, *_], value=ast.Lambda()):
                yield _UnderstoodReference(name)
                yield _UnderstoodReference(node.value)

    def _called_by(self, call: ast.Call) -> Iterator[_UnderstoodReference]:
        """Yield `price` in `price(row)`, with `row` for its parameter."""
        for function in self.at(call.func):
            yield _UnderstoodReference(call.func, Parameters(function).values_in(call))

    def _passed_to(self, call: ast.Call) -> Iterator[_UnderstoodReference]:
        """Yield `price` in `rows.sort(key=price)`, with `rows` for its parameter.

        The called function, here the sorting, is not followed. It may call `price` with its
        object or with any other argument, so the parameters may hold all of these.
        """
        arguments = arguments_of(call)
        if len(arguments) > _MAX_PASSED_ARGUMENTS:
            return
        for argument in arguments:
            for function in self.at(argument):
                others = [other for other in arguments if other is not argument]
                if isinstance(call.func, ast.Attribute):
                    others.append(call.func.value)  # the `rows` of `rows.sort`
                values = Parameters(function).any_of(others)
                yield _UnderstoodReference(argument, values)


def functions_of(tree: ast.Module) -> _ScriptFunctions:
    """Return the functions of a script: `def price(row): ...` and `price = lambda row: ...`."""
    functions: dict[str, list[Function]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                functions.setdefault(node.name, []).append(node)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as value):
                functions.setdefault(name, []).append(value)
    return _ScriptFunctions(functions)


# Collects what the parameters of a script's functions may hold.
#
#     def price(row): ...
#
#     price(rows[0])            `row` may hold `rows[0]`
#     table["price"] = price    `row` may hold anything: any code may now call `price`
#
# A parameter that may hold anything is called *untraceable*.

MAX_FUNCTIONS_OF_ONE_NAME: Final = 10
"""If more functions than this share a name, their parameters are untraceable.

This limits the work: a call by the name is recorded for each of them.
"""


def _collect_parameters(tree: ast.Module, definitions: Definitions) -> None:
    """Record in `definitions` what the parameters of a script's functions may hold."""
    # `functions.at(node)` has the functions to which a node of the syntax tree refers.
    functions = functions_of(tree)
    _leave_out_crowded_names(functions, definitions)

    # 1. References that show what the parameters get: the `price` of `price(rows[0])`.
    understood_nodes: set[ast.AST] = set()
    for node in ast.walk(tree):
        for reference in functions.understood_in(node):
            understood_nodes.add(reference.node)
            for parameter in reference.values:
                definitions.add(parameter.name, parameter.value)

    # 2. All other references: the `price` of `table["price"] = price`.
    for node in ast.walk(tree):
        if node not in understood_nodes:
            _make_untraceable(functions.at(node), definitions)


def _leave_out_crowded_names(
    functions: _ScriptFunctions, definitions: Definitions
) -> None:
    """Remove functions that share a name with many others; their parameters are untraceable."""
    for name, namesakes in functions.by_name.items():
        if len(namesakes) > MAX_FUNCTIONS_OF_ONE_NAME:
            _make_untraceable(namesakes, definitions)
            functions.by_name[name] = []


def _make_untraceable(functions: Iterable[Function], definitions: Definitions) -> None:
    """Record that the parameters of functions may hold anything."""
    for function in functions:
        definitions.untraceable.update(Parameters(function).names)


# Collects the values that each name of a script may hold, without running the script.
#
#     rows = harness.read("/items.csv").content.splitlines()
#     total = 0
#     for row in rows:
#         total += int(row)
#
# Here `row` may hold `rows`, and `total` may hold `0` and `int(row)`. The order of the
# statements is ignored: a name may hold every value that is ever bound to it.


def _definitions_of(tree: ast.Module) -> Definitions:
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


def _collect_stored(
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
                    for assignment in unpacked(target, node.value):
                        value = script.part(assignment.value)
                        _record_assignment(assignment.target, value, stored)
            case ast.AugAssign():  # scratchpad["n"] += 1
                _record_change(node.target, [script.part(node.value)], stored)
            case ast.Call(func=ast.Attribute(value=owner, attr=method)):
                # scratchpad["rows"].append(row)
                if method not in _METHODS_WITHOUT_EFFECT:
                    arguments = script.parts(arguments_of(node))
                    _record_change(owner, arguments, stored)


def _record_assignment(
    target: ast.expr, value: ScriptExpression, stored: StoredExpressions
) -> None:
    """Record `target = value`: it sets a key of the scratchpad, or changes what a key holds."""
    key = key_of_scratchpad(target)
    if key is not None:  # scratchpad["rows"] = rows
        stored.assign(key, value)
    else:  # scratchpad["rows"][0] = row
        _record_change(target, [value], stored)


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
    key = _first_key_in(target)
    if key is not None or any(is_scratchpad(part) for part in ast.walk(target)):
        stored.change(key, values)


def _first_key_in(target: ast.expr) -> str | None:
    """Return the key of the scratchpad that a target names; None if it names no key.

    For `scratchpad["a"][scratchpad["b"]]`, this is `a`: `ast.walk` yields it first.
    """
    for part in ast.walk(target):
        key = key_of_scratchpad(part)
        if key is not None:
            return key
    return None


ANSWER_KEY: Final = "answer"
"""The key under which a script stores its answer in the scratchpad, the dictionary of results."""


@dataclass(frozen=True, slots=True)
class WrittenTexts:
    """What the scripts of a trial wrote, and what is known of how they did it."""

    outputs: list[Output]
    """What each script printed, then each text and number that the scratchpad held."""
    stored: StoredExpressions
    """The expressions that the scripts stored in the scratchpad."""
    path_calls: list[PathCall]
    """The calls of the environment that name a path."""


def written_texts(script_runs: Sequence[ScriptRun]) -> WrittenTexts:
    """Read what the scripts of a trial printed and stored, and which paths they called.

    `scratchpad["fee"] = 300` and `print(f"{n} rows")` give two outputs: `3 rows` with its
    template, a gap and ` rows`, and `300`. A script that cannot be parsed is left out.
    """
    outputs: list[Output] = []
    stored = StoredExpressions()
    calls: list[PathCall] = []
    for run in script_runs:
        tree = parsed(run.code)
        if tree is None:
            continue
        definitions = _definitions_of(tree)
        outputs.append(_printed_output(run.printed, tree, definitions))
        _collect_stored(tree, definitions, stored)  # adds to `stored`
        calls += path_calls(tree)

    # A text of the scratchpad may be stored by another script than the one after which it was
    # seen, so these outputs need `stored` of all scripts.
    outputs += _stored_outputs(script_runs, stored)
    return WrittenTexts(outputs, stored, calls)


def _printed_output(text: str, tree: ast.Module, definitions: Definitions) -> Output:
    """Return what a script printed, with its template, if one is known."""
    template = _template_of_script(tree, definitions)
    templates = [] if template is None else [template]
    return Output(text, templates, fallback=_fallback_template(tree, definitions))


def _stored_outputs(
    script_runs: Sequence[ScriptRun], stored: StoredExpressions
) -> list[Output]:
    """Return the texts that the scratchpad held after any of the scripts.

    Most stay the same from script to script. Each is returned once for its key.
    """
    output_by_key_and_text: dict[tuple[str, str], Output] = {}
    for run in script_runs:
        for key, value in run.stored.items():
            for text in _texts_in(value):
                if (key, text) not in output_by_key_and_text:
                    output_by_key_and_text[key, text] = stored_output(key, text, stored)
    return list(output_by_key_and_text.values())


def _texts_in(data: object) -> list[str]:
    """Return the texts and numbers in a value of the scratchpad: `{"a": [1, "x"]}` -> `1`, `x`."""
    match data:
        case dict():
            return [text for value in data.values() for text in _texts_in(value)]
        case list():
            return [text for value in data for text in _texts_in(value)]
    return [str(data)]


def stored_output(key: str, text: str, stored: StoredExpressions) -> Output:
    """Return a text that the scratchpad held under a key, with its templates.

    `stored` has the expressions that all scripts stored:

        scratchpad["answer"] = f"{n} rows"      the template: a gap, then ` rows`
        scratchpad["answer"] += more            the text was changed: no template is known
        scratchpad[name] = more                 changed, too, if `name` is "answer"

    If no template is known or fits, the text counts as a single gap: any expression that was
    stored under the key may have written any part of it.
    """
    templates = [template_of_value(value) for value in stored.whole_values_of(key)]
    single_gap = OutputTemplate.of_unknown_form(stored.of(key))
    return Output(text, templates, fallback=single_gap)
