"""Recalculates the arithmetic in an answer, and reports which results are right.

An answer may write a calculation in four ways:

1. an equation: `300 + 470 = 770`;
2. a share or a change in words: `12 of 48, i.e. 25 %`, `from 40 to 30, a loss of 10`;
3. a result, and then the numbers it comes from: `239 kg: 185 kg, 42 kg and 12 kg`;
4. two dates or times, and the time between them: `from 3 May to 12 May, 9 days`;
5. two amounts and their difference, side by side: `880 EUR, 200 EUR more than the 680 EUR`.

Wrong results are reported only for 1 and 2. In the others, a number that does not fit may
have nothing to do with the calculation, so only right results are reported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, permutations, product
from typing import Final

from controlplane.gates.python_syntax import parse_expression
from controlplane.gates.values.notations import UNIT_BY_NAME
from controlplane.gates.values.numerals import MOST_DIGITS, unit_of
from controlplane.gates.values.spans import (
    ValueKind,
    WrittenValue,
    day_of_date,
    year_of_date,
)

_MAX_CHARS_BETWEEN_TERMS: Final = 40
"""Numbers that are further apart do not belong to one calculation."""

# Words between two numbers, in English, German, French, Italian, Dutch, Swedish, Danish, Polish
# and Czech. The English ones say what each set is for.

_OF: Final = frozenset(
    {"of", "out of", "von", "sur", "di", "van", "de", "av", "af", "z", "ze"}
)
"""Between a part and a whole: `12 of 48`."""
_THAT_IS: Final = frozenset(
    {"i.e.", "that is", "or", "das sind", "d.h.", "oder", "soit"}
)
"""Before another form of the same: `12 of 48, or 25 %`."""
_TO: Final = frozenset(
    {"to", "auf", "bis", "a", "à", "al", "till", "til", "do", "->", "→"}
)
"""Between the beginning and the end of a change: `from 40 to 30`."""
_LESS: Final = frozenset(
    {"less", "minus", "abzüglich", "moins", "menos", "meno", "min"}
)
"""Before a reduction: `1,240 EUR less 5 %`."""
_CHANGES: Final = frozenset(
    {"loss", "gain", "drop", "fall", "rise", "growth", "difference"}
    | {"increase", "decrease", "decline"}
)
"""Before the amount of a change, with `of`: `from 40 to 30, a loss of 10`.

