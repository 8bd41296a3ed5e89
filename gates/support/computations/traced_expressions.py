"""Expressions of scripts, with what they are computed from: their origins.

    price = harness.read("/price.txt")
    total = price * 3

The origins of `total` are the path `/price.txt` and the literal 3, which the model wrote itself.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Final

import re2

from controlplane.gates.support.computations.value_templates import known_text_of
from controlplane.gates.support.scripts import (
    SCRATCHPAD,
    ScriptExpression,
    StoredExpressions,
    arguments_of,
    is_environment_call,
    is_scratchpad,
    key_of_scratchpad,
    returns_what_was_read,
)
from controlplane.gates.support.sources import Source
from controlplane.gates.values.spans import ValueKind, WrittenValue
from controlplane.gates.values.written_values import written_values

# The numbers in a script that need a source, because the script may have invented them.
#
# In `print(sum(fees) * 36 / 100)`, the 36 must stand in the question or in a text that was
# read. The 100 need not: it makes a percentage.

_KINDS: Final = frozenset(
    {ValueKind.NUMBER, ValueKind.DATE, ValueKind.MONTH, ValueKind.TIME}
)
"""The kinds of values that a script may have invented."""
_CONVERSION_CONSTANTS: Final = frozenset(
    {"24", "30", "52", "60", "100", "360", "365"}
    | {"1000", "1024", "3600", "86400", "1000000"}
)
"""Numbers that convert units or make percentages, in canonical form: 1000 for `1,000`."""
_MAX_SMALL_NUMBER: Final = 12
"""Whole numbers up to this one need no source: they may be indexes, widths or counts."""


_NUMBER_OF_OTHER_BASE: Final = re2.compile(
    r"(?i)\b0(?:x[0-9a-f_]{1,32}|o[0-7_]{1,42}|b[01_]{1,128})\b"
)
"""A number of a query in base 16, 8 or 2, such as `0x42e` for 1070; at most 128 bits.

