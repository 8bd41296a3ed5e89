"""Recalculates the arithmetic that an answer shows, and reports whether each result is right.

It recognizes four ways of writing a calculation:

- an equation: `300 + 470 = 770`;
- a share or a change in words: `12 of 48, i.e. 25 %`, `from 40 to 30, a loss of 10`;
- a result before its terms: `45 % (188.80 of 423.80)`, `239 kg: 185 kg, 42 kg and 12 kg`;
- dates or times a duration apart: `from 3 May to 12 May, 9 days`.

Wrong results are reported only for the first two. In the other two, a different number may be
unrelated to the calculation, so only right results are reported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from itertools import pairwise, permutations, product
from typing import Final

from controlplane.gates.python_syntax import parse_expression
from controlplane.gates.values.locale_names import UNIT_BY_NAME
from controlplane.gates.values.numerals import MOST_DIGITS
from controlplane.gates.values.unit_names import unit_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue

MAX_TERMS: Final = 12
"""The longest calculation that is checked, in numbers."""
MAX_CHARS_BETWEEN_TERMS: Final = 40
"""Numbers that are further apart do not belong to one calculation."""
MAX_CHARS_BEFORE_DURATION: Final = 60
"""Characters between two dates and the duration that is calculated from them."""
CHARS_BEFORE_FROM: Final = 12
"""Characters before a number in which the word `from` is looked for."""
MAX_AMBIGUOUS_TERMS: Final = 4
"""If at most this many terms are ambiguous, such as `1.199`, all combinations of their readings are
tried."""
ROUNDING_TOLERANCE: Final = Fraction(501, 1000)
"""How much a right result may differ from the exact one, in units of its last digit. Rounding the
result makes up one half. The rest is for operands that were rounded, too."""
SECONDS_A_DAY: Final = 86_400
SECONDS_AN_HOUR: Final = 3_600

_OPERATOR_SPELLINGS: Final = str.maketrans(
    {"−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "÷": "/", "≈": "="}
)
_CURRENCY_SIGNS: Final = "$€£"
_OPERATOR_CHARACTERS: Final = "+-*/x()=" + _CURRENCY_SIGNS
"""A piece of the text between two numbers is a word if it has any other character."""
_SIGNS_BESIDE_WORDS: Final = _CURRENCY_SIGNS + " ,;"
"""Signs that are not part of the words between two numbers: `of` in `12 of €48`."""

# Words between the numbers of a calculation: English, German, French, Italian, Dutch, Swedish,
# Danish, Polish and Czech. Short words that mean different things in two languages stand in several
# sets. Which meaning counts follows from the words around them.
_OF_WORDS: Final = frozenset(
    {"of", "out of", "von", "sur", "di", "van", "de", "av", "af", "z", "ze"}
)
"""`12 of 48`"""
_THAT_IS_WORDS: Final = frozenset({"i.e.", "that is", "or", "das sind", "d.h.", "oder", "soit"})
_THAT_IS_SIGNS: Final = frozenset({"=", "("})
"""`12 of 48, i.e. 25 %` and `12 of 48 (25 %)`"""
_FROM_WORDS: Final = frozenset({"from", "von", "vom", "de", "du", "da", "från", "fra", "od", "z"})
_TO_WORDS: Final = frozenset({"to", "auf", "bis", "a", "à", "al", "till", "til", "do", "->", "→"})
_TO_SIGNS: Final = frozenset({"-"})
"""`from 40 to 30` and `from 40 - 30`"""
_LESS_WORDS: Final = frozenset({"less", "minus", "abzüglich", "moins", "menos", "meno", "min"})
_LESS_SIGNS: Final = frozenset({"-"})
"""`1,240 EUR less 5 %` and `1,240 EUR - 5 %`"""
_ENGLISH_CHANGES: Final = frozenset(
    {"loss", "gain", "drop", "fall", "rise", "growth", "difference"}
    | {"increase", "decrease", "decline"}
)
"""`from 40 to 30, a loss of 10`. English only: in other languages, no phrase identifies a change
this reliably."""


@dataclass(frozen=True, slots=True)
class SpelledResult:
    """The result of arithmetic that an answer shows."""

    result: WrittenValue
    operands: tuple[WrittenValue, ...]
    is_right: bool
    text: str
    """The part of the answer from the first operand to the result."""


def spelled_results(answer: str, values: Sequence[WrittenValue]) -> Iterator[SpelledResult]:
    """Yield each result of arithmetic in an answer, given the values of the answer in order."""
    all_numbers = [value for value in values if value.kind is Kind.NUMBER]
    row = _row_of(answer, _with_operators_apart(all_numbers))
    for index in range(len(row.connections)):
        equation = _equation_at(row, index)
        if equation is not None:
            yield equation
        share = _share_or_change_at(row, index)
        if share is not None:
            yield share
    for index in range(len(row.numbers) - 1):
        result = _result_before_terms(answer, row.numbers, index)
        if result is not None:
            yield result
    yield from _durations(answer, values)
    yield from _shifted_moments(answer, values)


def _with_operators_apart(numbers: Sequence[WrittenValue]) -> list[WrittenValue]:
    """Return numbers without the signs that are operators: in `13 -2 = 11`, -2 becomes 2."""
    separated: list[WrittenValue] = []
    for number in numbers:
        touches_number_before = bool(separated) and number.start - separated[-1].end <= 1
        if touches_number_before and number.text.startswith("-"):
            number = replace(
                number,
                text=number.text[1:],
                start=number.start + 1,
                canonical=number.canonical.removeprefix("-"),
            )
        separated.append(number)
    return separated


# What connects two numbers


@dataclass(frozen=True, slots=True)
class Connection:
    """What stands between two numbers of an answer: operators or words.

    Operators: `+` in `3 kg + 4 kg`; `*` and then `)=` in `(3 × 4) = 12`. Words: `of the` in `12 of
    the 48`. Both fields are empty if the numbers do not belong together.
    """

    operators: str = ""
    """Operators and parentheses without blanks: `+`, `)*(`, `)=`."""
    words: str = ""
    """The words in lower case: `of the`."""

    @property
    def is_operator(self) -> bool:
        """True for an operator, maybe with parentheses: `+`, `)*(`; False for `)` and `=`."""
        without_parentheses = self.operators.strip("()")
        return without_parentheses != "" and self.operators.strip("+-*/()") == ""


_NO_CONNECTION: Final = Connection()


@dataclass(frozen=True, slots=True)
class NumberRow:
    """Numbers of an answer in their order, with what stands between them."""

    answer: str
    numbers: tuple[WrittenValue, ...]
    connections: tuple[Connection, ...]
    """The connection at an index stands between the numbers at this index and at the next one."""


def _row_of(answer: str, numbers: Sequence[WrittenValue]) -> NumberRow:
    """Return numbers of an answer with what stands between each and the next one."""
    connections = [_connection(answer, first, second) for first, second in pairwise(numbers)]
    return NumberRow(answer, tuple(numbers), tuple(connections))


def _connection(answer: str, first: WrittenValue, second: WrittenValue) -> Connection:
    """Return what stands between two numbers, without the unit of the first."""
    text = answer[first.end : second.start].casefold().translate(_OPERATOR_SPELLINGS)
    if len(text) > MAX_CHARS_BETWEEN_TERMS or "\n" in text:
        return _NO_CONNECTION
    touches_letter = text[:1].isalpha()
    if touches_letter and not first.unit:  # `2x + 3 = 11`: 2 is a factor of an unknown number
        return _NO_CONNECTION

    pieces = _pieces_without_unit(text, first.unit)
    has_words = any(piece.strip(_OPERATOR_CHARACTERS) for piece in pieces)
    if has_words:
        return Connection(words=" ".join(pieces).strip(_SIGNS_BESIDE_WORDS))
    operators = "".join(pieces).replace("x", "*")  # `3 x 4`
    return Connection(operators=operators.strip(_CURRENCY_SIGNS))


def _pieces_without_unit(text: str, unit: str) -> list[str]:
    """Split a text at blanks and around `=`, and leave out a unit: ` kg =` -> `=`."""
    pieces: list[str] = []
    for piece in text.replace("=", " = ").split():
        word = piece.strip("().,-")
        is_unit = unit != "" and word != "" and unit_of(word) == unit
        if not is_unit:
            pieces.append(piece)
    return pieces


def _is_of(connection: Connection) -> bool:
    return connection.words in _OF_WORDS


def _is_that_is(connection: Connection) -> bool:
    return connection.words in _THAT_IS_WORDS or connection.operators in _THAT_IS_SIGNS


def _is_to(connection: Connection) -> bool:
    return connection.words in _TO_WORDS or connection.operators in _TO_SIGNS


def _is_less_percentage(connection: Connection, share: WrittenValue) -> bool:
    """Return True if a percentage is subtracted, as in `1,240 EUR less 5 %`."""
    is_less = connection.words in _LESS_WORDS or connection.operators in _LESS_SIGNS
    return is_less and share.unit == "%"


def _names_change(connection: Connection) -> bool:
    """Return True if words name the number behind them as a change: `a loss of`, `growth of`."""
    words = connection.words.split()
    if len(words) not in (2, 3):
        return False
    return words[-1] == "of" and words[-2] in _ENGLISH_CHANGES


def _is_behind_from(answer: str, value: WrittenValue) -> bool:
    """Return True if `from` is one of the two words before a value."""
    text_before = answer[max(value.start - CHARS_BEFORE_FROM, 0) : value.start]
    words = text_before.casefold().replace("(", " ").split()
    return not _FROM_WORDS.isdisjoint(words[-2:])


# Equations


def _equation_at(row: NumberRow, index: int) -> SpelledResult | None:
    """Check the equation whose `=` is the connection at an index: `(13.1 - 2.8) * 0.5 = 5.15`.

    Returns None if there is no equation, or one that cannot be calculated.
    """
    # 1. The terms are the numbers before the `=` that operators connect.
    connections = row.connections
    if not connections[index].operators.endswith("="):
        return None
    first = _first_term_of_equation(connections, index)
    if first == index:  # a single number, as in `x = 5`, is not a calculation
        return None
    terms = row.numbers[first : index + 1]
    result = row.numbers[index + 1]

    # 2. They have one unit, apart from percentages and bare numbers.
    units = {number.unit for number in (*terms, result)} - {"", "%"}
    if len(units) > 1:
        return None

    # 3. Calculate `(n0-n1)*n2` with the amounts of the terms in place of the names.
    operators = [connection.operators for connection in connections[first:index]]
    closing_parentheses = connections[index].operators.removesuffix("=")
    expression = _expression_of(operators) + closing_parentheses
    expression = _opening_parentheses(expression, row.answer, terms[0]) + expression
    amounts: list[Fraction] = []
    for reading in _readings(terms):
        amount = _evaluate(expression, reading)
        if amount is not None:
            amounts.append(amount)
    return _judge(row.answer, terms, result, amounts)


def _first_term_of_equation(connections: Sequence[Connection], last: int) -> int:
    """Return the index of the first of the numbers that operators connect with the last term."""
    first = last
    while first > 0 and last - first < MAX_TERMS and connections[first - 1].is_operator:
        first -= 1
    return first


def _opening_parentheses(expression: str, answer: str, first_term: WrittenValue) -> str:
    """Return the parentheses that an expression lacks, if the answer has them before the first
    term.

    `(` for `n0-n1)*n2`, which was made of `(13.1 - 2.8) * 0.5`. Returns "" if they do not stand
    there; the expression is then not valid.
    """
    missing = expression.count(")") - expression.count("(")
    if missing <= 0:
        return ""
    parentheses = "(" * missing
    if answer.endswith(parentheses, 0, first_term.start):
        return parentheses
    return ""


# Shares and changes in words


def _share_or_change_at(row: NumberRow, index: int) -> SpelledResult | None:
    """Check three numbers: `12 of 48, i.e. 25 %`, or `from 40 to 30, a loss of 10`.

    They are the one at an index and the next two.
    """
    if index + 2 >= len(row.numbers):
        return None
    first, second, result = row.numbers[index : index + 3]
    before_second, before_result = row.connections[index : index + 2]
    if first.unit not in ("", second.unit):
        return None

    is_share = _is_of(before_second) and _is_that_is(before_result) and result.unit == "%"
    is_change = (
        _is_to(before_second)
        and _is_behind_from(row.answer, first)
        and _names_change(before_result)
    )
    amounts: list[Fraction] = []
    for first_amount, second_amount in _readings((first, second)):
        if is_share and second_amount:
            amounts.append(100 * first_amount / second_amount)
        if is_change:
            amounts.append(second_amount - first_amount)
        if is_change and first_amount:
            amounts.append(100 * (second_amount - first_amount) / first_amount)
    return _judge(row.answer, (first, second), result, amounts)


# Results before their terms


def _result_before_terms(
    answer: str, numbers: Sequence[WrittenValue], index: int
) -> SpelledResult | None:
    """Return the number at an index, if it is the right result of the terms behind it.

    `45 % (188.80 of 423.80)`, `59 kg: 42 kg and 17 kg`
    """
    result = numbers[index]
    terms = _row_of(answer, _terms_behind(answer, numbers, index))
    if len(terms.numbers) < 2:
        return None
    amounts: list[Fraction] = []
    for reading in _readings(terms.numbers):
        amount = _amount_of_terms(terms, reading)
        if amount is not None:
            amounts.append(amount)
    judged = _judge(answer, terms.numbers, result, amounts)
    if judged is None or not judged.is_right:
        return None
    return replace(judged, text=answer[result.start : terms.numbers[-1].end])


def _terms_behind(
    answer: str, numbers: Sequence[WrittenValue], index: int
) -> tuple[WrittenValue, ...]:
    """Return the numbers in parentheses or after a colon that directly follow the number at an
    index."""
    result = numbers[index]
    next_number = numbers[index + 1]
    text_between = answer[result.end : next_number.start]
    has_sentence_end = "." in text_between.strip(".")
    if len(text_between) > MAX_CHARS_BETWEEN_TERMS or has_sentence_end:
        return ()
    if "(" in text_between:
        end = answer.find(")", next_number.start)
    elif ":" in text_between:
        end = answer.find("\n", next_number.start)
    else:
        return ()
    if end < 0:
        end = len(answer)
    terms = numbers[index + 1 : index + 1 + MAX_TERMS]
    return tuple(term for term in terms if term.start < end)


def _amount_of_terms(terms: NumberRow, amounts: Sequence[Fraction]) -> Fraction | None:
    """Return the result of terms by the operators or words between them, or else their sum.

    `amounts` has one reading of each term. Returns None if it is unknown how the terms are
    connected.
    """
    if all(connection.is_operator for connection in terms.connections):
        operators = [connection.operators for connection in terms.connections]
        return _evaluate(_expression_of(operators), amounts)

    amount: Fraction | None = None
    if len(amounts) == 2:
        amount = _amount_of_pair(terms, amounts)
    elif len(amounts) == 3:
        amount = _product_less_percentage(terms, amounts)
    if amount is not None:
        return amount

    # A list such as `185 kg, 42 kg and 12 kg` is a sum, if all its terms have one unit.
    units = {term.unit for term in terms.numbers}
    if len(units) == 1:
        return sum(amounts, Fraction(0))
    return None


def _amount_of_pair(terms: NumberRow, amounts: Sequence[Fraction]) -> Fraction | None:
    """Return the result of two terms by the words between them; None if the words name no
    operation."""
    first_term, second_term = terms.numbers
    first, second = amounts
    connection = terms.connections[0]
    if _is_less_percentage(connection, second_term):  # `1,240 EUR less 5 %`
        return first * (1 - second / 100)
    if _is_of(connection) and second:  # `188.80 of 423.80`, in percent
        return 100 * first / second
    if _is_to(connection) and _is_behind_from(terms.answer, first_term):  # `from 40 to 30`
        return second - first
    return None


def _product_less_percentage(terms: NumberRow, amounts: Sequence[Fraction]) -> Fraction | None:
    """Return the amount of `3 x 40 EUR less 5 %`; None if three terms are connected otherwise."""
    before_price, before_percentage = terms.connections
    is_product = before_price.operators == "*"
    if not is_product or not _is_less_percentage(before_percentage, terms.numbers[2]):
        return None
    count, price, percentage = amounts
    return count * price * (1 - percentage / 100)


# Comparing a result with what its operands give


@dataclass(frozen=True, slots=True)
class _ResultReading:
    """One number that a stated result may mean."""

    amount: Fraction
    last_digit: Fraction
    """What one more in the last digit would add: 1/10 for `5.2`, 100 for `1,200`."""

    def times(self, factor: Fraction) -> _ResultReading:
        return _ResultReading(self.amount * factor, self.last_digit * factor)

    def is_near(self, amount: Fraction) -> bool:
        """Return True if an amount rounds to this one. Signs are ignored."""
        difference = abs(abs(amount) - abs(self.amount))
        return difference <= self.last_digit * ROUNDING_TOLERANCE


def _judge(
    answer: str,
    operands: tuple[WrittenValue, ...],
    result: WrittenValue,
    amounts: Sequence[Fraction],
) -> SpelledResult | None:
    """Compare a stated result with the possible exact ones. Returns None if there are none."""
    if not amounts or len(result.canonical) > MOST_DIGITS:
        return None
    has_percentage = any(value.unit == "%" for value in (*operands, result))
    readings = _result_readings(result, may_be_share=has_percentage)
    is_right = False
    for amount in amounts:
        if any(reading.is_near(amount) for reading in readings):
            is_right = True
    return SpelledResult(result, operands, is_right, answer[operands[0].start : result.end])


def _result_readings(result: WrittenValue, *, may_be_share: bool) -> list[_ResultReading]:
    """Return the numbers that a result may mean: 1.199 and 1199 for `1.199`.

    In a calculation with percentages, 25 may also be meant as 0.25, and 0.25 as 25.
    """
    readings = [_result_reading(result.canonical, result.decimals)]
    if result.other_canonical:
        readings.append(_result_reading(result.other_canonical, result.other_decimals))
    if not may_be_share:
        return readings
    shares = [reading.times(Fraction(1, 100)) for reading in readings]
    percentages = [reading.times(Fraction(100)) for reading in readings]
    return readings + shares + percentages


def _result_reading(canonical: str, decimals: int) -> _ResultReading:
    """Return a result with its last digit; `1,200` may be rounded to hundreds."""
    if decimals == 0 and canonical != "0":
        closing_zeros = len(canonical) - len(canonical.rstrip("0"))
        decimals = -closing_zeros
    return _ResultReading(Fraction(canonical), Fraction(10) ** -decimals)


def _readings(terms: Sequence[WrittenValue]) -> Iterator[tuple[Fraction, ...]]:
    """Yield the amounts of terms, once for each combination of their readings.

    `1.199` may be 1199 or 1.199. If many terms are ambiguous, only their first readings count. A
    term with too many digits to calculate with has no amount, so nothing is yielded.
    """
    ambiguous_terms = sum(1 for term in terms if term.other_canonical)
    amounts_by_term: list[list[Fraction]] = []
    for term in terms:
        spellings = [term.canonical]
        if term.other_canonical and ambiguous_terms <= MAX_AMBIGUOUS_TERMS:
            spellings.append(term.other_canonical)
        amounts = [Fraction(spelling) for spelling in spellings if len(spelling) <= MOST_DIGITS]
        amounts_by_term.append(amounts)
    yield from product(*amounts_by_term)


def _expression_of(operators: Sequence[str]) -> str:
    """Return an expression of named terms: `+` and `)*` -> `n0+n1)*n2`."""
    expression = "n0"
    for index, operator in enumerate(operators, start=1):
        expression += f"{operator}n{index}"
    return expression


def _evaluate(expression: str, terms: Sequence[Fraction]) -> Fraction | None:
    """Return the exact result of an expression over `n0`, `n1`, …; None if it is not valid."""
    try:
        tree = parse_expression(expression)
    except (SyntaxError, RecursionError, MemoryError):
        return None
    amounts_by_name = {f"n{index}": amount for index, amount in enumerate(terms)}
    return _result_of(tree.body, amounts_by_name)


def _result_of(node: ast.expr, amounts: Mapping[str, Fraction]) -> Fraction | None:
    """Evaluate a name or one of the four operations; None for anything else, or a division by 0."""
    if isinstance(node, ast.Name):
        return amounts.get(node.id)
    if not isinstance(node, ast.BinOp):
        return None
    left = _result_of(node.left, amounts)
    right = _result_of(node.right, amounts)
    if left is None or right is None:
        return None
    match node.op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div() if right:
            return left / right
    return None


# Durations between dates or times


def _durations(answer: str, values: Sequence[WrittenValue]) -> Iterator[SpelledResult]:
    """Yield right durations behind two dates or times: `from 3 May to 12 May, 9 days`."""
    for index in range(len(values) - 2):
        first = values[index]
        second = values[index + 1]
        duration = values[index + 2]
        is_near = duration.start - first.end < MAX_CHARS_BEFORE_DURATION
        seconds = _seconds_of_duration(duration)
        if not is_near or seconds is None or not _are_comparable(first, second):
            continue
        if _seconds_between(first, second) == seconds:
            text = answer[first.start : duration.end]
            yield SpelledResult(duration, (first, second), is_right=True, text=text)


def _shifted_moments(answer: str, values: Sequence[WrittenValue]) -> Iterator[SpelledResult]:
    """Yield dates and times that lie a stated duration from another one on the same line.

    `ordered on 3 May, delivered 9 days later, on 12 May`
    """
    for index, duration in enumerate(values):
        seconds = _seconds_of_duration(duration)
        if seconds is None:
            continue
        # Both moments are among the two values before the duration and the two behind it.
        neighbours = values[max(index - 2, 0) : index + 3]
        for first, second in permutations(neighbours, 2):
            if not _are_comparable(first, second) or _seconds_between(first, second) != seconds:
                continue
            start = min(first.start, duration.start, second.start)
            end = max(first.end, duration.end, second.end)
            text = answer[start:end]
            if "\n" not in text:
                yield SpelledResult(second, (first, duration), is_right=True, text=text)


def _seconds_of_duration(value: WrittenValue) -> Fraction | None:
    """Return the seconds of `9 days` or `1.5 h`; None if a value is not a duration."""
    unit = UNIT_BY_NAME.get(value.unit)
    if unit is None or unit.quantity != "duration" or len(value.canonical) > MOST_DIGITS:
        return None
    return Fraction(value.canonical) * unit.size


def _are_comparable(first: WrittenValue, second: WrittenValue) -> bool:
    """Return True if two values are both dates, or both times of day."""
    return first.kind is second.kind and first.kind in (Kind.DATE, Kind.TIME)


def _seconds_between(first: WrittenValue, second: WrittenValue) -> int | None:
    """Return how far two dates, or two times of day, are apart; None if no year is known.

    A date without a year is in the year of the other one.
    """
    if first.kind is Kind.TIME:
        return abs(_seconds_since_midnight(second) - _seconds_since_midnight(first))
    known_year = _year_of(first) or _year_of(second)
    if not known_year:
        return None
    first_date = _date_in(known_year, first)
    second_date = _date_in(known_year, second)
    if first_date is None or second_date is None:
        return None
    return abs((second_date - first_date).days) * SECONDS_A_DAY


def _year_of(value: WrittenValue) -> str:
    """Return the year of a date, or "" for one without a year, such as `--03-12`."""
    if value.canonical.startswith("-"):
        return ""
    return value.canonical[: len("2026")]


def _date_in(year: str, value: WrittenValue) -> date | None:
    """Return the date of a value, in a year if it has none: `--03-12` in 2026 -> 2026-03-12.

    Returns None for 29 February in a year without that day.
    """
    text = value.canonical
    if text.startswith("-"):
        text = f"{year}{text[1:]}"
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _seconds_since_midnight(time: WrittenValue) -> int:
    """Return the seconds of `17:10` or `17:10:05`."""
    parts = time.canonical.split(":")
    seconds = int(parts[2]) if len(parts) > 2 else 0
    return SECONDS_AN_HOUR * int(parts[0]) + 60 * int(parts[1]) + seconds
