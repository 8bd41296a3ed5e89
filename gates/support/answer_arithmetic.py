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

from controlplane.gates.values.locale_names import UNIT_BY_NAME
from controlplane.gates.values.numerals import MOST_DIGITS
from controlplane.gates.values.unit_names import unit_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue

MAX_TERMS: Final = 12
"""Numbers of one calculation that are looked at."""
MAX_CHARS_BETWEEN_TERMS: Final = 40
"""Characters between two numbers of one calculation."""
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
_NOT_A_CALCULATION: Final = "?"
"""Connection of two numbers that do not belong to one calculation."""

# Words between the numbers of a calculation, in several languages.
_OF: Final = frozenset(("of", "out of", "von", "sur", "di", "van", "de", "av", "af", "z", "ze"))
_THAT_IS: Final = frozenset(
    ("i.e.", "that is", "=", "(", "das sind", "soit", "or", "d.h.", "oder", "- ")
)
_FROM: Final = frozenset(("from", "von", "de", "du", "da", "från", "fra", "od", "z", "vom"))
_TO: Final = frozenset(("to", "auf", "bis", "a", "à", "al", "till", "do", "til", "-", "->", "→"))
_LESS: Final = frozenset(("less", "minus", "-", "abzüglich", "moins", "menos", "meno", "min"))
_CHANGES: Final = frozenset(
    [
        "loss",
        "gain",
        "drop",
        "fall",
        "rise",
        "increase",
        "decrease",
        "decline",
        "growth",
        "difference",
    ]
)


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
    numbers = [value for value in values if value.kind is Kind.NUMBER]
    calculations = _Calculations(answer, _with_operators_apart(numbers))
    yield from calculations.equations_and_shares()
    yield from calculations.results_before_terms()
    yield from _durations(answer, values)
    yield from _shifted_moments(answer, values)


def _with_operators_apart(numbers: Sequence[WrittenValue]) -> list[WrittenValue]:
    """Return numbers without the signs that are operators: in `13 -2 = 11`, -2 becomes 2."""
    separated: list[WrittenValue] = []
    for number in numbers:
        follows_number = bool(separated) and number.start - separated[-1].end < 2
        if follows_number and number.text.startswith("-"):
            number = replace(
                number,
                text=number.text[1:],
                start=number.start + 1,
                canonical=number.canonical.removeprefix("-"),
            )
        separated.append(number)
    return separated


# What connects two numbers


def _connection(answer: str, first: WrittenValue, second: WrittenValue) -> str:
    """Return what stands between two numbers, without the unit of the first.

    Operators are returned without blanks, words in lower case:
    `3 kg + 4 kg` -> `+`, `12 of the 48` -> `of the`, `(3 × 4) = 12` -> `*` and `)=`.
    """
    text = answer[first.end : second.start].casefold().translate(_OPERATOR_SPELLINGS)
    is_unknown_factor = text[:1].isalpha() and not first.unit  # `2x + 3 = 11`
    if len(text) > MAX_CHARS_BETWEEN_TERMS or "\n" in text or is_unknown_factor:
        return _NOT_A_CALCULATION
    words: list[str] = []
    for word in text.replace("=", " = ").split():
        bare_word = word.strip("().,-")
        is_unit = first.unit != "" and bare_word != "" and unit_of(bare_word) == first.unit
        if not is_unit:
            words.append(word)
    has_words = any(word.strip(_OPERATOR_CHARACTERS) for word in words)
    if has_words:
        return " ".join(words).strip(_CURRENCY_SIGNS + " ,;")
    return "".join(words).replace("x", "*").strip(_CURRENCY_SIGNS)


def _is_operator(connection: str) -> bool:
    """Say whether a connection is an operator, maybe with parentheses: `+`, `)*(`."""
    has_only_operators = connection.strip("+-*/()") == ""
    has_only_parentheses = connection.strip("()") == ""
    return has_only_operators and not has_only_parentheses


def _is_behind_from(answer: str, value: WrittenValue) -> bool:
    """Say whether `from` is one of the two words before a value."""
    text_before = answer[max(value.start - CHARS_BEFORE_FROM, 0) : value.start]
    words = text_before.casefold().replace("(", " ").split()
    return not _FROM.isdisjoint(words[-2:])


def _names_change(connection: str) -> bool:
    """Say whether words name the number behind them as a change: `a loss of`, `growth of`."""
    words = connection.split()
    if len(words) not in (2, 3):
        return False
    return words[-1] == "of" and words[-2] in _CHANGES


def _is_reduction(share: WrittenValue, connection: str) -> bool:
    """Say whether a percentage is taken off, as in `1,240 EUR less 5 %`."""
    return share.unit == "%" and connection in _LESS


# Calculations with numbers