DuckDB reads `cast('0x42e' as integer)`. An address or a hash of more digits is no number there.
"""


def _with_decimal_numbers(text: str) -> str:
    """Return a text with its numbers in base 10: `cast('0x42e' as int)` -> `cast('1070' as int)`."""
    # RE2 cannot read lone surrogates; `replace` makes them question marks.
    encodable = text.encode(errors="replace").decode()
    parts: list[str] = []
    end = 0
    for match in _NUMBER_OF_OTHER_BASE.finditer(encodable):
        digits = match[0].replace("_", "").lower()
        if len(digits) == len("0x"):  # `0x_` has no digits
            continue
        parts += [encodable[end : match.start()], str(int(digits, 0))]
        end = match.end()
    return "".join([*parts, encodable[end:]])


def _numbers_that_need_source(literal: ast.Constant) -> list[str]:
    """Return the numbers, dates and times in a literal that need a source.

    Leaves out small counts and constants of conversions: of `"36 rows, 12 EUR"`, only
    36 is returned.
    """
    match literal.value:
        case bool():  # also an `int` for Python
            return []
        case str() as text:
            # In a query, `40+7` is two numbers. Without the blanks it would be read as an id.
            text = _with_decimal_numbers(text)
            text = text.replace("+", " ").replace("*", " ")
        case int() | float():
            text = ast.unparse(literal).lstrip("-")
        case _:  # None, for example
            return []
    return [value.text for value in written_values(text) if _needs_source(value)]


def _needs_source(value: WrittenValue) -> bool:
    """Return True for a number that a script may have invented: 36, but not 2, 100 or 3600."""
    if value.kind not in _KINDS:
        return False
    number = value.canonical
    if not number.isdigit():
        return True
    # The length is checked first, because `int` refuses thousands of digits.
    is_short = len(number) <= len(str(_MAX_SMALL_NUMBER))
    is_small = is_short and int(number) <= _MAX_SMALL_NUMBER
    return not is_small and number not in _CONVERSION_CONSTANTS


# What an expression of a script is computed from: paths, numbers, and other literals.
#
# `Origins` is the result for one expression. `_FoundOrigins` collects it, while the names of
# the expression are followed to their values.


@dataclass(frozen=True, slots=True)
class Origins:
    """What an expression is computed from: `/items.csv` and 36 for `sum(rows) * 36`."""

    literals: tuple[str, ...] = ()
    """All texts and numbers that stand in the script itself: `36 rows`, `/items.csv`, 2."""
    paths: tuple[str, ...] = ()
    """Those of `literals` that are paths: `/items.csv`."""
    numbers: tuple[str, ...] = ()
    """The numbers in `literals` that the script may have invented: 36 of `36 rows`.

    Small ones such as 2, and 100 or 3600, are left out, because they need no source.
    """
    reads_environment: bool = False
    """True if a call of the environment returned an input, such as the rows of a file."""
    is_traceable: bool = True
    """False if an input is unknown, such as a key of the scratchpad that no script stored."""
    is_literal: bool = False
    """True if the value is one of `literals` as it stands, and nothing is computed.

    An example is `name` in `for name in ("a", "b")`.
    """

    @property
    def has_known_inputs(self) -> bool:
        """True if it is computed from what was read, or from numbers, and from nothing unknown.

        True for `sum(rows) * 36`; false for `2 * 2`, which has no inputs that need a source.
        """
        has_inputs = self.reads_environment or bool(self.numbers)
        return has_inputs and self.is_traceable


@dataclass(slots=True)
class _FoundOrigins:
    """What was found so far in the parts of an expression, such as `sum(rows) * 36`.

    Each part is visited once and sets what it shows; `result` sums it up at the end.
    """

    literals: list[ast.Constant] = field(default_factory=list)
    """The literals of the script: 36, and the `/items.csv` from which `rows` were read."""
    reads_environment: bool = False
    """True if a part is a call of the environment: `harness.read("/items.csv")`."""
    computes: bool = False
    """True if a part computes something, such as a sum or a call."""
    is_traceable: bool = True
    """False if it is unknown what a part is computed from."""

    def result(self) -> Origins:
        """Return the origins of the expression, each once."""
        paths: list[str] = []
        numbers: list[str] = []
        is_traceable = self.is_traceable
        for literal in self.literals:
            match literal.value:
                case str() as text if text.startswith("/"):
                    paths.append(text)
                case bytes() | complex():  # hides numbers: `int.from_bytes(b"...")`
                    is_traceable = False
                case _:
                    numbers += _numbers_that_need_source(literal)
        texts = [str(literal.value) for literal in self.literals]
        return Origins(
            literals=tuple(dict.fromkeys(texts)),
            paths=tuple(dict.fromkeys(paths)),
            numbers=tuple(dict.fromkeys(numbers)),
            reads_environment=self.reads_environment,
            is_traceable=is_traceable,
            is_literal=is_traceable and not self.computes,
        )


# Traces what an expression of a script is computed from, without running the script.
#
#     rows = harness.table("/items.csv", columns="price").rows
#     total = sum(rows) * 36
#     print(total)
#
# Here `total` comes from the path `/items.csv` and the number 36: these are its origins.
# `total` counts as computed if the 36 stands in the question or in a text that was read.

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
"""The kinds of syntax in `{"a": 1, "b": 2}[name]`, which only selects one of its literals.

