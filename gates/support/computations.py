"""Says what computed a value of an answer: a query, a function of the benchmark, or a script.

    fees = harness.table("/loans.csv", columns="fee").rows
    print(sum(fees))                                          1070

The 1070 of this output is computed: `= sum(fees), from /loans.csv`. Its origins are the path and
no number: a number in the script, such as a 36, must stand in the question or in what was read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from functools import cached_property
from typing import Final

import re2

from controlplane.gates.support.matching import (
    Match,
    amount_of,
    find_matches,
    is_stated,
)
from controlplane.gates.support.outputs import (
    ANSWER_KEY,
    Output,
    Writers,
    WrittenTexts,
    known_text_of,
    stored_output,
    written_texts,
)
from controlplane.gates.support.scripts import (
    SCRATCHPAD,
    Definitions,
    ScriptExpression,
    arguments_of,
    is_environment_call,
    returns_what_was_read,
    variable_of,
)
from controlplane.gates.support.sources import LineBudget, Source, units_named
from controlplane.gates.text_folding import encodable
from controlplane.gates.trial import FunctionResultValue, ScriptRun
from controlplane.gates.values.normal_text import NumberStyle
from controlplane.gates.values.notations import UNIT_BY_NAME
from controlplane.gates.values.numerals import fraction_text
from controlplane.gates.values.spans import (
    ValueKind,
    WrittenValue,
    day_of_date,
    year_of_date,
)
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
    {"24", "30", "52", "60", "100", "360", "365", "365.25", "365.2425"}
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


def _in_base_10(number: re2._Match) -> str:
    """Return a number of another base in base 10: `0x42e` -> `1070`; `0x_`, without digits, as it is."""
    digits = str(number[0]).replace("_", "")
    if len(digits) == len("0x"):
        return str(number[0])
    return str(int(digits, 0))


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
            text = str(_NUMBER_OF_OTHER_BASE.sub(_in_base_10, encodable(text)))
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
    if number in _CONVERSION_CONSTANTS:
        return False
    if not number.isdigit():
        return True
    # The length is checked first, because `int` refuses thousands of digits.
    is_short = len(number) <= len(str(_MAX_SMALL_NUMBER))
    return not (is_short and int(number) <= _MAX_SMALL_NUMBER)


# What an expression of a script is computed from: paths, numbers, and other literals.


@dataclass(eq=False)
class TracedExpression:
    """An expression of a script, with what it is computed from: `/items.csv` and 36."""

    expression: ScriptExpression
    read_paths: frozenset[str] = frozenset()
    """The paths of all that was read. A literal may leave out their first `/`."""
    literals: list[ast.Constant] = field(default_factory=list)
    """The literals of the script: 36, and the `/items.csv` from which `rows` were read."""
    keys: list[str] = field(default_factory=list)
    """The texts by which parts are looked up: `Mei Tan` of `by["Mei Tan"]`."""
    reads_environment: bool = False
    """True if a call of the environment returned an input, such as the rows of a file."""
    computes: bool = False
    """True if a part computes something, such as a sum or a call."""
    scales: bool = False
    """True if a part multiplies or divides, which may convert a unit."""
    is_traceable: bool = True
    """False if an input is unknown, such as a key of the scratchpad that no script stored."""
    fault: str = ""
    """What is known to be wrong with the calculation; empty if nothing is."""

    @cached_property
    def texts(self) -> list[str]:
        """The literals as texts, each once."""
        return _unique(str(literal.value) for literal in self.literals)

    @cached_property
    def literal_lines(self) -> Source:
        """The literals, one a line, as a text in which values can be searched."""
        return Source("", "\n".join(self.texts), is_printed=True)

    @property
    def paths(self) -> list[str]:
        """Those of the texts that are paths."""
        paths = map(self._path_in, self.literals)
        return _unique(path for path in paths if path)

    @cached_property
    def numbers(self) -> list[str]:
        """The numbers in the literals that the script may have invented: 36 of `36 rows`.

        Small ones such as 2, and 100 or 3600, are left out, because they need no source.
        """
        numbers: list[str] = []
        for literal in self.literals:
            if not self._path_in(literal):
                numbers += _numbers_that_need_source(literal)
        return _unique(numbers)

    def _path_in(self, literal: ast.Constant) -> str:
        """Return the path that a literal is: `/items.csv` for `items.csv`; "" if it is none."""
        if not isinstance(literal.value, str):
            return ""
        path = f"/{literal.value.removeprefix('./')}"
        if path in self.read_paths:
            return path
        return literal.value if literal.value.startswith("/") else ""

    @property
    def is_literal(self) -> bool:
        """True if the value is one of the literals as it stands: `name` in `for name in ("a", "b")`."""
        return self.is_traceable and not self.computes

    @property
    def has_inputs(self) -> bool:
        """True if it is computed from what was read, or from numbers, and from nothing unknown.

        True for `sum(rows) * 36`; false for `2 * 2`, which has no inputs that need a source.
        """
        return self.is_traceable and (self.reads_environment or bool(self.numbers))

    @property
    def computes_nothing(self) -> bool:
        """True if an expression only gives a text that stands in the script or was read.

        - `12`, or `{"a": 1, "b": 2}[name]`, which selects one of two literals;
        - `"-" * 40`, whose text is known without running the script;
        - `harness.read(path).content`, whose values are found in the file.
        """
        if self.is_literal or known_text_of(self.expression.expression):
            return True
        match self.expression.value.expression:
            case ast.Attribute(value=ast.Call() as call, attr="content"):
                return is_environment_call(call)
        return False


def _unique(texts: Iterable[str]) -> list[str]:
    """Return texts in their order, each once."""
    return list(dict.fromkeys(texts))


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


def traced(
    expression: ScriptExpression, read_paths: frozenset[str] = frozenset()
) -> TracedExpression:
    """Return an expression with what it is computed from: for `sum(rows)`, the path `/items.csv`.

    The variables of the expression are followed to the values that they may hold, these to their
    own variables, and so on down to literals and calls. `read_paths` have all that the trial read.
    """
    found = TracedExpression(expression, read_paths)
    followed: set[tuple[Definitions | None, str]] = set()
    # Parts of the expression, and the values that its names may hold, that are still to visit
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        if not isinstance(part.expression, _SELECTING_NODES):
            found.computes = True
        # Variables may refer to each other in a circle, so each is followed once. Each script has
        # names of its own, but all share the scratchpad.
        variable = variable_of(part.expression)
        if variable is not None:
            is_shared = variable.startswith(SCRATCHPAD)
            place = (None if is_shared else part.definitions, variable)
            if place in followed:
                continue
            followed.add(place)

        found.keys += _keys_in(part.expression)
        match part.expression:
            case ast.BinOp(op=ast.Mult() | ast.Div() | ast.FloorDiv()):
                found.scales = True
        found.fault = found.fault or _fault_of_mean(part) or _fault_of_sum(part)
        inputs = _inputs_of(part, found)
        if inputs is None:  # The part may depend on anything.
            found.is_traceable = False
        else:
            waiting += inputs
    return found


def _inputs_of(
    part: ScriptExpression, found: TracedExpression
) -> list[ScriptExpression] | None:
    """Return the parts on which a part depends; None if it may depend on anything.

    A literal, and a call that reads something, is added to `found`.

    | part                    | depends on                                           |
    | ----------------------- | ---------------------------------------------------- |
    | `a + b`                 | `a` and `b`                                          |
    | `row`                   | the values that the name `row` may hold              |
    | `scratchpad["rows"]`    | the values that scripts stored under the key `rows`  |
    | `harness.read(path)`    | `path`                                               |
    | `36`                    | nothing: an empty list                               |
    | `ord("#")`              | anything: None                                       |

    By `ord("#")`, which is 35, and `int("zz", 36)`, a script could invent a number without writing
    a digit of it. An `int` of anything but a literal is permitted, because it may read what is in
    a file.
    """
    node = part.expression
    variable = variable_of(node)
    if variable is not None:
        return part.definitions.of(variable)
    match node:
        case ast.Constant(value=value):
            found.literals.append(node)
            hides_numbers = isinstance(value, bytes | complex)  # `int.from_bytes(b"…")`
            return None if hides_numbers else []
        case ast.Call() if is_environment_call(node):
            # Not if the script has replaced `harness`, or the call may return a number that the
            # script chose, such as `harness.sql("select unicode('x') from t")`.
            is_replaced = part.definitions.rebinds_environment
            if is_replaced or not returns_what_was_read(node):
                return None
            found.reads_environment = True
            return part.parts(arguments_of(node))
        case ast.Call() if _moment_text(node):
            found.literals.append(ast.Constant(_moment_text(node)))
            return []
        case (
            ast.Call(func=ast.Name(id="int"), args=[ast.Constant(value=str()), _])
            | ast.Call(func=ast.Name(id="ord"))
        ):
            return None
    return part.parts(_operands_of(node))


def _operands_of(node: ast.AST) -> list[ast.AST]:
    """Return the parts of an expression from which its value is computed."""
    match node:
        case ast.FormattedValue():
            return [node.value]  # the format, such as `.2f`, is not an input
        case ast.Subscript(slice=ast.Constant() | ast.Slice() | ast.Tuple() as key):
            # A constant index or key is not an input: `row[3]`, `row[13:]`, `meter[9, 1]`.
            return [node.value, *_names_of_key(key)]
        case ast.Dict():  # nor are the keys of a dictionary
            names: list[ast.AST] = []
            for dictionary_key in node.keys:
                if dictionary_key is not None:
                    names += _names_of_key(dictionary_key)
            return [*names, *node.values]
        case ast.Call(
            func=ast.Attribute(attr="get"), args=[ast.Constant(), *others]
        ):  # `fees.get("2026-07", 0)`
            return [node.func, *others]
    return list(ast.iter_child_nodes(node))


def _keys_in(node: ast.AST) -> list[str]:
    """Return the text by which an expression looks something up: `Mei Tan` of `by["Mei Tan"]`."""
    match node:
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            return [key]
        case ast.Call(
            func=ast.Attribute(attr="get"), args=[ast.Constant(value=str() as key), *_]
        ):
            return [key]
        case ast.Attribute(attr="days" as key):  # of the time between two dates
            return [key]
    return []


# Means whose sum has other terms than are counted: `sum(times) / len(rows)`, after
# `times = [row.time for row in rows if row.time]`.


@dataclass(frozen=True, slots=True)
class _Terms:
    """The items of a list: what they are taken from, and by which conditions."""

    source: str
    conditions: tuple[str, ...] = ()
    are_counted: bool = False
    """True for `1 for row in rows if row.late`, whose sum is a count."""


def _fault_of_mean(part: ScriptExpression) -> str:
    """Return what is wrong with a sum that is divided by a count of other terms, or ""."""
    match part.expression:
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            pass
        case _:
            return ""
    # Either may have a name of its own: `total / n`.
    dividend = part.part(left).value
    divisor = part.part(right).value
    match (dividend.expression, divisor.expression):
        case (
            ast.Call(func=ast.Name(id="sum"), args=[summed]),
            ast.Call(func=ast.Name(id="len"), args=[counted]),
        ):
            terms = _terms_of(dividend.part(summed))
            others = _terms_of(divisor.part(counted))
            is_of_same = terms.source == others.source and not terms.are_counted
            if is_of_same and terms.conditions != others.conditions:
                sum_text = ast.unparse(summed)
                count_text = ast.unparse(counted)
                return f"sum({sum_text}) is divided by len({count_text}), another count than its terms"
    return ""


_LEAST_TERMS: Final = 3
"""Two amounts may well be shared by three."""


def _fault_of_sum(part: ScriptExpression) -> str:
    """Return what is wrong with `(7 + 8 + 9 + 7) / 5`, numbers divided by one more or less, or ""."""
    match part.expression:
        case ast.BinOp(
            left=left, op=ast.Div(), right=ast.Constant(value=int() as count)
        ):
            pass
        case _:
            return ""
    terms = 1
    while isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add):
        if not isinstance(left.right, ast.Constant):
            return ""
        terms += 1
        left = left.left
    is_sum = isinstance(left, ast.Constant) and terms >= _LEAST_TERMS
    if is_sum and abs(terms - count) == 1:
        return f"a sum of {terms} numbers is divided by {count}"
    return ""


def _terms_of(part: ScriptExpression) -> _Terms:
    """Return what a list is taken from: `rows`, if it has a time, for `times` above."""
    node = part.value.expression
    match node:
        case (
            ast.ListComp(elt=item, generators=[loop])
            | ast.GeneratorExp(elt=item, generators=[loop])
        ):
            inner = _terms_of(part.part(loop.iter))
            conditions = tuple(ast.unparse(condition) for condition in loop.ifs)
            are_counted = isinstance(item, ast.Constant | ast.Compare | ast.BoolOp)
            return _Terms(inner.source, inner.conditions + conditions, are_counted)
    return _Terms(ast.unparse(node))


def _names_of_key(key: ast.AST) -> list[ast.AST]:
    """Return the variables in a key: `day` of `fees[day, 1]`."""
    return [part for part in ast.walk(key) if isinstance(part, ast.Name)]


# Dates, times and durations that a script makes of numbers: `date(2026, 5, 17)`.
#
# The numbers are one value. It stands in a text as `17 May 2026`, and not as 17 and 2026.

_MOMENTS: Final[Mapping[str, type]] = {
    "date": date, "datetime": datetime, "time": time, "timedelta": timedelta,
}  # fmt: skip


def _moment_text(call: ast.Call) -> str:
    """Return the date, time or duration that a call makes of literals, or an empty string.

    `datetime(2026, 5, 17, 9, 30)` -> `2026-05-17 09:30`, `timedelta(hours=2, minutes=45)` ->
    `2 hours 45 minutes`
    """
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in _MOMENTS:
            pass
        case _:
            return ""
    try:
        numbers = [ast.literal_eval(part) for part in call.args]
        options = {
            str(option.arg): ast.literal_eval(option.value) for option in call.keywords
        }
        moment = _MOMENTS[name](*numbers, **options)
    except (ValueError, TypeError, OverflowError):  # not of literals, or no moment
        return ""
    if not isinstance(moment, timedelta):
        return str(moment).removesuffix(":00")
    named = [*zip(("days", "seconds"), numbers, strict=False), *options.items()]
    return " ".join(f"{number} {unit}" for unit, number in named)


def _labels_of(expressions: Iterable[TracedExpression]) -> list[str]:
    """Return the keys by which expressions look up numbers, unless one may convert them."""
    labels: list[str] = []
    for expression in expressions:
        if expression.scales:
            return []
        labels += expression.keys
    return labels


# Tells whether the numbers in a script were given to the trial, or may be invented.
#
# The model writes the scripts, so a number in one may come from the model alone. The 36 of
# `sum(rows) * 36` is known if the question says `36 months`, or a file that was read does.

_LARGEST_FACTOR: Final = 3
"""A percentage changes an amount by a factor below this: 1.2 for 20 % more."""


class _KnownNumbers:
    """Looks up numbers in the question, in texts that were read, in the clock and the like.

    Each number is searched for only once.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._is_known: dict[str, bool] = {}

    def has(self, number: str) -> bool:
        """Return True if a number was given; from `_is_known` if it was asked for before."""
        if number not in self._is_known:
            # `1.081` may be 1081 in a text, and is not in a script.
            readings = (
                written_values(number),
                written_values(number, style=PYTHON_STYLE),
            )
            self._is_known[number] = any(
                all(
                    self._is_given(value)
                    or self._is_factor(value)
                    or self._is_converted(value)
                    for value in values
                )
                for values in readings
            )
        return self._is_known[number]

    def _is_factor(self, value: WrittenValue) -> bool:
        """Return True for a number that stands for a stated percentage: 0.2, 1.2 or 0.8 for 20 %."""
        amount = amount_of(value)
        if amount is None or value.unit or not 0 < amount < _LARGEST_FACTOR:
            return False
        for share in (amount, amount - 1, 1 - amount):
            percentage = replace(value, canonical=fraction_text(100 * share), unit="%")
            if share > 0 and self._is_given(percentage):
                return True
        return False

    def _is_converted(self, value: WrittenValue) -> bool:
        """Return True for a number that is a stated amount in another unit: 2000 for 2 µg, in ng."""
        amount = amount_of(value)
        if amount is None or value.unit or value.decimals:
            return False
        # The zeros at the end of 2000 are those of the factor.
        for source in self._sources:
            for line in source.lines_with(value.canonical.rstrip("0")):
                if not source.spend(line):
                    return False
                for stated in source.values_of(line):
                    if stated.unit and _is_in_another_unit(stated, amount):
                        return True
        return False

    def _is_given(self, value: WrittenValue) -> bool:
        """Return True if the question, a text that was read, or another given one states a number."""
        matches = find_matches(value, self._sources)
        # 21 is not given by 21.0975, from which it may be rounded.
        if any(not match.agreement.is_rounded for match in matches):
            return True
        if value.kind is not ValueKind.DATE or not year_of_date(value):
            return False
        # The day may be given without its year, `on 4 May`, and the year by the clock.
        day = replace(value, canonical=f"--{day_of_date(value)}")
        days = [match.value for match in find_matches(day, self._sources)]
        has_day = any(found and not year_of_date(found) for found in days)
        return has_day and all(
            find_matches(year, self._sources)
            for year in written_values(year_of_date(value))
        )


