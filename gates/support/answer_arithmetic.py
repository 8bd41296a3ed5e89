"""Recalculates the arithmetic that an answer shows, and reports whether each result is
right.

It recognizes four ways of writing a calculation:

- an equation: `300 + 470 = 770`;
- a share or a change in words: `12 of 48, i.e. 25 %`, `from 40 to 30, a loss of 10`;
- a result before its terms: `45 % (188.80 of 423.80)`, `239 kg: 185 kg, 42 kg and 12
  kg`;
- dates or times a duration apart: `from 3 May to 12 May, 9 days`.

Wrong results are reported only for the first two. In the other two, a different number
may be unrelated to the calculation, so only right results are reported.

A number such as `1.199` may mean 1199 or 1.199. A result is right if any of these
readings is.
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
from controlplane.gates.values.value_kinds import (
    Kind,
    WrittenValue,
    day_of_date,
    year_of_date,
)

MAX_TERMS: Final = 12
"""The longest calculation that is checked, in numbers."""
MAX_CHARS_BETWEEN_TERMS: Final = 40
"""Numbers that are further apart do not belong to one calculation."""
MAX_CHARS_BEFORE_DURATION: Final = 60
"""Characters between the first of two dates and the duration that is calculated from
them."""
CHARS_BEFORE_FROM: Final = 12
"""Characters before a number in which the word `from` is looked for."""
MAX_AMBIGUOUS_TERMS: Final = 4
"""If at most this many terms are ambiguous, such as `1.199`, all combinations of their
readings are tried."""
ROUNDING_TOLERANCE: Final = Fraction(501, 1000)
"""How much a right result may differ from the exact one, in units of its last digit:
one half, for rounding the result, and a little more for operands that were rounded,
too."""
SECONDS_A_DAY: Final = 86_400
SECONDS_AN_HOUR: Final = 3_600


@dataclass(frozen=True, slots=True)
class ShownResult:
    """The result of arithmetic that an answer shows."""

    result: WrittenValue
    operands: tuple[WrittenValue, ...]
    is_right: bool
    text: str
    """The part of the answer from the first operand to the result."""


def shown_results(answer: str, values: Sequence[WrittenValue]) -> Iterator[ShownResult]:
    """Yield each result of arithmetic in an answer, given the values of the answer in
    order."""
    all_numbers = [value for value in values if value.kind is Kind.NUMBER]
    connected = _connected(answer, _with_operators_apart(all_numbers))
    for index in range(len(connected.connections)):
        equation = _equation_at(connected, index)
        if equation is not None:
            yield equation
        share_or_change = _share_or_change_at(connected, index)
        if share_or_change is not None:
            yield share_or_change
    for index in range(len(connected.numbers) - 1):
        result = _result_before_terms(answer, connected.numbers, index)
        if result is not None:
            yield result
    yield from _durations(answer, values)
    yield from _shifted_moments(answer, values)


def _with_operators_apart(numbers: Sequence[WrittenValue]) -> list[WrittenValue]:
    """Return numbers without the signs that are operators: in `13 -2 = 11`, -2 becomes
    2."""
    separated: list[WrittenValue] = []
    for number in numbers:
        touches_number_before = (
            bool(separated) and number.start - separated[-1].end <= 1
        )
        if touches_number_before and number.text.startswith("-"):
            number = replace(
                number,
                text=number.text[1:],
                start=number.start + 1,
                canonical=number.canonical.removeprefix("-"),
            )
        separated.append(number)
    return separated


# What connects two numbers: operators, as in `3 + 4`, or words, as in `12 of 48`

_OPERATOR_SPELLINGS: Final = str.maketrans(
    {"−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "÷": "/", "≈": "="}
)
_CURRENCY_SIGNS: Final = "$€£"
_OPERATOR_CHARACTERS: Final = frozenset("+-*/x()=" + _CURRENCY_SIGNS)
"""The characters between the numbers of `(3 x $4) = $12`. With any other one, a piece
is a word."""


@dataclass(frozen=True, slots=True)
class Connection:
    """What stands between two numbers of an answer: operators or words.

    Operators: `+` in `3 kg + 4 kg`; `*` and then `)=` in `(3 × 4) = 12`. Words: `of
    the` in `12 of the 48`. Both fields are empty if the numbers do not belong together.
    """

    operators: str = ""
    """Operators and parentheses without blanks: `+`, `)*(`, `)=`."""
    words: str = ""
    """The words in lower case: `of the`."""

    @property
    def is_operator(self) -> bool:
        """True for one or several of `+-*/`, maybe with parentheses: `+`, `)*(`, but
        not `)=`."""
        without_parentheses = self.operators.replace("(", "").replace(")", "")
        return without_parentheses != "" and set(without_parentheses) <= set("+-*/")


_NO_CONNECTION: Final = Connection()


@dataclass(frozen=True, slots=True)
class ConnectedNumbers:
    """Numbers of an answer in their order, with what stands between them."""

    answer: str
    numbers: tuple[WrittenValue, ...]
    connections: tuple[Connection, ...]
    """What stands between neighbours: `connections[i]` between `numbers[i]` and
    `numbers[i + 1]`."""


def _connected(answer: str, numbers: Sequence[WrittenValue]) -> ConnectedNumbers:
    """Return numbers of an answer with what stands between each and the next one."""
    connections = [
        _connection(answer, first, second) for first, second in pairwise(numbers)
    ]
    return ConnectedNumbers(answer, tuple(numbers), tuple(connections))


def _connection(answer: str, first: WrittenValue, second: WrittenValue) -> Connection:
    """Return what stands between two numbers, without the unit of the first.

    - `12 of €48` has the words `of`.
    - `3 kg + 4 kg` has the operator `+`, and `$3 x $4` has `*`.
    - `2x + 3` has no connection: 2 is not a term, but a factor of an unknown number.
    """
    text = answer[first.end : second.start].casefold().translate(_OPERATOR_SPELLINGS)
    if len(text) > MAX_CHARS_BETWEEN_TERMS or "\n" in text:
        return _NO_CONNECTION
    is_factor_of_unknown = text[:1].isalpha() and not first.unit
    if is_factor_of_unknown:
        return _NO_CONNECTION

    pieces = _pieces_without_unit(text, first.unit)
    if any(_is_word(piece) for piece in pieces):
        return Connection(words=" ".join(pieces).strip(_CURRENCY_SIGNS + " ,;"))
    operators = "".join(pieces).strip(_CURRENCY_SIGNS)
    return Connection(operators=operators.replace("x", "*"))


def _pieces_without_unit(text: str, unit: str) -> list[str]:
    """Split a text at blanks and around `=`, and leave out a unit: ` kg =` -> `=`."""
    pieces: list[str] = []
    for piece in text.replace("=", " = ").split():
        word = piece.strip("().,-")
        is_unit = unit != "" and word != "" and unit_of(word) == unit
        if not is_unit:
            pieces.append(piece)
    return pieces


def _is_word(piece: str) -> bool:
    return not _OPERATOR_CHARACTERS.issuperset(piece)


# The words are English, German, French, Italian, Dutch, Swedish, Danish, Polish and
# Czech. Some are in two sets: `de` is "of" in French and "from" in Spanish. The other
# words of a calculation decide which one is meant.

_OF_WORDS: Final = frozenset(
    {"of", "out of", "von", "sur", "di", "van", "de", "av", "af", "z", "ze"}
)
_THAT_IS_WORDS: Final = frozenset(
    {"i.e.", "that is", "or", "das sind", "d.h.", "oder", "soit"}
)
_THAT_IS_SIGNS: Final = frozenset({"=", "("})
_FROM_WORDS: Final = frozenset(
    {"from", "von", "vom", "de", "du", "da", "från", "fra", "od", "z"}
)
_TO_WORDS: Final = frozenset(
    {"to", "auf", "bis", "a", "à", "al", "till", "til", "do", "->", "→"}
)
_TO_SIGNS: Final = frozenset({"-"})
_LESS_WORDS: Final = frozenset(
    {"less", "minus", "abzüglich", "moins", "menos", "meno", "min"}
)
_LESS_SIGNS: Final = frozenset({"-"})
_ENGLISH_CHANGES: Final = frozenset(
    {"loss", "gain", "drop", "fall", "rise", "growth", "difference"}
    | {"increase", "decrease", "decline"}
)
"""The nouns of `a loss of 10`. English only: other languages have no phrase as
reliable."""


def _has_word_for_of(connection: Connection) -> bool:
    """Return True for the `of` in `12 of 48`, in any of the languages."""
    return connection.words in _OF_WORDS


def _has_word_for_that_is(connection: Connection) -> bool:
    """Return True for the `i.e.` in `12 of 48, i.e. 25 %`, and for the sign in `12 of
    48 (25 %)`."""
    return connection.words in _THAT_IS_WORDS or connection.operators in _THAT_IS_SIGNS


def _has_word_for_to(connection: Connection) -> bool:
    """Return True for the `to` in `from 40 to 30`, and for the sign in `from 40 -
    30`."""
    return connection.words in _TO_WORDS or connection.operators in _TO_SIGNS


def _subtracts_percentage(connection: Connection, second: WrittenValue) -> bool:
    """Return True if the second number is a percentage to subtract: `1,240 EUR less 5
    %`."""
    is_less = connection.words in _LESS_WORDS or connection.operators in _LESS_SIGNS
    return is_less and second.unit == "%"


def _names_change(connection: Connection) -> bool:
    """Return True if words name the number behind them as a change: `a loss of`,
    `growth of`."""
    words = connection.words.split()
    if len(words) not in (2, 3):
        return False
    return words[-1] == "of" and words[-2] in _ENGLISH_CHANGES


def _follows_word_for_from(answer: str, value: WrittenValue) -> bool:
    """Return True if `from` is one of the two words before a value."""
    text_before = answer[max(value.start - CHARS_BEFORE_FROM, 0) : value.start]
    words = text_before.casefold().replace("(", " ").split()
    return not _FROM_WORDS.isdisjoint(words[-2:])


# Equations


def _equation_at(connected: ConnectedNumbers, last: int) -> ShownResult | None:
    """Check the equation whose last term is at an index: 0.5 in `(13.1 - 2.8) * 0.5 =
    5.15`.

    Returns None if no `=` follows this number, or if the equation cannot be calculated.
    """
    before_result = connected.connections[last].operators
    if not before_result.endswith("="):
        return None
    first = _first_term_of_equation(connected.connections, last)
    if first == last:  # a single number, as in `x = 5`, is not a calculation
        return None
    terms = connected.numbers[first : last + 1]  # 13.1, 2.8 and 0.5
    between_terms = connected.connections[first:last]  # `-` and `)*`
    result = connected.numbers[last + 1]

    # 1. Terms and result must have one unit, apart from percentages and bare numbers.
    units = {number.unit for number in (*terms, result)} - {"", "%"}
    if len(units) > 1:
        return None

    # 2. Write the calculation with names for its terms: `(n0-n1)*n2`.
    operators = [connection.operators for connection in between_terms]
    closing_parentheses = before_result.removesuffix("=")
    expression = _with_first_parentheses(
        _expression_of(operators) + closing_parentheses,
        text_before=connected.answer[: terms[0].start],
    )
    if expression is None:
        return None

    # 3. Calculate it for each reading of the terms.
    exact_results: list[Fraction] = []
    for amounts in _amounts_of(terms):
        exact_result = _evaluate(expression, amounts)
        if exact_result is not None:
            exact_results.append(exact_result)
    return _shown_result(connected.answer, terms, result, exact_results)


def _with_first_parentheses(expression: str, text_before: str) -> str | None:
    """Add the parentheses that open before the first term: `n0-n1)*n2` -> `(n0-n1)*n2`.

    They do not stand between two numbers, so they are missing so far. Returns None if
    the answer does not have them before the first term.
    """
    unopened = expression.count(")") - expression.count("(")
    parentheses = "(" * max(unopened, 0)
    if not text_before.endswith(parentheses):
        return None
    return parentheses + expression


def _first_term_of_equation(connections: Sequence[Connection], last: int) -> int:
    """Return the index of the first of the numbers that operators connect with the last
    term."""
    first = last
    while first > 0 and last - first < MAX_TERMS and connections[first - 1].is_operator:
        first -= 1
    return first


# Shares and changes in words


def _share_or_change_at(connected: ConnectedNumbers, index: int) -> ShownResult | None:
    """Check the number at an index and the next two: `12 of 48, i.e. 25 %`, or `from 40
    to 30, a loss of 10`."""
    has_three_numbers = index + 2 < len(connected.numbers)
    if not has_three_numbers:
        return None
    first, second, result = connected.numbers[index : index + 3]  # 12, 48 and 25 %
    before_second = connected.connections[index]  # `of`
    before_result = connected.connections[index + 1]  # `i.e.`
    has_other_unit = first.unit != "" and first.unit != second.unit
    if has_other_unit:
        return None

    is_share = (
        _has_word_for_of(before_second)
        and _has_word_for_that_is(before_result)
        and result.unit == "%"
    )
    is_change = (
        _has_word_for_to(before_second)
        and _follows_word_for_from(connected.answer, first)
        and _names_change(before_result)
    )
    # A change may be stated as a difference or as a percentage: `a loss of 10`, `a loss
    # of 25 %`.
    exact_results: list[Fraction] = []
    for first_amount, second_amount in _amounts_of((first, second)):
        if is_share and second_amount:
            exact_results.append(100 * first_amount / second_amount)
        if is_change:
            exact_results.append(second_amount - first_amount)
        if is_change and first_amount:
            exact_results.append(100 * (second_amount - first_amount) / first_amount)
    return _shown_result(connected.answer, (first, second), result, exact_results)


# Results before their terms


def _result_before_terms(
    answer: str, numbers: Sequence[WrittenValue], index: int
) -> ShownResult | None:
    """Return the number at an index, if it is the right result of the terms behind it.

    `45 % (188.80 of 423.80)`, `59 kg: 42 kg and 17 kg`
    """
    result = numbers[index]
    terms = _connected(answer, _terms_behind(answer, numbers, index))
    if len(terms.numbers) < 2:
        return None
    exact_results: list[Fraction] = []
    for amounts in _amounts_of(terms.numbers):
        exact_result = _exact_result(terms, amounts)
        if exact_result is not None:
            exact_results.append(exact_result)
    shown = _shown_result(answer, terms.numbers, result, exact_results)
    if shown is None or not shown.is_right:
        return None
    return replace(shown, text=answer[result.start : terms.numbers[-1].end])


def _terms_behind(
    answer: str, numbers: Sequence[WrittenValue], index: int
) -> tuple[WrittenValue, ...]:
    """Return the numbers in parentheses or after a colon that directly follow the
    number at an index."""
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


def _exact_result(
    terms: ConnectedNumbers, amounts: Sequence[Fraction]
) -> Fraction | None:
    """Return the result of terms, given the amount of each: 3 for `2 + 1`, and for `2
    kg and 1 kg`.

    Returns None if the terms are not connected in a known way.
    """
    # 1. Operators: `2 * 5 + 7`.
    if all(connection.is_operator for connection in terms.connections):
        operators = [connection.operators for connection in terms.connections]
        return _evaluate(_expression_of(operators), amounts)

    # 2. Words: `188.80 of 423.80`.
    exact_result: Fraction | None = None
    if len(amounts) == 2:
        exact_result = _result_of_pair(terms, amounts)
    if len(amounts) == 3:
        exact_result = _product_less_percentage(terms, amounts)
    if exact_result is not None:
        return exact_result

    # 3. A list with one unit is a sum: `185 kg, 42 kg and 12 kg`.
    units = {term.unit for term in terms.numbers}
    if len(units) == 1:
        return sum(amounts, Fraction(0))
    return None


def _result_of_pair(
    terms: ConnectedNumbers, amounts: Sequence[Fraction]
) -> Fraction | None:
    """Return the result of two terms by the words between them; None for other
    words."""
    first_term, second_term = terms.numbers
    first, second = amounts
    connection = terms.connections[0]

    # `1,240 EUR less 5 %`
    if _subtracts_percentage(connection, second_term):
        return first * (1 - second / 100)

    # `188.80 of 423.80`, in percent
    if _has_word_for_of(connection) and second != 0:
        return 100 * first / second

    # `from 40 to 30`
    if _has_word_for_to(connection) and _follows_word_for_from(
        terms.answer, first_term
    ):
        return second - first
    return None


def _product_less_percentage(
    terms: ConnectedNumbers, amounts: Sequence[Fraction]
) -> Fraction | None:
    """Return the amount of `3 x 40 EUR less 5 %`; None if three terms are connected
    otherwise."""
    before_second, before_third = terms.connections  # `*` and `less`
    is_product = before_second.operators == "*"
    if not is_product or not _subtracts_percentage(before_third, terms.numbers[2]):
        return None
    count, amount, percentage = amounts
    return count * amount * (1 - percentage / 100)


# Comparing a result with what its operands give


@dataclass(frozen=True, slots=True)
class _StatedAmount:
    """One amount that a stated result may mean."""

    amount: Fraction
    last_digit: Fraction
    """The worth of one step of the last digit: 1/10 for `5.2`; 100 for `1,200`, whose
    last digit before the zeros is 2."""

    def times(self, factor: Fraction) -> _StatedAmount:
        return _StatedAmount(self.amount * factor, self.last_digit * factor)

    def is_near(self, exact_result: Fraction) -> bool:
        """Return True if an exact result rounds to this amount. Signs are ignored."""
        difference = abs(abs(exact_result) - abs(self.amount))
        return difference <= self.last_digit * ROUNDING_TOLERANCE


def _shown_result(
    answer: str,
    operands: tuple[WrittenValue, ...],
    result: WrittenValue,
    exact_results: Sequence[Fraction],
) -> ShownResult | None:
    """Compare a stated result with the exact ones, of which there is one for each
    reading of the operands.

    It is right if it equals any of them. Returns None if there are none, as for a
    division by 0.
    """
    if not exact_results or len(result.canonical) > MOST_DIGITS:
        return None
    has_percentage = any(value.unit == "%" for value in (*operands, result))
    stated_amounts = _stated_amounts(result, may_be_share=has_percentage)
    is_right = False
    for exact_result in exact_results:
        if any(stated.is_near(exact_result) for stated in stated_amounts):
            is_right = True
    return ShownResult(
        result, operands, is_right, answer[operands[0].start : result.end]
    )


def _stated_amounts(result: WrittenValue, *, may_be_share: bool) -> list[_StatedAmount]:
    """Return the amounts that a result may mean: 1199 and 1.199 for `1.199`.

    With `may_be_share`, also a hundredth and a hundred times of each: 25 may mean 25 %,
    which is 0.25, and 0.25 may be meant as 25 %.
    """
    stated_amounts = [_stated_amount(result.canonical, result.decimals)]
    if result.other_canonical:  # the second reading
        stated_amounts.append(
            _stated_amount(result.other_canonical, result.other_decimals)
        )
    if not may_be_share:
        return stated_amounts
    shares = [stated.times(Fraction(1, 100)) for stated in stated_amounts]
    percentages = [stated.times(Fraction(100)) for stated in stated_amounts]
    return stated_amounts + shares + percentages


def _stated_amount(canonical: str, decimals: int) -> _StatedAmount:
    """Return an amount with its last digit. `1,200` may be rounded to hundreds, so 2
    counts as its last digit."""
    last_digit = Fraction(10) ** -decimals
    if decimals == 0 and canonical != "0":
        closing_zeros = len(canonical) - len(canonical.rstrip("0"))
        last_digit = Fraction(10) ** closing_zeros
    return _StatedAmount(Fraction(canonical), last_digit)


def _amounts_of(terms: Sequence[WrittenValue]) -> Iterator[tuple[Fraction, ...]]:
    """Yield the amounts of all terms, once for each combination of their readings.

    `1.199 + 2` -> (1199, 2) and (1.199, 2). If many terms are ambiguous, only their
    first readings count. Yields nothing if a term has too many digits to calculate
    with.
    """
    ambiguous_terms = sum(1 for term in terms if term.other_canonical)
    amounts_by_term: list[list[Fraction]] = []
    for term in terms:
        readings = [term.canonical]
        if term.other_canonical and ambiguous_terms <= MAX_AMBIGUOUS_TERMS:
            readings.append(term.other_canonical)
        amounts = [
            Fraction(reading) for reading in readings if len(reading) <= MOST_DIGITS
        ]
        amounts_by_term.append(amounts)
    yield from product(*amounts_by_term)


def _expression_of(operators: Sequence[str]) -> str:
    """Return an expression of named terms: `+` and `)*` -> `n0+n1)*n2`."""
    expression = "n0"
    for index, operator in enumerate(operators, start=1):
        expression += f"{operator}n{index}"
    return expression


def _evaluate(expression: str, terms: Sequence[Fraction]) -> Fraction | None:
    """Return the exact result of an expression over `n0`, `n1`, …; None if it is not
    valid."""
    try:
        tree = parse_expression(expression)
    except (SyntaxError, RecursionError, MemoryError):
        return None
    amounts_by_name = {f"n{index}": amount for index, amount in enumerate(terms)}
    return _result_of(tree.body, amounts_by_name)


def _result_of(node: ast.expr, amounts: Mapping[str, Fraction]) -> Fraction | None:
    """Evaluate a name or one of the four operations; None for anything else, or a
    division by 0."""
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


def _durations(answer: str, values: Sequence[WrittenValue]) -> Iterator[ShownResult]:
    """Yield right durations behind two dates or times: `from 3 May to 12 May, 9
    days`."""
    for index in range(len(values) - 2):
        first = values[index]
        second = values[index + 1]
        duration = values[index + 2]
        seconds = _seconds_of_duration(duration)
        if seconds is None or not _are_comparable(first, second):
            continue
        chars_before_duration = duration.start - first.end
        if chars_before_duration >= MAX_CHARS_BEFORE_DURATION:
            continue
        if _seconds_between(first, second) == seconds:
            text = answer[first.start : duration.end]
            yield ShownResult(duration, (first, second), is_right=True, text=text)


def _shifted_moments(
    answer: str, values: Sequence[WrittenValue]
) -> Iterator[ShownResult]:
    """Yield dates and times that are the result of another one and a duration on the
    same line.

    `ordered on 3 May, delivered 9 days later, on 12 May`: both 12 May and 3 May are
    yielded.
    """
    for index, duration in enumerate(values):
        seconds = _seconds_of_duration(duration)
        if seconds is None:
            continue
        # Both moments are among the two values before the duration and the two behind
        # it.
        before = values[max(index - 2, 0) : index]
        behind = values[index + 1 : index + 3]
        for first, second in permutations([*before, *behind], 2):
            if (
                not _are_comparable(first, second)
                or _seconds_between(first, second) != seconds
            ):
                continue
            start = min(first.start, duration.start, second.start)
            end = max(first.end, duration.end, second.end)
            text = answer[start:end]
            if "\n" not in text:
                yield ShownResult(second, (first, duration), is_right=True, text=text)


def _seconds_of_duration(value: WrittenValue) -> Fraction | None:
    """Return the seconds of `9 days` or `1.5 h`; None if a value is not a duration."""
    unit = UNIT_BY_NAME.get(value.unit)
    if (
        unit is None
        or unit.quantity != "duration"
        or len(value.canonical) > MOST_DIGITS
    ):
        return None
    return Fraction(value.canonical) * unit.size


def _are_comparable(first: WrittenValue, second: WrittenValue) -> bool:
    """Return True if two values are both dates, or both times of day."""
    return first.kind is second.kind and first.kind in (Kind.DATE, Kind.TIME)


def _seconds_between(first: WrittenValue, second: WrittenValue) -> int | None:
    """Return how far two dates, or two times of day, are apart.

    A date without a year is in the year of the other one. Returns None if neither has a
    year.
    """
    if first.kind is Kind.TIME:
        return abs(_seconds_since_midnight(second) - _seconds_since_midnight(first))
    known_year = year_of_date(first) or year_of_date(second)
    if not known_year:
        return None
    first_date = _date_in(known_year, first)
    second_date = _date_in(known_year, second)
    if first_date is None or second_date is None:
        return None
    return abs((second_date - first_date).days) * SECONDS_A_DAY


def _date_in(year: str, value: WrittenValue) -> date | None:
    """Return the date of a value, in a year if it has none: `--03-12` in 2026 ->
    2026-03-12.

    Returns None for 29 February in a year without that day.
    """
    year = year_of_date(value) or year
    try:
        return date.fromisoformat(f"{year}-{day_of_date(value)}")
    except ValueError:
        return None


def _seconds_since_midnight(time: WrittenValue) -> int:
    """Return the seconds of `17:10` or `17:10:05`."""
    parts = time.canonical.split(":")
    seconds = int(parts[2]) if len(parts) > 2 else 0
    return SECONDS_AN_HOUR * int(parts[0]) + 60 * int(parts[1]) + seconds