An expression of any other kind computes something.
"""


def origins_of(traced: ScriptExpression, stored: StoredExpressions) -> Origins:
    """Return what an expression is computed from: `sum(rows)` -> the path `/items.csv`.

    The names of the expression are followed to the values that they may hold, these to their
    own names, and so on down to literals and calls. `stored` is what the scripts of the trial
    stored in the scratchpad.
    """
    found = _FoundOrigins()
    followed: set[Hashable] = set()
    # Parts of the expression, and the values that its names may hold, that are still to visit
    waiting = [traced]
    while waiting:
        part = waiting.pop()
        if not isinstance(part.expression, _SELECTING_NODES):
            found.computes = True
        # Variables may refer to each other in a circle, so each is followed once.
        variable = _variable_of(part)
        if variable in followed:
            continue
        if variable is not None:
            followed.add(variable)

        _add_origin(part, found)
        inputs = _inputs_of(part, stored)
        if inputs is None:  # The part may depend on anything.
            found.is_traceable = False
        else:
            waiting += inputs
    return found.result()


def _variable_of(part: ScriptExpression) -> Hashable | None:
    """Return a key for the variable that a part is; None if it is another expression: `a + b`.

    Scripts of one trial share the scratchpad, but each has names of its own. So the key of
    `scratchpad["n"]` is the same in all of them, and that of `n` has the script's definitions.
    """
    node = part.expression
    if is_scratchpad(node):
        return SCRATCHPAD
    scratchpad_key = key_of_scratchpad(node)
    if scratchpad_key is not None:
        return (SCRATCHPAD, scratchpad_key)
    if isinstance(node, ast.Name):
        return (part.definitions, node.id)
    return None


def _add_origin(part: ScriptExpression, found: _FoundOrigins) -> None:
    """Add a part to `found` if it is an origin: a literal, or a call that reads something."""
    node = part.expression
    match node:
        case ast.Constant():
            found.literals.append(node)
        case ast.Call() if is_environment_call(node) and _reads(part, node):
            found.reads_environment = True


def _reads(part: ScriptExpression, environment_call: ast.Call) -> bool:
    """Return True if a call surely returns what the environment holds: `harness.read("/a.md")`.

    False if the script has replaced `harness`, or if the call may return a number that the
    script chose, such as `harness.sql("select unicode('x') from t")`.
    """
    is_replaced = part.definitions.rebinds_environment
    return not is_replaced and returns_what_was_read(environment_call)


def _inputs_of(
    part: ScriptExpression, stored: StoredExpressions
) -> list[ScriptExpression] | None:
    """Return the parts on which a part depends; None if it may depend on anything.

    | part                    | depends on                                           |
    | ----------------------- | ---------------------------------------------------- |
    | `a + b`                 | `a` and `b`                                          |
    | `row`                   | the values that the name `row` may hold              |
    | `scratchpad["rows"]`    | the values that scripts stored under the key `rows`  |
    | `harness.read(path)`    | `path`                                               |
    | `36`                    | nothing: an empty list                               |
    | `ord("#")`              | anything: None                                       |
    """
    node = part.expression
    # What no script of this trial stored may be anything.
    if is_scratchpad(node):
        return stored.all() or None
    scratchpad_key = key_of_scratchpad(node)
    if scratchpad_key is not None:
        return stored.of(scratchpad_key) or None

    match node:
        case ast.Constant():
            return []
        case ast.Name():
            values = part.definitions.of(node.id)
            return None if values is None else part.parts(values)
        case ast.Call() if is_environment_call(node):
            return part.parts(arguments_of(node)) if _reads(part, node) else None
    if _makes_number_of_text(node):
        return None
    return part.parts(_operands_of(node))


def _operands_of(node: ast.AST) -> list[ast.AST]:
    """Return the parts of an expression from which its value is computed."""
    match node:
        case ast.FormattedValue():
            return [node.value]  # the format, such as `.2f`, is not an input
        case ast.Subscript(slice=ast.Constant()):
            return [node.value]  # a constant index or key is not an input
    return list(ast.iter_child_nodes(node))


def _makes_number_of_text(node: ast.AST) -> bool:
    """Return True for `int("zz", 36)`, which is 1295, and `ord("#")`, which is 35.

    By these two functions, a script could invent a number without writing a digit of it. An
    `int` of anything but a literal is permitted, because it may read what is in a file.
    """
    match node:
        case ast.Call(func=ast.Name(id="int"), args=[ast.Constant(value=str()), _]):
            return True
        case ast.Call(func=ast.Name(id="ord")):
            return True
    return False


@dataclass(frozen=True, slots=True)
class TracedExpression:
    """An expression of a script, with what it is computed from."""

    expression: ScriptExpression
    origins: Origins
    literal_lines: Source
    """The literals of the origins, one a line, as a text in which values can be searched."""

    @property
    def computes_nothing(self) -> bool:
        """True if an expression only gives a text or number that stands in the script.

        - `12`, or `{"a": 1, "b": 2}[name]`, which selects one of two literals;
        - `"-" * 40`, whose text is known without running the script.
        """
        known_text = known_text_of(self.expression.expression)
        return self.origins.is_literal or bool(known_text)


@dataclass(eq=False)
class ExpressionTracer:
    """Traces expressions to their origins, each once: values often come from the same ones."""

    stored: StoredExpressions
    """What scripts stored in the scratchpad, since later scripts compute with it."""
    _traced: dict[ScriptExpression, TracedExpression] = field(default_factory=dict)
    """The expressions that were traced before."""

    def traced(self, expression: ScriptExpression) -> TracedExpression:
        """Return an expression with its origins."""
        if expression not in self._traced:
            origins = origins_of(expression, self.stored)
            lines = "\n".join(origins.literals)
            literal_lines = Source("", lines, first_line_is_heading=False)
            self._traced[expression] = TracedExpression(
                expression, origins, literal_lines
            )
        return self._traced[expression]