def _is_in_another_unit(stated: WrittenValue, amount: Fraction) -> bool:
    """Return True if a stated amount is another one in some unit: 2000, in ng, for `2 µg`."""
    unit = UNIT_BY_NAME.get(stated.unit)
    stated_amount = amount_of(stated)
    if unit is None or not stated_amount:
        return False
    size = unit.size * stated_amount / amount
    return any(
        other.quantity == unit.quantity and other.size == size
        for other in UNIT_BY_NAME.values()
    )


def _converts(number: str, unit: str) -> bool:
    """Return True if a number converts amounts into a unit: 1.609344, if the unit is a mile."""
    if unit not in UNIT_BY_NAME:
        return False
    of_value = UNIT_BY_NAME[unit]
    for other in UNIT_BY_NAME.values():
        if other.quantity == of_value.quantity and other.size != of_value.size:
            factor = of_value.size / other.size
            if number in (fraction_text(factor), fraction_text(1 / factor)):
                return True
    return False


_UNITS_WITHIN_DAY: Final = frozenset({"s", "min", "h"})


def _is_within_day(value: WrittenValue) -> bool:
    """Return True for a time of day, and for a duration in hours, minutes or seconds."""
    return value.kind is ValueKind.TIME or value.unit in _UNITS_WITHIN_DAY