@dataclass(frozen=True, slots=True)
class _Calculations:
    """The numbers of an answer, and the calculations that they form."""

    answer: str
    numbers: Sequence[WrittenValue]

    def equations_and_shares(self) -> Iterator[SpelledResult]:
        """Yield the results behind their terms: `300 + 470 = 770`, `12 of 48, i.e. 25 %`."""
        connections = self._connections(self.numbers)
        for index, connection in enumerate(connections):
            result = None
            if connection.endswith("="):
                result = self._equation_at(index, connections)
            elif index + 2 < len(self.numbers):
                result = self._share_or_change_at(index, connection, connections[index + 1])
            if result is not None:
                yield result

    def _connections(self, numbers: Sequence[WrittenValue]) -> list[str]:
        """Return what stands between each number and the next one."""
        return [_connection(self.answer, first, second) for first, second in pairwise(numbers)]

    def _equation_at(self, last: int, connections: Sequence[str]) -> SpelledResult | None:
        """Judge `(13.1 - 2.8) * 0.5 = 5.15`, given the index of the last number before `=`."""
        # 1. Go back to the first term.
        first = last
        while first > 0 and last - first < MAX_TERMS and _is_operator(connections[first - 1]):
            first -= 1
        if first == last:
            return None
        terms = tuple(self.numbers[first : last + 1])
        result = self.numbers[last + 1]

        # 2. Write the terms as an expression with names. Parentheses that open before the first
        #    term are part of no connection; each has to stand directly before that term.
        operators = list(connections[first:last])
        expression = _expression_of(operators) + connections[last].removesuffix("=")
        missing_parentheses = expression.count(")") - expression.count("(")
        if missing_parentheses < 0:
            return None
        opening = "(" * missing_parentheses
        start = terms[0].start
        if self.answer[max(start - missing_parentheses, 0) : start] != opening:
            return None

        # 3. Calculate in one unit.
        units = {number.unit for number in (*terms, result)} - {"", "%"}
        if len(units) > 1:
            return None
        amounts: list[Fraction] = []
        for reading in _readings(terms):
            amount = _evaluate(opening + expression, reading)
            if amount is not None:
                amounts.append(amount)
        return self._judge(terms, result, amounts)

    def _share_or_change_at(
        self, index: int, connection: str, next_connection: str
    ) -> SpelledResult | None:
        """Judge `12 of 48, i.e. 25 %` and `from 40 to 30, a loss of 10`, given the first index."""
        first = self.numbers[index]
        second = self.numbers[index + 1]
        result = self.numbers[index + 2]
        if first.unit not in ("", second.unit):
            return None
        is_share = connection in _OF and next_connection in _THAT_IS and result.unit == "%"
        is_change = (
            connection in _TO
            and _is_behind_from(self.answer, first)
            and _names_change(next_connection)
        )
        if not is_share and not is_change:
            return None
        amounts: list[Fraction] = []
        for first_amount, second_amount in _readings((first, second)):
            if is_share and second_amount:
                amounts.append(100 * first_amount / second_amount)
            if is_change:
                amounts.append(second_amount - first_amount)
            if is_change and first_amount:
                amounts.append(100 * (second_amount - first_amount) / first_amount)
        return self._judge((first, second), result, amounts)

    def results_before_terms(self) -> Iterator[SpelledResult]:
        """Yield right results that stand before their terms.

        `45 % (188.80 of 423.80)`, `239 kg: 185 kg, 42 kg and 12 kg`.
        """
        for index in range(len(self.numbers) - 1):
            result = self.numbers[index]
            terms = self._terms_behind(index)
            amounts = self._amounts_of_terms(terms)
            judged = self._judge(terms, result, amounts)
            if judged is not None and judged.is_right:
                text = self.answer[result.start : terms[-1].end]
                yield replace(judged, text=text)

    def _terms_behind(self, index: int) -> tuple[WrittenValue, ...]:
        """Return the numbers in the parentheses, or behind the colon, that follow a number."""
        result = self.numbers[index]
        next_number = self.numbers[index + 1]
        text_between = self.answer[result.end : next_number.start]
        has_sentence_end = "." in text_between.strip(".")
        if len(text_between) > MAX_CHARS_BETWEEN_TERMS or has_sentence_end:
            return ()
        if "(" in text_between:
            end = self.answer.find(")", next_number.start)
        elif ":" in text_between:
            end = self.answer.find("\n", next_number.start)
        else:
            return ()
        if end < 0:
            end = len(self.answer)
        terms = self.numbers[index + 1 : index + 1 + MAX_TERMS]
        return tuple(term for term in terms if term.start < end)

    def _amounts_of_terms(self, terms: Sequence[WrittenValue]) -> list[Fraction]:
        """Return the amount that terms give, for each way to read them; empty if there is none."""
        if len(terms) < 2:
            return []
        connections = self._connections(terms)
        amounts: list[Fraction] = []
        for reading in _readings(terms):
            amount = self._amount_of_reading(terms, reading, connections)
            if amount is not None:
                amounts.append(amount)
        return amounts

    def _amount_of_reading(
        self,
        terms: Sequence[WrittenValue],
        reading: Sequence[Fraction],
        connections: Sequence[str],
    ) -> Fraction | None:
        """Return what terms give by their operators, as a share or change, or else as a sum."""
        first = reading[0]
        second = reading[1]
        if all(_is_operator(connection) for connection in connections):
            return _evaluate(_expression_of(connections), reading)
        if len(terms) == 3 and connections[0] == "*" and _is_reduction(terms[2], connections[1]):
            return first * second * (1 - reading[2] / 100)  # `3 x 40 EUR less 5 %`
        if len(terms) == 2:
            connection = connections[0]
            if _is_reduction(terms[1], connection):
                return first * (1 - second / 100)
            if connection in _OF and second:
                return 100 * first / second
            if connection in _TO and _is_behind_from(self.answer, terms[0]):
                return second - first
        units = {term.unit for term in terms}
        if len(units) == 1:
            return sum(reading, Fraction(0))
        return None

    def _judge(
        self,
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
        text = self.answer[operands[0].start : result.end]
        return SpelledResult(result, operands, is_right, text)


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
        tree = ast.parse(expression, mode="eval")
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