English only: in other languages, no fixed phrase says so surely that the number is the change.
"""


@dataclass(frozen=True, slots=True)
class _NumberConnection:
    """What stands between two numbers of an answer: operators or words.

    Both fields are empty if the numbers do not belong together.
    """

    operators: str = ""
    """Operators and parentheses without blanks: `+`, or `)=` in `(3 × 4) = 12`."""
    words: str = ""
    """The words in lower case: `of the`."""

    @property
    def is_operator(self) -> bool:
        """True for one or several of `+-*/`, maybe with parentheses: `)*(`."""
        signs = self.operators.replace("(", "").replace(")", "")
        return signs != "" and set(signs) <= set("+-*/")

    @property
    def means_of(self) -> bool:
        """True for the `of` in `12 of 48`."""
        return self.words in _OF

    @property
    def means_that_is(self) -> bool:
        """True for the `i.e.` in `12 of 48, i.e. 25 %`, and the `(` in `12 of 48 (25 %)`."""
        return self.words in _THAT_IS or self.operators in ("=", "(")

    @property
    def means_to(self) -> bool:
        """True for the `to` in `from 40 to 30`, and the `-` in `from 40 - 30`."""
        return self.words in _TO or self.operators == "-"

    @property
    def means_less(self) -> bool:
        """True for the `less` in `1,240 EUR less 5 %`, and the `-` in `1,240 - 5 %`."""
        return self.words in _LESS or self.operators == "-"

    @property
    def names_change(self) -> bool:
        """True if the next number is a change: `a loss of`, `growth of`."""
        words = self.words.split()
        if len(words) not in (2, 3):
            return False
        return words[-1] == "of" and words[-2] in _CHANGES


# Reading one connection

_SPELLINGS: Final = str.maketrans(
    {"−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "÷": "/", "≈": "="}
)
_CURRENCY_SIGNS: Final = "$€£"
_OPERATOR_CHARACTERS: Final = frozenset("+-*/x()=" + _CURRENCY_SIGNS)
"""The characters of `(3 x $4) = $12` besides numbers. A piece of text with others is a word."""


def _connection_between(
    answer: str, first: WrittenValue, second: WrittenValue
) -> _NumberConnection:
    """Return what stands between two numbers, without units and signs of currencies.

    | the answer    | the connection                                                       |
    | ------------- | -------------------------------------------------------------------- |
    | `12 of €48`   | the words `of`                                                       |
    | `3 kg + 4 kg` | the operator `+`                                                     |
    | `$3 x $4`     | the operator `*`                                                     |
    | `2x + 3`      | none: `2x` is twice an unknown number, and not 2                     |
    """
    # `_SPELLINGS` makes `*` of `×`, `/` of `÷` and so on.
    text = answer[first.end : second.start].casefold().translate(_SPELLINGS)
    if len(text) > _MAX_CHARS_BETWEEN_TERMS or "\n" in text:
        return _NumberConnection()
    # In `2x + 3`, a letter touches the number. The `kg` of `3kg` does so, too, but is its unit.
    is_factor_of_unknown = text[:1].isalpha() and not first.unit
    if is_factor_of_unknown:
        return _NumberConnection()

    pieces = _pieces_without_unit(text, first.unit)
    if any(_is_word(piece) for piece in pieces):
        return _NumberConnection(words=" ".join(pieces).strip(_CURRENCY_SIGNS + " ,;"))
    operators = "".join(pieces).strip(_CURRENCY_SIGNS)
    return _NumberConnection(operators=operators.replace("x", "*"))


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
    """Return True for `of`, and False for `+`, `)=` or `$`."""
    return not _OPERATOR_CHARACTERS.issuperset(piece)


_MAX_TERMS: Final = 12
"""The most numbers of a calculation that is checked."""
_CHARS_BEFORE_FROM: Final = 12
"""How many characters before a number are searched for the word `from`."""
_FROM: Final = frozenset(
    {"from", "von", "vom", "de", "du", "da", "från", "fra", "od", "z"}
)
"""Words before the first of two numbers: `from 40 to 30`. The languages are those of
`number_connections`.

A few also mean "of", between the numbers: `de 40 a 30` is "from 40 to 30", `12 de 48` "12 of 48".
"""


@dataclass(frozen=True)
class _Terms:
    """Neighbouring numbers of an answer, with what stands between them."""

    answer: str
    numbers: tuple[WrittenValue, ...]
    connections: tuple[_NumberConnection, ...]
    """`connections[i]` stands between `numbers[i]` and `numbers[i + 1]`."""

    def part(self, start: int, end: int) -> _Terms:
        """Return the numbers from index `start` up to, but not including, `end`."""
        return _Terms(
            self.answer, self.numbers[start:end], self.connections[start : end - 1]
        )

    @cached_property
    def units(self) -> set[str]:
        """The units of the numbers; an empty one for a bare number."""
        return {number.unit for number in self.numbers}

    @property
    def expression(self) -> str:
        """The calculation with names for its numbers: `n0+n1*n2` for `2 + 3 * 4`.

        For `(2 + 3) * 4`, it is `n0+n1)*n2`: it begins with the first number, so a parenthesis
        before that is missing.
        """
        expression = "n0"
        for index, connection in enumerate(self.connections, start=1):
            expression += f"{connection.operators}n{index}"
        return expression

    @property
    def text_before(self) -> str:
        """The answer up to the first number."""
        return self.answer[: self.numbers[0].start]

    @property
    def has_from_before(self) -> bool:
        """True for `from 40`, and `from about 40`: one of the two words before it is `from`."""
        start = self.numbers[0].start
        text_before = self.answer[max(start - _CHARS_BEFORE_FROM, 0) : start]
        words = text_before.casefold().replace("(", " ").split()
        return any(word in _FROM for word in words[-2:])


def _connected(answer: str, numbers: Sequence[WrittenValue]) -> _Terms:
    """Return numbers of an answer with what stands between each and the next one."""
    connections = [
        _connection_between(answer, first, second)
        for first, second in pairwise(numbers)
    ]
    return _Terms(answer, tuple(numbers), tuple(connections))


def _without_operator_signs(numbers: Sequence[WrittenValue]) -> list[WrittenValue]:
    """Return numbers without the signs that are operators: in `13 -2 = 11`, -2 becomes 2."""
    unsigned: list[WrittenValue] = []
    for number in numbers:
        # A `-` right behind the last number, or after one blank, subtracts.
        touches_last = bool(unsigned) and number.start - unsigned[-1].end <= 1
        if touches_last and number.text.startswith("-"):
            number = replace(
                number,
                text=number.text[1:],
                start=number.start + 1,
                canonical=number.canonical.removeprefix("-"),
            )
        unsigned.append(number)
    return unsigned


# The amounts that a stated result may mean: 1199 and 1.199 for `1.199`.

_ROUNDING_TOLERANCE: Final = Fraction(501, 1000)
"""How much a right result may differ from the exact one, in units of its last digit: 5.2 from
5.25 by one half.