def _without_days_of_times(numbers: Sequence[str]) -> list[str]:
    """Return the numbers without dates, if there are times of day, too.

    To subtract times, a script may put them on any day: `datetime(2000, 1, 2, 5, 30)`.
    """
    kinds: dict[str, ValueKind] = {}
    for number in numbers:
        for value in written_values(number):
            kinds[number] = value.kind
    if ValueKind.TIME not in kinds.values():
        return list(numbers)
    return [number for number in numbers if kinds.get(number) is not ValueKind.DATE]


# Describes what a value was computed from: a query, a function of the benchmark, or a script.
#
#     fees = harness.table("/loans.csv", columns="fee").rows
#     print(sum(fees) * 36)                                     38520
#
# The expression `sum(fees) * 36` computed the 38520 of an answer if
#
# 1. it wrote the value, in the answer or in an output (see `outputs`);
# 2. the script does not state the value itself;
# 3. it reads the environment, or has numbers such as 36, and all its numbers stand in the
#    question or in what was read.
#
# Scripts are only read. If several expressions of one print may have written the value, all of this
# must be true of each.

PYTHON_STYLE: Final = NumberStyle(".", groups_by_blanks=False)
"""How Python prints numbers: with a decimal point, and `70 564.0` for two of them."""
_SHOWN_ROWS: Final = 6
"""How many line numbers are shown of the rows of a table."""
_SHOWN_EXPRESSIONS: Final = 3
"""How many expressions are shown. A value has several if it is unknown which one gave it."""


