"""Checks arithmetic that an answer spells out, by doing it again.

Four ways of writing are known:

- an equation: `300 + 470 = 770`;
- a share or a change in words: `12 of 48, i.e. 25 %`, `from 40 to 30, a loss of 10`;
- a result before its terms: `45 % (188.80 of 423.80)`, `239 kg: 185 kg, 42 kg and 12 kg`;
- dates or times a duration apart: `from 3 May to 12 May, 9 days`.

Only equations and shares in words can be found wrong. In the other two, a result that differs may
be about something else, so that only right results are reported.
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
"""Terms with two readings of which all combinations are tried."""
ROUNDING_TOLERANCE: Final = Fraction(501, 1000)
"""Half a unit of the last digit, and a little more, because operands may be rounded as well."""
SECONDS_A_DAY: Final = 86_400
SECONDS_AN_HOUR: Final = 3_600

_OPERATOR_SPELLINGS: Final = str.maketrans(
    {"−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "÷": "/", "≈": "="}
)
_OPERATOR_CHARACTERS: Final = "+-*/x()=$€£"
_CURRENCY_SIGNS: Final = "$€£"

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
"""`from 40 to 30, a loss of 10`. Elsewhere than in English, nothing tells a change so surely from
another number that follows."""


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
    numbers = _with_operators_apart(all_numbers)
    connections = _connections(answer, numbers)
    for index in range(len(connections)):
        equation = _equation_at(answer, numbers, connections, index)
        if equation is not None:
            yield equation
        share = _share_or_change_at(answer, numbers, connections, index)
        if share is not None:
            yield share
    for index in range(len(numbers) - 1):
        result = _result_before_terms(answer, numbers, index)
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
    """What stands between two numbers; both fields are empty if these do not belong together."""

    operators: str = ""
    """Operators and parentheses without blanks, if no word stands between: `+`, `)*(`, `)=`."""
    words: str = ""
    """The words in lower case: `of the`."""

    @property
    def is_operator(self) -> bool:
        """True for an operator, maybe with parentheses: `+`, `)*(`; False for `)` and `=`."""
        without_parentheses = self.operators.strip("()")
        return without_parentheses != "" and self.operators.strip("+-*/()") == ""


def _connections(answer: str, numbers: Sequence[WrittenValue]) -> list[Connection]:
    """Return what stands between each number and the next one."""
    return [_connection(answer, first, second) for first, second in pairwise(numbers)]


def _connection(answer: str, first: WrittenValue, second: WrittenValue) -> Connection:
    """Return what stands between two numbers, without the unit of the first.

    `3 kg + 4 kg` -> operators `+`; `(3 × 4) = 12` -> operators `*` and `)=`; `12 of the 48` -> words
    `of the`.
    """
    text = answer[first.end : second.start].casefold().translate(_OPERATOR_SPELLINGS)
    is_factor_of_unknown = text[:1].isalpha() and not first.unit  # `2x + 3 = 11`
    if len(text) > MAX_CHARS_BETWEEN_TERMS or "\n" in text or is_factor_of_unknown:
        return Connection()

    pieces: list[str] = []
    has_words = False
    for piece in text.replace("=", " = ").split():
        word = piece.strip("().,-")
        is_unit_of_first = first.unit != "" and word != "" and unit_of(word) == first.unit
        if is_unit_of_first:
            continue
        pieces.append(piece)
        if piece.strip(_OPERATOR_CHARACTERS):
            has_words = True

    if has_words:
        return Connection(words=" ".join(pieces).strip(_CURRENCY_SIGNS + " ,;"))
    operators = "".join(pieces).replace("x", "*")  # `3 x 4`
    return Connection(operators=operators.strip(_CURRENCY_SIGNS))


def _is_of(connection: Connection) -> bool:
    return connection.words in _OF_WORDS


def _is_that_is(connection: Connection) -> bool:
    return connection.words in _THAT_IS_WORDS or connection.operators in _THAT_IS_SIGNS


def _is_to(connection: Connection) -> bool:
    return connection.words in _TO_WORDS or connection.operators in _TO_SIGNS


def _is_less_percentage(connection: Connection, share: WrittenValue) -> bool:
    """Say whether a percentage is taken off, as in `1,240 EUR less 5 %`."""
    is_less = connection.words in _LESS_WORDS or connection.operators in _LESS_SIGNS
    return is_less and share.unit == "%"


def _names_change(connection: Connection) -> bool:
    """Say whether words name the number behind them as a change: `a loss of`, `growth of`."""
    words = connection.words.split()
    if len(words) not in (2, 3):
        return False
    return words[-1] == "of" and words[-2] in _ENGLISH_CHANGES


def _is_behind_from(answer: str, value: WrittenValue) -> bool:
    """Say whether `from` is one of the two words before a value."""
    text_before = answer[max(value.start - CHARS_BEFORE_FROM, 0) : value.start]
    words = text_before.casefold().replace("(", " ").split()
    return not _FROM_WORDS.isdisjoint(words[-2:])


# Equations


def _equation_at(
    answer: str,
    numbers: Sequence[WrittenValue],
    connections: Sequence[Connection],
    equals_sign: int,
) -> SpelledResult | None:
    """Check the equation whose `=` is the connection at an index: `(13.1 - 2.8) * 0.5 = 5.15`.

    Returns None if there is no equation, or one that cannot be calculated.
    """
    # 1. The terms are the numbers before the `=` that operators connect.
    if not connections[equals_sign].operators.endswith("="):
        return None
    last = equals_sign
    first = last
    while first > 0 and last - first < MAX_TERMS and connections[first - 1].is_operator:
        first -= 1
    if first == last:
        return None
    terms = tuple(numbers[first : last + 1])
    result = numbers[last + 1]

    # 2. They have one unit, apart from percentages and bare numbers.
    units = {number.unit for number in (*terms, result)} - {"", "%"}
    if len(units) > 1:
        return None

    # 3. Calculate `(n0-n1)*n2` with the amounts of the terms in place of the names.
    operators = [connection.operators for connection in connections[first:last]]
    closing = connections[last].operators.removesuffix("=")
    expression = _with_opening_parentheses(_expression_of(operators) + closing, terms[0], answer)
    amounts: list[Fraction] = []
    for reading in _readings(terms):
        amount = _evaluate(expression, reading)
        if amount is not None:
            amounts.append(amount)
    return _judge(answer, terms, result, amounts)


def _with_opening_parentheses(expression: str, first_term: WrittenValue, answer: str) -> str:
    """Return an expression with the parentheses that the answer opens before its first term.

    `n0-n1)*n2` -> `(n0-n1)*n2` for the answer `(13.1 - 2.8) * 0.5 = 5.15`. An expression whose
    parentheses do not match stays invalid.
    """
    missing = expression.count(")") - expression.count("(")
    start = first_term.start
    if missing > 0 and answer[max(start - missing, 0) : start] == "(" * missing:
        return "(" * missing + expression
    return expression


# Shares and changes in words


def _share_or_change_at(
    answer: str,
    numbers: Sequence[WrittenValue],
    connections: Sequence[Connection],
    index: int,
) -> SpelledResult | None:
    """Check three numbers from an index on: `12 of 48, i.e. 25 %`, `from 40 to 30, a loss of 10`."""
    if index + 2 >= len(numbers):
        return None
    first = numbers[index]
    second = numbers[index + 1]
    result = numbers[index + 2]
    if first.unit not in ("", second.unit):
        return None

    is_share = (
        _is_of(connections[index]) and _is_that_is(connections[index + 1]) and result.unit == "%"
    )
    is_change = (
        _is_to(connections[index])
        and _is_behind_from(answer, first)
        and _names_change(connections[index + 1])
    )
    amounts: list[Fraction] = []
    for first_amount, second_amount in _readings((first, second)):
        if is_share and second_amount:
            amounts.append(100 * first_amount / second_amount)
        if is_change:
            amounts.append(second_amount - first_amount)
        if is_change and first_amount:
            amounts.append(100 * (second_amount - first_amount) / first_amount)
    return _judge(answer, (first, second), result, amounts)


# Results before their terms


def _result_before_terms(
    answer: str, numbers: Sequence[WrittenValue], index: int
) -> SpelledResult | None:
    """Return a right result before its terms: `45 % (188.80 of 423.80)`, `59 kg: 42 kg and 17 kg`."""
    result = numbers[index]
    terms = _terms_behind(answer, numbers, index)
    if len(terms) < 2:
        return None
    connections = _connections(answer, terms)
    amounts: list[Fraction] = []
    for reading in _readings(terms):
        amount = _amount_of_terms(answer, terms, reading, connections)
        if amount is not None:
            amounts.append(amount)
    judged = _judge(answer, terms, result, amounts)
    if judged is None or not judged.is_right:
        return None
    return replace(judged, text=answer[result.start : terms[-1].end])


def _terms_behind(
    answer: str, numbers: Sequence[WrittenValue], index: int
) -> tuple[WrittenValue, ...]:
    """Return the numbers in the parentheses, or behind the colon, that follow a number."""
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


def _amount_of_terms(
    answer: str,
    terms: Sequence[WrittenValue],
    amounts: Sequence[Fraction],
    connections: Sequence[Connection],
) -> Fraction | None:
    """Return what terms give by their operators, as a share or change, or else as a sum."""
    if all(connection.is_operator for connection in connections):
        operators = [connection.operators for connection in connections]
        return _evaluate(_expression_of(operators), amounts)

    first = amounts[0]
    second = amounts[1]
    is_product_less_share = (
        len(terms) == 3
        and connections[0].operators == "*"
        and _is_less_percentage(connections[1], terms[2])
    )
    if is_product_less_share:  # `3 x 40 EUR less 5 %`
        return first * second * (1 - amounts[2] / 100)
    if len(terms) == 2 and _is_less_percentage(connections[0], terms[1]):
        return first * (1 - second / 100)
    if len(terms) == 2 and _is_of(connections[0]) and second:
        return 100 * first / second
    if len(terms) == 2 and _is_to(connections[0]) and _is_behind_from(answer, terms[0]):
        return second - first

    units = {term.unit for term in terms}
    if len(units) == 1:
        return sum(amounts, Fraction(0))
    return None


# Comparing a result with what its operands give


def _judge(
    answer: str,
    operands: tuple[WrittenValue, ...],
    result: WrittenValue,
    amounts: Sequence[Fraction],
) -> SpelledResult | None:
    """Compare a result with the amounts that its operands may give; None without any amount.

    Signs do not count, and a percentage may be meant as a share: 25 % is 25 or 0.25.
    """
    if not amounts or len(result.canonical) > MOST_DIGITS:
        return None
    factors = [Fraction(1)]
    if any(value.unit == "%" for value in (*operands, result)):
        factors += [Fraction(1, 100), Fraction(100)]
    is_right = False
    for amount in amounts:
        for factor in factors:
            if _is_up_to_rounding(abs(amount), result, factor):
                is_right = True
    return SpelledResult(result, operands, is_right, answer[operands[0].start : result.end])


def _is_up_to_rounding(amount: Fraction, result: WrittenValue, factor: Fraction) -> bool:
    """Say whether an amount is a stated result times a factor, up to the rounding of the result."""
    if _is_near(amount, result.canonical, result.decimals, factor):
        return True
    if not result.other_canonical:
        return False
    return _is_near(amount, result.other_canonical, result.other_decimals, factor)


def _is_near(amount: Fraction, canonical: str, decimals: int, factor: Fraction) -> bool:
    """Say whether an amount is one reading of a result; `1,200` may be rounded to hundreds."""
    if decimals == 0 and canonical != "0":
        closing_zeros = len(canonical) - len(canonical.rstrip("0"))
        decimals = -closing_zeros
    last_digit = Fraction(10) ** -decimals * factor
    difference = abs(amount - abs(Fraction(canonical)) * factor)
    return difference <= last_digit * ROUNDING_TOLERANCE


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
    """Say whether two values are both dates, or both times of day."""
    return first.kind is second.kind and first.kind in (Kind.DATE, Kind.TIME)


def _seconds_between(first: WrittenValue, second: WrittenValue) -> int | None:
    """Return how far two dates, or two times of day, are apart; None if no year is known.

    A date without a year is in the year of the other one.
    """
    if first.kind is Kind.TIME:
        return abs(_seconds_since_midnight(second) - _seconds_since_midnight(first))
    known_year = max(first.canonical[:4], second.canonical[:4])  # digits sort behind `--03`
    if known_year.startswith("-"):
        return None
    first_date = _date_in(known_year, first)
    second_date = _date_in(known_year, second)
    if first_date is None or second_date is None:
        return None
    return abs((second_date - first_date).days) * SECONDS_A_DAY


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