It is a little more than one half, because the terms may be rounded themselves.
"""


@dataclass(frozen=True, slots=True)
class _ResultMeaning:
    """One amount that a stated result may mean."""

    amount: Fraction
    last_digit: Fraction
    """What one step of the last digit is worth: 1/10 in `5.2`.

    It is 100 in `1,200`, because zeros at the end may come from rounding.
    """

    def times(self, factor: Fraction) -> _ResultMeaning:
        """Return the meaning in another unit or scale: both fields multiplied by a factor."""
        return _ResultMeaning(self.amount * factor, self.last_digit * factor)

    def is_near(self, exact: Fraction) -> bool:
        """Return True if an exact result rounds to this amount. Signs are ignored."""
        difference = abs(abs(exact) - abs(self.amount))
        return difference <= self.last_digit * _ROUNDING_TOLERANCE


def _meanings_of(result: WrittenValue, *, may_be_share: bool) -> list[_ResultMeaning]:
    """Return what a result may mean: 1199 and 1.199 for `1.199`.

    With `may_be_share`, the answer may have given a share as a percentage, or the other way
    round: 25 may also mean 0.25, and 0.25 may mean 25.
    """
    meanings = [_meaning(result.canonical, result.decimals)]
    if result.other_canonical:
        meanings.append(_meaning(result.other_canonical, result.other_decimals))
    if not may_be_share:
        return meanings
    shares = [meaning.times(Fraction(1, 100)) for meaning in meanings]
    percentages = [meaning.times(Fraction(100)) for meaning in meanings]
    return meanings + shares + percentages


def _meaning(canonical: str, decimals: int) -> _ResultMeaning:
    """Return an amount with what its last digit counts: 1200 with 100, 5.2 with 1/10."""
    last_digit = Fraction(10) ** -decimals
    if decimals == 0 and canonical != "0":
        closing_zeros = len(canonical) - len(canonical.rstrip("0"))
        last_digit = Fraction(10) ** closing_zeros
    return _ResultMeaning(Fraction(canonical), last_digit)


@dataclass(frozen=True, slots=True)
class ShownResult:
    """A result that an answer states together with its terms: `300 + 470 = 770`."""

    result: WrittenValue
    """770"""
    operands: tuple[WrittenValue, ...]
    """300 and 470"""
    is_right: bool
    """True if the operands give the result, exactly or rounded."""
    text: str
    """The part of the answer from the first operand to the result."""


def _compared(
    terms: _Terms, result: WrittenValue, exact_results: Iterable[Fraction | None]
) -> ShownResult | None:
    """Compare a stated result with the exact ones. It is right if it is near one of them.

    There is an exact result for each reading of the terms: 1201 and 3.199 for `1.199 + 2`. It
    is None for a division by 0. Returns None if all are, because nothing can be compared.
    """
    exact = [amount for amount in exact_results if amount is not None]
    if not exact or len(result.canonical) > MOST_DIGITS:
        return None
    # `12 of 48` is 0.25 or 25 %: with a percentage, the result may be stated either way.
    has_percentage = result.unit == "%" or "%" in terms.units
    meanings = _meanings_of(result, may_be_share=has_percentage)
    is_right = any(meaning.is_near(amount) for meaning in meanings for amount in exact)
    text = terms.answer[terms.numbers[0].start : result.end]
    return ShownResult(result, terms.numbers, is_right, text)


# Recalculates dates and times that are a duration apart.
#
#     from 3 May to 12 May, 9 days                       the duration is right
#     ordered on 3 May, delivered 9 days later, 12 May   so are the dates
#
# Only right results are returned, because a wrong duration may belong to something else.

_MAX_CHARS_BEFORE_DURATION: Final = 60
"""Characters between the first of two dates and the duration that is calculated from them."""
_SECONDS_A_DAY: Final = 86_400
_SECONDS_AN_HOUR: Final = 3_600


def _durations(answer: str, values: Sequence[WrittenValue]) -> Iterator[ShownResult]:
    """Yield right durations behind two dates or times: `from 3 May to 12 May, 9 days`.

    `values` are all values of the answer in order, also those that are no dates or times.
    """
    # Each three values in a row: 3 May, 12 May and 9 days
    for first, second, duration in zip(values, values[1:], values[2:], strict=False):
        seconds = _seconds_of(duration)
        is_near = duration.start - first.end < _MAX_CHARS_BEFORE_DURATION
        if seconds is None or not is_near:
            continue
        if _seconds_between(first, second) == seconds:
            text = answer[first.start : duration.end]
            yield ShownResult(duration, (first, second), is_right=True, text=text)


def _shifted_moments(
    answer: str, values: Sequence[WrittenValue]
) -> Iterator[ShownResult]:
    """Yield dates and times that are a duration before or after another one on the line.

    `ordered on 3 May, delivered 9 days later, on 12 May`: either date may be the one that
    was calculated, so two results are yielded. One is 12 May, with 3 May and 9 days as its
    operands, and one is 3 May. The caller knows which of the dates was read in a text.
    """
    for index, duration in enumerate(values):
        seconds = _seconds_of(duration)
        if seconds is None:
            continue
        # Both dates or times are among the two values before the duration and the two behind.
        before = values[max(index - 2, 0) : index]
        behind = values[index + 1 : index + 3]
        for first, second in permutations([*before, *behind], 2):  # in either order
            if _seconds_between(first, second) != seconds:
                continue
            start = min(first.start, duration.start, second.start)
            end = max(first.end, duration.end, second.end)
            text = answer[start:end]
            if "\n" not in text:
                yield ShownResult(second, (first, duration), is_right=True, text=text)


def _seconds_of(value: WrittenValue) -> Fraction | None:
    """Return the seconds of `9 days` or `1.5 h`; None if a value is not a duration."""
    unit = UNIT_BY_NAME.get(value.unit)
    if unit is None or unit.quantity != "duration":
        return None
    if len(value.canonical) > MOST_DIGITS:
        return None
    return Fraction(value.canonical) * unit.size  # `size`: seconds of one unit


def _seconds_between(first: WrittenValue, second: WrittenValue) -> int | None:
    """Return how far two dates, or two times of day, are apart; None for other values.

    3 May and 12 May 2026 are 9 days, 777,600 seconds, apart.
    """
    if first.kind is not second.kind:
        return None
    if first.kind is ValueKind.TIME:
        return abs(_seconds_since_midnight(second) - _seconds_since_midnight(first))
    if first.kind is ValueKind.DATE:
        return _seconds_between_dates(first, second)
    return None


def _seconds_since_midnight(time: WrittenValue) -> int:
    """Return the seconds of `17:10` or `17:10:05`."""
    parts = time.canonical.split(":")
    seconds = int(parts[2]) if len(parts) > 2 else 0
    return _SECONDS_AN_HOUR * int(parts[0]) + 60 * int(parts[1]) + seconds


def _seconds_between_dates(first: WrittenValue, second: WrittenValue) -> int | None:
    """Return how far two dates are apart; None if neither has a year.

    If only one has a year, the other is taken to be in the same year. Without any, it is
    unknown if a 29 February lies between them.
    """
    year = year_of_date(first) or year_of_date(second)
    if not year:
        return None
    first_date = _date_in(year, first)
    second_date = _date_in(year, second)
    if first_date is None or second_date is None:
        return None
    return abs((second_date - first_date).days) * _SECONDS_A_DAY


def _date_in(default_year: str, value: WrittenValue) -> date | None:
    """Return the date of a value, in its own year or the default one.

    12 March (canonically `--03-12`) in 2026 -> 2026-03-12. Returns None for 29 February in a
    year without that day.
    """
    year = year_of_date(value) or default_year
    month_and_day = day_of_date(value)  # `03-12`
    try:
        return date.fromisoformat(f"{year}-{month_and_day}")
    except ValueError:
        return None


# Calculates exactly what the terms of a calculation give.
#
# A number such as `1.199` may mean 1199 or 1.199, so the same terms may give several
# results.

_MAX_AMBIGUOUS_TERMS: Final = 4
"""If at most this many terms have two readings, such as `1.199`, all combinations are tried."""


def _readings_of(terms: _Terms) -> Iterator[tuple[Fraction, ...]]:
    """Yield the amounts of all terms, once for each combination of their readings.

    `1.199 + 2` -> (1199, 2) and (1.199, 2). If many terms have two readings, the
    combinations would be too many, so only first readings count. Yields nothing if a term
    has too many digits to calculate with.
    """
    ambiguous = sum(1 for number in terms.numbers if number.other_canonical)
    amounts_by_term: list[list[Fraction]] = []
    for number in terms.numbers:
        readings = [number.canonical]
        if number.other_canonical and ambiguous <= _MAX_AMBIGUOUS_TERMS:
            readings.append(number.other_canonical)
        amounts = [
            Fraction(reading) for reading in readings if len(reading) <= MOST_DIGITS
        ]
        if not amounts:
            return
        amounts_by_term.append(amounts)
    yield from product(*amounts_by_term)


def _evaluate(expression: str, amounts: Sequence[Fraction]) -> Fraction | None:
    """Return the exact result of an expression over the amounts `n0`, `n1`, …

    `n0+n1*n2` with the amounts 2, 3 and 4 -> 14. Returns None if it is not valid, such as
    `n0+n1)*n2`, or divides by 0.
    """
    try:
        tree = parse_expression(expression)
    except (SyntaxError, RecursionError, MemoryError):
        return None
    amounts_by_name = {f"n{index}": amount for index, amount in enumerate(amounts)}
    return _result_of(tree.body, amounts_by_name)


def _result_of(node: ast.expr, amounts: Mapping[str, Fraction]) -> Fraction | None:
    """Return the result of a name or of one of the four operations; None for anything else.

    A division by 0 has no result.
    """
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
        case ast.Div() if right:  # not 0
            return left / right
    return None


# Checks the equations of an answer: `300 + 470 = 770`, `(13.1 - 2.8) * 0.5 = 5.15`.
#
# An answer is given as its numbers with the connections between them. For the second equation:
#
#     numbers        0: 13.1    1: 2.8    2: 0.5    3: 5.15
#     connections         0: -      1: )*     2: =


def _equation_with_last_term(all_terms: _Terms, last: int) -> ShownResult | None:
    """Check the equation that ends with a number and `=`: with the 0.5 in `2.8 * 0.5 = 1.4`.

    `all_terms` are all numbers of the answer, and `last` is the index of the 0.5. Returns None
    if no `=` follows this number, or if the equation cannot be calculated.
    """
    # 1. Find the equation: from the first term to the `=`, and the result behind it. The `=` stands
    #    between the last term and the next number.
    before_result = all_terms.connections[last]
    if not before_result.operators.endswith("="):
        return None
    result = all_terms.numbers[last + 1]
    first = _first_term(all_terms.connections, last)
    if first == last:  # `x = 5`, or `5 km = 3.11 miles`
        return _conversion(all_terms.part(last, last + 1), result)
    terms = all_terms.part(first, last + 1)

    # 2. Leave it out if it has several units:
    # `20 % * 3 kg = 0.6 kg` has one unit, but `3 kg + 4 h` has two.
    units = terms.units | {result.unit}
    units.discard("")
    units.discard("%")
    if len(units) > 1:
        return None

    # 3. Calculate it. An ambiguous number such as `1.199` is read as 1199, then as 1.199.
    calculation = _calculation(terms, before_result)
    if calculation is None:
        return None
    exact = [_evaluate(calculation, amounts) for amounts in _readings_of(terms)]
    return _compared(terms, result, exact)


def _conversion(terms: _Terms, result: WrittenValue) -> ShownResult | None:
    """Check an amount that is stated again in another unit: `21.0975 km = 13.11 miles`.

    Returns None for amounts that cannot be converted into each other.
    """
    unit = UNIT_BY_NAME.get(terms.numbers[0].unit)
    other_unit = UNIT_BY_NAME.get(result.unit)
    if unit is None or other_unit is None or unit.quantity != other_unit.quantity:
        return None
    if unit.name == other_unit.name:
        return None
    factor = unit.size / other_unit.size
    exact = [amount * factor for (amount,) in _readings_of(terms)]
    return _compared(terms, result, exact)


def _first_term(connections: Sequence[_NumberConnection], last: int) -> int:
    """Return the index of the first number that operators connect with the last one.

    0 in `13.1 - 2.8 * 0.5 = 11.7`; 1 in `12 pieces, 2.8 * 0.5 = 1.4`
    """
    first = last
    while (
        first > 0 and last - first < _MAX_TERMS and connections[first - 1].is_operator
    ):
        first -= 1
    return first


def _calculation(terms: _Terms, before_result: _NumberConnection) -> str | None:
    """Return the calculation on the left of a `=`, with names for its numbers: `(n0-n1)*n2`.

    Returns None if the answer lacks a parenthesis before the first number.
    """
    # `expression` has only what stands between two numbers. The parentheses behind the last
    # number come with the `=`: `3 * (4 + 5) = 27`.
    closing = before_result.operators.removesuffix("=")
    calculation = terms.expression + closing

    # Those in front of the first number are still missing: `n0-n1)*n2`.
    missing = calculation.count(")") - calculation.count("(")
    opening = "(" * max(missing, 0)
    if not terms.text_before.endswith(opening):
        return None
    return opening + calculation


# Finds results that an answer states before the numbers from which they come.
#
#     239 kg: 185 kg, 42 kg and 12 kg       a sum
#     45 % (188.80 of 423.80)               a share
#
# Only right results are returned, because other numbers behind a colon or in parentheses
# may have nothing to do with the number before them.


def _result_before_terms(all_terms: _Terms, index: int) -> ShownResult | None:
    """Return the number at an index, if it is the right result of the terms after it.

    `all_terms` are all numbers of the answer, with what stands between them.
    """
    result = all_terms.numbers[index]
    terms = _terms_after(all_terms, index)
    if terms is None:
        return None
    exact = [_exact_result(terms, amounts) for amounts in _readings_of(terms)]
    shown = _compared(terms, result, exact)
    if shown is None or not shown.is_right:
        return None
    # The text of `shown` ends at the result, but this result comes first.
    return replace(shown, text=all_terms.answer[result.start : terms.numbers[-1].end])


def _terms_after(all_terms: _Terms, index: int) -> _Terms | None:
    """Return the numbers that explain the number at an index; None for less than two.

    They stand in parentheses or after a colon: 188.80 and 423.80 for `45 % (188.80 of 423.80)`.
    """
    first = index + 1
    end_of_text = _end_of_explanation(
        all_terms.answer,
        after_result=all_terms.numbers[index].end,
        first_term=all_terms.numbers[first].start,
    )
    if end_of_text is None:
        return None
    count = 0
    for number in all_terms.numbers[first : first + _MAX_TERMS]:
        if number.start < end_of_text:
            count += 1
    return all_terms.part(first, first + count) if count >= 2 else None


def _end_of_explanation(
    answer: str, *, after_result: int, first_term: int
) -> int | None:
    """Return where the text that explains a result ends; None if nothing explains it.

    The explanation of the 45 % in `45 % (188.80 of 423.80)` ends at the parenthesis, and
    that of the 59 in `59 kg: 42 kg and 17 kg` at the end of the line.

    Args:
        answer: The answer.
        after_result: The offset at which the result ends.
        first_term: The offset of the next number.
    """
    text_between = answer[after_result:first_term]
    # A point that touches one of the two numbers belongs to it: `45 kg.: 12 kg`.
    has_sentence_end = "." in text_between.strip(".")
    if len(text_between) > _MAX_CHARS_BETWEEN_TERMS or has_sentence_end:
        return None
    if "(" in text_between:
        end = answer.find(")", first_term)
    elif ":" in text_between:
        end = answer.find("\n", first_term)
    else:
        return None
    return end if end >= 0 else len(answer)


def _exact_result(terms: _Terms, amounts: Sequence[Fraction]) -> Fraction | None:
    """Return the result of terms, given the amount of each; None if words do not say how.

    | terms                        | result                          |
    | ---------------------------- | ------------------------------- |
    | `2 * 5 + 7`                  | 17, calculated                  |
    | `188.80 of 423.80`           | 44.55, the share in percent     |
    | `1,240 EUR less 5 %`         | 1178                            |
    | `from 40 to 30`              | -10, the difference             |
    | `3 x 40 EUR less 5 %`        | 114                             |
    | `185 kg, 42 kg and 12 kg`    | 239, a sum: the units are equal |
    """
    # `2 * 5 + 7`
    if all(connection.is_operator for connection in terms.connections):
        return _evaluate(terms.expression, amounts)

    # Two or three terms with words between them: `188.80 of 423.80`
    exact: Fraction | None = None
    if len(amounts) == 2:
        exact = _result_of_pair(terms, *amounts)
    elif len(amounts) == 3:
        exact = _product_less_percentage(terms, *amounts)

    # A list of amounts in one unit: `185 kg, 42 kg and 12 kg`
    if exact is None and len(terms.units) == 1:
        return sum(amounts, Fraction(0))
    return exact


def _result_of_pair(
    terms: _Terms, first: Fraction, second: Fraction
) -> Fraction | None:
    """Return the result of two terms by the words between them; None for other words."""
    connection = terms.connections[0]
    # `1,240 EUR less 5 %`
    if connection.means_less and terms.numbers[1].unit == "%":
        return first * (1 - second / 100)

    # `188.80 of 423.80`, in percent. There is no share of 0.
    if connection.means_of and second:
        return 100 * first / second

    # `from 40 to 30`
    if connection.means_to and terms.has_from_before:
        return second - first
    return None


def _product_less_percentage(
    terms: _Terms, count: Fraction, amount: Fraction, percentage: Fraction
) -> Fraction | None:
    """Return the amount of `3 x 40 EUR less 5 %`; None for terms that are connected otherwise."""
    before_amount, before_percentage = terms.connections
    multiplies = before_amount.operators == "*"  # also for the `x` of `3 x 40`
    subtracts = before_percentage.means_less and terms.numbers[2].unit == "%"
    if not multiplies or not subtracts:
        return None
    return count * amount * (1 - percentage / 100)


# Checks shares and changes that an answer states in words.
#
# 12 of 48, i.e. 25 %                a share
# from 40 to 30, a loss of 10        a change


def _share_or_change(all_terms: _Terms, index: int) -> ShownResult | None:
    """Check a share or change whose first number is at an index; None if there is none.

    `all_terms` are all numbers of the answer, with what stands between them.
    """
    stated = _pair_with_result(all_terms, index)
    if stated is None:
        return None
    if stated.is_share:
        return _share(stated)
    if stated.is_change:
        return _change(stated)
    return None


@dataclass(frozen=True, slots=True)
class _PairWithResult:
    """Two numbers, and the result that the answer gives for them: `12 of 48, i.e. 25 %`."""

    pair: _Terms
    """12 and 48"""
    between: _NumberConnection
    """`of`: what stands between the two numbers."""
    before_result: _NumberConnection
    """`i.e.`: what stands before the result."""
    result: WrittenValue
    """25 %"""

    @property
    def is_share(self) -> bool:
        """True for `12 of 48, i.e. 25 %`."""
        is_percentage = self.result.unit == "%"
        states_result = self.before_result.means_that_is
        return self.between.means_of and states_result and is_percentage

    @property
    def is_change(self) -> bool:
        """True for `from 40 to 30, a loss of 10`."""
        if not self.between.means_to or not self.before_result.names_change:
            return False
        return self.pair.has_from_before  # the word `from` before the 40


def _pair_with_result(all_terms: _Terms, index: int) -> _PairWithResult | None:
    """Return three numbers from an index on, if the first two may have the same unit.

    The first may leave its unit out: `12 of 48 kg`. Returns None for `12 h of 48 kg`, or if
    less than three numbers are left.
    """
    if index + 2 >= len(all_terms.numbers):
        return None
    pair = all_terms.part(index, index + 2)
    first, second = pair.numbers
    if first.unit not in ("", second.unit):
        return None
    return _PairWithResult(
        pair,
        between=all_terms.connections[index],
        before_result=all_terms.connections[index + 1],
        result=all_terms.numbers[index + 2],
    )


def _share(stated: _PairWithResult) -> ShownResult | None:
    """Check the 25 % of `12 of 48, i.e. 25 %`."""
    exact = [_percentage(part, whole) for part, whole in _readings_of(stated.pair)]
    return _compared(stated.pair, stated.result, exact)


def _change(stated: _PairWithResult) -> ShownResult | None:
    """Check the 10 of `from 40 to 30, a loss of 10`, or the 25 % of `a loss of 25 %`."""
    amounts: list[Fraction | None] = []
    percentages: list[Fraction | None] = []
    for before, after in _readings_of(stated.pair):
        amounts.append(after - before)
        percentages.append(_percentage(after - before, before))
    return _compared(stated.pair, stated.result, amounts + percentages)


def _percentage(part: Fraction, whole: Fraction) -> Fraction | None:
    """Return a part in percent of the whole: 25 for 12 of 48; None for a whole of 0."""
    return 100 * part / whole if whole else None


_LEAST_DIFFERENCE: Final = 10
"""Of smaller numbers, one is too often the difference of the two others by chance."""


def _difference(all_terms: _Terms, index: int) -> Iterator[ShownResult]:
    """Yield each of three neighbouring amounts that is the difference of the two others.

    `880 EUR, 200 EUR more than the 680 EUR of weekdays`: in any language, each of the two
    smaller amounts may be the one that was calculated. The caller knows which were read. The
    largest one would be a sum, whose terms may not be all.
    """
    numbers = all_terms.numbers[index : index + 3]
    units = {number.unit for number in numbers}
    if len(numbers) < 3 or len(units) > 1 or "" in units:
        return
    text = all_terms.answer[numbers[0].start : numbers[2].end]
    if "\n" in text or len(text) > 3 * _MAX_CHARS_BETWEEN_TERMS:
        return
    if any(len(number.canonical) > MOST_DIGITS for number in numbers):
        return
    least, middle, most = sorted(abs(Fraction(number.canonical)) for number in numbers)
    if least + middle != most or most < _LEAST_DIFFERENCE:
        return
    for result in numbers:
        if abs(Fraction(result.canonical)) == most:
            continue
        operands = tuple(number for number in numbers if number is not result)
        yield ShownResult(result, operands, is_right=True, text=text)


def shown_results(answer: str, values: Sequence[WrittenValue]) -> Iterator[ShownResult]:
    """Yield each result of arithmetic in an answer: 770, with its terms, for `300 + 470 = 770`.

    `values` are all values of the answer in order: numbers, dates and others.
    """
    numbers = [value for value in values if value.kind is ValueKind.NUMBER]
    # In `13 -2 = 11`, the `-` is an operator and not a sign, so the second number is 2.
    numbers = _without_operator_signs(numbers)
    # Each number with the connection to the next one, which is the text between them
    all_terms = _connected(answer, numbers)
    indices = range(len(all_terms.connections))  # of all numbers but the last one

    # 1 and 2. Any number may be the last term of an equation, or the first of a share or change.
    for index in indices:
        equation = _equation_with_last_term(all_terms, index)
        if equation is not None:
            yield equation
        pair = _share_or_change(all_terms, index)
        if pair is not None:
            yield pair

    # 3. These come after 1 and 2, whose results may be their terms: `300 + 470 = 770. Total 1000:
    #    770 and 230`. The caller learns in this order what is supported.
    for index in indices:
        shown = _result_before_terms(all_terms, index)
        if shown is not None:
            yield shown

    for index in indices:
        yield from _difference(all_terms, index)

    # 4. `from 3 May to 12 May, 9 days`, and `3 May, 9 days later, on 12 May`
    yield from _durations(answer, values)
    yield from _shifted_moments(answer, values)