@dataclass(frozen=True, slots=True)
class Computation:
    """What computed a value."""

    text: str
    """`= sum(fees), from /loans.csv`"""
    selectors: tuple[str, ...] = ()
    """The texts by which a script selected what it computed with: `Mei Tan` of `by["Mei Tan"]`."""
    fault: str = ""
    """What is known to be wrong with it: the sum is divided by another count than its terms."""
    numbers: tuple[str, ...] = ()
    """The numbers of the script from which it is computed, such as 36."""
    only_selects: bool = False
    """True if it only takes values out of what was read, such as `row["fee"]`."""
    printed: Match | None = None
    """Where a script printed the value; None if it is not printed."""
    units: frozenset[str] = frozenset()
    """The units that the names of what it adds up state, such as EUR for `row["fee_eur"]`."""


class Computations:
    """Finds which query, function or script of a trial computed a value of its answer.

    If a script prints `sum(fees)`, the 1070 of this output is `= sum(fees), from /loans.csv`.
    """

    def __init__(
        self,
        script_runs: Sequence[ScriptRun],
        function_results: Sequence[FunctionResultValue],
        query_results: Sequence[Source],
        sources: Sequence[Source],
        given_sources: Sequence[Source],
    ) -> None:
        """Take what a trial did (the first three), and what it read and was given.

        A script that computes with a number, such as 36, must have it from `sources`, the texts
        that the trial read, or from `given_sources`, such as the question. Else the model may have
        invented the number.
        """
        self._script_runs = script_runs
        self._query_results = query_results
        self._sources = sources
        self._read_paths = frozenset(source.path for source in sources)
        self._function_calls = [
            (Source("", call.arguments), Source("", call.value))
            for call in function_results
        ]
        self._known_numbers = _KnownNumbers([*given_sources, *sources])
        self._budget = LineBudget()
        # Each answer and expression is read once: values often come from the same ones.
        self._answers: dict[str, Output] = {}
        self._traced: dict[ScriptExpression, TracedExpression] = {}

    @cached_property
    def _written(self) -> WrittenTexts:
        """What the scripts printed and stored."""
        return written_texts(self._script_runs)

    def find(
        self, value: WrittenValue, answer: str, style: NumberStyle
    ) -> Computation | None:
        """Return what a value was computed from; None if the trial did not compute it.

        - a query: `= harness.table("/loans.csv", columns="sum(fee)")`, or `by /bin/query`
        - a function of the benchmark: `by a function`
        - a script: `= sum(fees), from /loans.csv`

        `style` is how the answer writes numbers: scripts may have written numbers in the same way.
        """
        # A query or function that returned the value itself comes before an expression that may
        # have computed it.
        for result in self._query_results:
            if is_stated(value, [result]):
                for call in self._written.path_calls:
                    if result.path and call.path == result.path:
                        return Computation(f"= {call.text}")
                return Computation(f"by {result.path or 'a query'}")
        for arguments, returned in self._function_calls:
            # If the arguments state it, too, the function may only echo what it was given.
            is_given = is_stated(value, [arguments])
            if not is_given and is_stated(value, [returned]):
                return Computation("by a function")
        for writers, match in self._writers_of(value, answer, style):
            expressions = self._expressions_that_computed(value, writers)
            if expressions:
                return replace(self._computation_by(expressions), printed=match)
        return None

    def _writers_of(
        self, value: WrittenValue, answer: str, style: NumberStyle
    ) -> Iterator[tuple[Writers, Match | None]]:
        """Yield what may have written a value of the answer, for each place where a script wrote it.

        The first place is in the answer itself, which a script put together:
        `scratchpad["answer"] = f"{total} EUR"`. The others are in what scripts printed or
        stored, with the number written as Python or as the answer writes it: `1234.5`, `1,234.50`.
        """
        if answer not in self._answers:
            scratchpad = self._written.scratchpad
            self._answers[answer] = stored_output(ANSWER_KEY, answer, scratchpad)
        yield self._answers[answer].writers_of(value.start, value.end), None

        for output in self._written.outputs:
            for output_style in dict.fromkeys((PYTHON_STYLE, style)):
                source = output.source(output_style, self._budget)
                for match in find_matches(value, [source]):
                    yield output.writers_of_match(match), match

    def _expressions_that_computed(
        self, value: WrittenValue, writers: Writers
    ) -> list[TracedExpression]:
        """Return the expressions that may have computed a value at the place where it is written.

        `writers` are the expressions that may have written it. One that may have stated or
        invented it spoils the place, and nothing is returned:

        | expression            | if the value is 72                               |
        | --------------------- | ------------------------------------------------ |
        | `"72 months"`         | the script states it: nothing is returned        |
        | `"36 months"`         | cannot have written it, so it is left out        |
        | `ord("H")`            | has no known inputs: it is left out              |
        | `count * 36`          | is left out if no text states the 36             |
        | `len(rows)`           | returned                                         |
        """
        # The `000` of `f"{count}000"` is a known text: these digits are not computed.
        if any(character.isdigit() for character in writers.known_text):
            return []
        computing: list[TracedExpression] = []
        for gap in writers.gaps:
            candidates = [self._trace(expression) for expression in gap]
            for candidate in candidates:
                if is_stated(value, [candidate.literal_lines]):
                    return []
            candidates = [
                candidate for candidate in candidates if not candidate.computes_nothing
            ]
            # What another gap has invented takes nothing away from this one.
            if all(
                self._has_known_inputs(candidate, value) for candidate in candidates
            ):
                computing += candidates
        return computing

    def _trace(self, expression: ScriptExpression) -> TracedExpression:
        """Return an expression with what it is computed from."""
        if expression not in self._traced:
            self._traced[expression] = traced(expression, self._read_paths)
        return self._traced[expression]

    def _has_known_inputs(
        self, expression: TracedExpression, value: WrittenValue
    ) -> bool:
        """Return True if an expression is computed from what was read or given, and nothing else.

        The factors by which the value's unit is converted are known: 1.609344 for miles.
        """
        if not expression.has_inputs:
            return False
        numbers = expression.numbers
        if _is_within_day(value):
            numbers = _without_days_of_times(numbers)
        return all(
            _converts(number, value.unit) or self._known_numbers.has(number)
            for number in numbers
        )

    def _computation_by(self, expressions: Sequence[TracedExpression]) -> Computation:
        """Return what expressions computed: `= sum(fees) * 36, from /loans.csv; 36`."""
        texts: list[str] = []
        paths: list[str] = []
        numbers: list[str] = []
        selectors: list[str] = []
        for expression in expressions:
            texts.append(expression.expression.text)
            paths += expression.paths
            numbers += expression.numbers
            selectors += [*expression.keys, *expression.texts]
        description = f"= {'; '.join(_unique(texts)[:_SHOWN_EXPRESSIONS])}"
        inputs = [self._path_with_rows(path) for path in _unique(paths)]
        inputs += _unique(numbers)
        if inputs:
            description += f", from {'; '.join(inputs)}"
        # If one of several expressions is sound, it may be the one that computed the value.
        faults = [expression.fault for expression in expressions]
        only_selects = all(
            isinstance(part.expression.value.expression, ast.Subscript | ast.Name)
            for part in expressions
        )
        return Computation(
            description,
            tuple(_unique(selectors)),
            "" if "" in faults else faults[0],
            tuple(_unique(numbers)),
            only_selects,
            units=units_named(" ".join(_labels_of(expressions))),
        )

    def _path_with_rows(self, path: str) -> str:
        """Return a path, for a queried table with its rows: `2 rows of /a.csv, lines 4, 9`.

        If different queries read the table, it is unknown whose rows the value comes from.
        """
        rows: list[int] = []
        queries = {call.text for call in self._written.path_calls if call.path == path}
        if len(queries) <= 1:
            for source in self._sources:
                # 7 and 9, if the query returned the rows in these lines of the file
                if source.path == path and source.line_numbers.listed_rows:
                    rows = source.line_numbers.listed_rows
                    break
        if not rows:
            return path
        lines = ", ".join(str(row) for row in rows[:_SHOWN_ROWS])
        text = f"{len(rows)} rows of {path}, lines {lines}"
        return f"{text} and more" if len(rows) > _SHOWN_ROWS else text
