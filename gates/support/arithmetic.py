"""Recalculates the arithmetic in an answer, and reports which results are right.

An answer may write a calculation in four ways:

1. an equation: `300 + 470 = 770`;
2. a share or a change in words: `12 of 48, i.e. 25 %`, `from 40 to 30, a loss of 10`;
3. a result, and then the numbers it comes from: `239 kg: 185 kg, 42 kg and 12 kg`;
4. two amounts, dates or times, and how far they are apart, side by side: `880 EUR, 200 EUR more than
   the 680 EUR`, `from 3 May to 12 May, 9 days`.

Wrong results are reported only for 1 and 2. In the others, a number that does not fit may
have nothing to do with the calculation, so only right results are reported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise, permutations, product
from typing import Final

from controlplane.gates.python_syntax import parse_expression
from controlplane.gates.values.notations import FUNCTION_WORDS, UNIT_BY_NAME
from controlplane.gates.values.numerals import MOST_DIGITS, unit_of
from controlplane.gates.values.spans import (
    LAST_BEFORE_CJK,
    ValueKind,
    WrittenValue,
    day_of_date,
    year_of_date,
)

_MAX_CHARS_BETWEEN_TERMS: Final = 40
"""Numbers that are further apart do not belong to one calculation."""
_MAX_TERMS: Final = 12
"""The most numbers of a calculation that is checked."""

# The connection of two numbers: what stands between them, as operators or words. The words are in
# English, German, French, Italian, Dutch, Swedish, Danish, Polish and Czech. The English ones say
# what each set is for.

_OF: Final = frozenset(
    {"of", "out of", "von", "sur", "di", "van", "de", "av", "af", "z", "ze"}
)
"""Between a part and a whole: `12 of 48`."""
_THAT_IS: Final = frozenset(
    {"i.e.", "that is", "or", "das sind", "d.h.", "oder", "soit", "=", "("}
)
"""Before another form of the same: `12 of 48, or 25 %`, `12 of 48 (25 %)`."""
_TO: Final = frozenset(
    {"to", "auf", "bis", "a", "à", "al", "till", "til", "do", "->", "→", "-"}
)
"""Between the beginning and the end of a change: `from 40 to 30`."""
_LESS: Final = frozenset(
    {"less", "minus", "abzüglich", "moins", "menos", "meno", "min", "-"}
)
"""Before a reduction: `1,240 EUR less 5 %`."""
_CHANGES: Final = frozenset(
    {"loss", "gain", "drop", "fall", "rise", "growth", "difference"}
    | {"increase", "decrease", "decline"}
)
"""Before the amount of a change, with `of`: `from 40 to 30, a loss of 10`.

English only: in other languages, no fixed phrase says so surely that the number is the change.
"""
_FROM: Final = frozenset(
    {"from", "von", "vom", "de", "du", "da", "från", "fra", "od", "z"}
)
"""Words before the first of two numbers: `from 40 to 30`.

A few also mean "of", between the numbers: `de 40 a 30` is "from 40 to 30", `12 de 48` "12 of 48".
"""
_CHARS_BEFORE_FROM: Final = 12
"""How many characters before a number are searched for the word `from`."""
_SPELLINGS: Final = str.maketrans(
    {"−": "-", "–": "-", "×": "*", "·": "*", "⋅": "*", "÷": "/", "≈": "="}
    | {"＋": "+", "－": "-", "＊": "*", "／": "/", "＝": "=", "（": "(", "）": ")"}
)
_CURRENCY_SIGNS: Final = "$€£"
_MOST_UNIT_SIGNS: Final = 4
"""A unit in Chinese, Japanese or Korean has at most this many signs."""
_OPERATOR_CHARACTERS: Final = frozenset("+-*/x()=" + _CURRENCY_SIGNS)
"""The characters of `(3 x $4) = $12` besides numbers. A piece of text with others is a word."""


def _connection_between(answer: str, first: WrittenValue, second: WrittenValue) -> str:
    """Return what stands between two numbers, without units and signs of currencies.

    | the answer    | the connection                                                |
    | ------------- | ------------------------------------------------------------- |
    | `12 of €48`   | `of`                                                          |
    | `3 kg + 4 kg` | `+`                                                           |
    | `($3 x $4) =` | `*`, and then `)=`                                            |
    | `2x + 3`      | nothing: `2x` is twice an unknown number, and not 2           |
    """
    text = answer[first.end : second.start].casefold().translate(_SPELLINGS)
    text = text.removeprefix(_unit_in_signs(text, first.unit))
    # In `2x + 3`, a letter touches the number. The `kg` of `3kg` does so, too, but is its unit.
    is_factor_of_unknown = text[:1].isalpha() and not first.unit
    is_far = len(text) > _MAX_CHARS_BETWEEN_TERMS or "\n" in text
    if is_factor_of_unknown or is_far:
        return ""

    pieces: list[str] = []
    for piece in text.replace("=", " = ").split():
        word = piece.strip("().,-")
        is_unit = first.unit != "" and word != "" and unit_of(word) == first.unit
        if not is_unit:
            pieces.append(piece)
    if _are_operators("".join(pieces)):
        return "".join(pieces).strip(_CURRENCY_SIGNS).replace("x", "*")
    words = " ".join(pieces).strip(_CURRENCY_SIGNS + " ,;")
    return "" if _are_operators(words) else words  # `, -` is neither


def _unit_in_signs(text: str, unit: str) -> str:
    """Return a number's unit with which a text begins, if no blank ends it: 元 of `元×3`."""
    if text[:1] <= LAST_BEFORE_CJK or not unit:
        return ""
    for size in range(_MOST_UNIT_SIGNS, 0, -1):
        if unit_of(text[:size]) == unit:
            return text[:size]
    return ""


def _are_operators(connection: str) -> bool:
    """Return True for `+`, `)=` or `$`, and False for `of`."""
    return _OPERATOR_CHARACTERS.issuperset(connection)


def _calculates(connection: str) -> bool:
    """Return True for one or several of `+-*/`, maybe with parentheses: `)*(`."""
    signs = connection.replace("(", "").replace(")", "")
    return signs != "" and set(signs) <= set("+-*/")


def _names_change(connection: str) -> bool:
    """Return True if the next number is a change: `a loss of`, `growth of`."""
    words = connection.split()
    return len(words) in (2, 3) and words[-1] == "of" and words[-2] in _CHANGES


@dataclass(frozen=True)
class _Terms:
    """Neighbouring numbers of an answer, with what stands between them."""

    answer: str
    numbers: tuple[WrittenValue, ...]
    connections: tuple[str, ...]
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
            expression += f"{connection}n{index}"
        return expression

    @property
    def has_from_before(self) -> bool:
        """True for `from 40`, and `from about 40`: one of the two words before it is `from`."""
        start = self.numbers[0].start
        text_before = self.answer[max(start - _CHARS_BEFORE_FROM, 0) : start]
        words = text_before.casefold().replace("(", " ").split()
        return any(word in _FROM for word in words[-2:])

    def readings(self) -> Iterator[tuple[Fraction, ...]]:
        """Yield the amounts of all terms, once for each combination of their readings.

        `1.199 + 2` -> (1199, 2) and (1.199, 2). If many terms have two readings, the
        combinations would be too many, so only first readings count. Yields nothing if a term
        has too many digits to calculate with.
        """
        ambiguous = sum(1 for number in self.numbers if number.other_canonical)
        amounts_by_term: list[list[Fraction]] = []
        for number in self.numbers:
            readings = [number.canonical]
            if number.other_canonical and ambiguous <= _MAX_AMBIGUOUS_TERMS:
                readings.append(number.other_canonical)
            amounts_by_term.append(
                [Fraction(text) for text in readings if len(text) <= MOST_DIGITS]
            )
        yield from product(*amounts_by_term)


_MAX_AMBIGUOUS_TERMS: Final = 4
"""If at most this many terms have two readings, such as `1.199`, all combinations are tried."""


def _connected(answer: str, values: Sequence[WrittenValue]) -> _Terms:
    """Return the numbers among the values of an answer, with what stands between them.

    Signs that are operators do not belong to the numbers: in `13 -2 = 11`, -2 becomes 2.
    """
    numbers: list[WrittenValue] = []
    for value in values:
        if value.kind is not ValueKind.NUMBER:
            continue
        # A `-` right behind the last number, or after one blank, subtracts.
        touches_last = bool(numbers) and value.start - numbers[-1].end <= 1
        if touches_last and value.text.startswith("-"):
            value = replace(
                value,
                text=value.text[1:],
                start=value.start + 1,
                canonical=value.canonical.removeprefix("-"),
            )
        numbers.append(value)
    connections = [
        _connection_between(answer, first, second)
        for first, second in pairwise(numbers)
    ]
    return _Terms(answer, tuple(numbers), tuple(connections))


# Compares a stated result with the exact ones.

_ROUNDING_TOLERANCE: Final = Fraction(501, 1000)
"""How much a right result may differ from the exact one, in units of its last digit: 5.2 from
5.25 by one half.

It is a little more than one half, because the terms may be rounded themselves.
"""


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
    terms: _Terms, result: WrittenValue, exact_results: Sequence[Fraction | None]
) -> ShownResult | None:
    """Compare a stated result with the exact ones. It is right if it is near one of them.

    There is an exact result for each reading of the terms: 1201 and 3.199 for `1.199 + 2`. It
    is None for a division by 0. Returns None if all are, because nothing can be compared.
    """
    exact = [amount for amount in exact_results if amount is not None]
    if not exact or len(result.canonical) > MOST_DIGITS:
        return None
    # `12 of 48` is 0.25 or 25 %: with a percentage, the result may be stated either way.
    factors = [Fraction(1)]
    if result.unit == "%" or "%" in terms.units:
        factors += [Fraction(1, 100), Fraction(100)]
    is_right = any(
        _rounds_to(amount, result, factor) for amount in exact for factor in factors
    )
    text = terms.answer[terms.numbers[0].start : result.end]
    return ShownResult(result, terms.numbers, is_right, text)


def _rounds_to(exact: Fraction, result: WrittenValue, factor: Fraction) -> bool:
    """Return True if an exact amount rounds to a stated result times a factor. Signs are ignored."""
    readings = [(result.canonical, result.decimals)]
    if result.other_canonical:  # 1199 and 1.199 of `1.199`
        readings.append((result.other_canonical, result.other_decimals))
    for canonical, decimals in readings:
        last_digit = Fraction(10) ** -decimals  # 1/10 for `5.2`
        if decimals == 0 and canonical != "0":
            # 100 for `1,200`, because zeros at the end may come from rounding
            last_digit = Fraction(10) ** (len(canonical) - len(canonical.rstrip("0")))
        difference = abs(abs(exact) - abs(Fraction(canonical) * factor))
        if difference <= last_digit * factor * _ROUNDING_TOLERANCE:
            return True
    return False


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


# The ways to write a calculation. `all_terms` are all numbers of the answer, with what stands between
# them. For `(13.1 - 2.8) * 0.5 = 5.15`:
#
#     numbers        0: 13.1    1: 2.8    2: 0.5    3: 5.15
#     connections         0: -      1: )*     2: =


def _equation(all_terms: _Terms, last: int) -> ShownResult | None:
    """Check the equation whose last term is at an index: the 0.5 in `2.8 * 0.5 = 1.4`.

    Returns None if no `=` follows this number, or if the equation cannot be calculated.
    """
    # 1. Find the equation: the first number that operators connect with the last one, and the
    #    result behind the `=`.
    before_result = all_terms.connections[last]
    if not before_result.endswith("=") or not _are_operators(before_result):
        return None
    result = all_terms.numbers[last + 1]
    first = last
    while (
        first > 0
        and last - first < _MAX_TERMS
        and _calculates(all_terms.connections[first - 1])
    ):
        first -= 1
    terms = all_terms.part(first, last + 1)
    if first == last:
        return _conversion(terms, result)

    # 2. Leave it out if it has several units that cannot be added: `20 % * 3 kg = 0.6 kg` has one
    #    unit, `2 h + 30 min = 2.5 h` two of one quantity, and `3 kg + 4 h` two others.
    units = (terms.units | {result.unit}) - {"", "%"}
    sizes = _sizes_of(units)
    with_unit = [number for number in terms.numbers if number.unit in units]
    multiplies = not set("*/").isdisjoint(terms.expression)
    if len(units) > 1 and (not sizes or (multiplies and len(with_unit) > 1)):
        return None

    # 3. Complete the parentheses. Those behind the last number come with the `=`, as in
    #    `3 * (4 + 5) = 27`. Those in front of the first number are still missing: `n0-n1)*n2`.
    calculation = terms.expression + before_result.removesuffix("=")
    missing = calculation.count(")") - calculation.count("(")
    opening = "(" * max(missing, 0)
    if not all_terms.answer[: terms.numbers[0].start].endswith(opening):
        return None

    # 4. Calculate it. An ambiguous number such as `1.199` is read as 1199, then as 1.199.
    calculation = opening + calculation
    size_of_result = sizes.get(result.unit, Fraction(1))
    exact: list[Fraction | None] = []
    for amounts in terms.readings():
        if len(units) > 1:
            amounts = tuple(
                amount * sizes[number.unit] / size_of_result
                if number.unit in sizes
                else amount
                for amount, number in zip(amounts, terms.numbers, strict=True)
            )
        exact.append(_evaluate(calculation, amounts))
    return _compared(terms, result, exact)


def _sizes_of(units: set[str]) -> dict[str, Fraction]:
    """Return the size of each unit if all measure the same quantity; else nothing."""
    known = [UNIT_BY_NAME[unit] for unit in units if unit in UNIT_BY_NAME]
    is_one_quantity = len({unit.quantity for unit in known}) == 1
    if len(known) < len(units) or not is_one_quantity:
        return {}
    return {unit.name: unit.size for unit in known}


def _conversion(terms: _Terms, result: WrittenValue) -> ShownResult | None:
    """Check an amount that is stated again in another unit: `21.0975 km = 13.11 miles`.

    Returns None for amounts that cannot be converted into each other, as in `x = 5`.
    """
    unit = UNIT_BY_NAME.get(terms.numbers[0].unit)
    other_unit = UNIT_BY_NAME.get(result.unit)
    if unit is None or other_unit is None or unit is other_unit:
        return None
    if unit.quantity != other_unit.quantity:
        return None
    factor = unit.size / other_unit.size
    exact = [amount * factor for (amount,) in terms.readings()]
    return _compared(terms, result, exact)


def _share_or_change(all_terms: _Terms, index: int) -> ShownResult | None:
    """Check a share or change whose first number is at an index; None if there is none.

    `12 of 48, i.e. 25 %`; `20 % of 50 = 10`; `from 40 to 30, a loss of 10`, or of 25 %
    """
    if index + 2 >= len(all_terms.numbers):
        return None
    pair = all_terms.part(index, index + 2)
    first, second = pair.numbers
    # `12 of 48 kg` is fine, but not `12 h of 48 kg`
    if first.unit not in ("", "%", second.unit):
        return None
    result = all_terms.numbers[index + 2]
    between, before_result = all_terms.connections[index : index + 2]
    exact: list[Fraction | None] = []
    if between in _OF and before_result == "=" and first.unit == "%":
        # `20 % of 50 EUR = 10 EUR`
        if second.unit == result.unit != "%":
            exact = [percent * whole / 100 for percent, whole in pair.readings()]
    elif between in _OF and before_result in _THAT_IS and result.unit == "%":
        for part, whole in pair.readings():
            if whole:
                exact.append(100 * part / whole)
    elif between in _TO and _names_change(before_result) and pair.has_from_before:
        for before, after in pair.readings():
            exact.append(after - before)
            if before:
                exact.append(100 * (after - before) / before)
    return _compared(pair, result, exact)


def _result_before_terms(all_terms: _Terms, index: int) -> ShownResult | None:
    """Return the number at an index, if it is the right result of the terms that explain it.

    They stand in parentheses or after a colon: 188.80 and 423.80 of `45 % (188.80 of 423.80)`, and
    42 and 17 of `59 kg: 42 kg and 17 kg`. Only right results are returned, because other numbers
    there may have nothing to do with the number before them.
    """
    # 1. Where the explanation ends: at the parenthesis, or at the end of the line
    answer = all_terms.answer
    result = all_terms.numbers[index]
    first_start = all_terms.numbers[index + 1].start
    text_between = answer[result.end : first_start]
    # A point that touches one of the two numbers belongs to it: `45 kg.: 12 kg`.
    has_sentence_end = "." in text_between.strip(".")
    if len(text_between) > _MAX_CHARS_BETWEEN_TERMS or has_sentence_end:
        return None
    if "(" in text_between:
        end = answer.find(")", first_start)
    elif ":" in text_between:
        end = answer.find("\n", first_start)
    else:
        return None
    if end < 0:
        end = len(answer)

    # 2. At least two terms in it
    count = 0
    for number in all_terms.numbers[index + 1 : index + 1 + _MAX_TERMS]:
        if number.start < end:
            count += 1
    if count < 2:
        return None
    terms = all_terms.part(index + 1, index + 1 + count)

    # 3. What they give
    exact = [_exact_result(terms, amounts) for amounts in terms.readings()]
    shown = _compared(terms, result, exact)
    if shown is None or not shown.is_right:
        return None
    # The text of `shown` ends at the result, but this result comes first.
    return replace(shown, text=answer[result.start : terms.numbers[-1].end])


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
    connections = terms.connections
    if all(map(_calculates, connections)):
        return _evaluate(terms.expression, amounts)
    is_less = connections[-1] in _LESS and terms.numbers[-1].unit == "%"
    remaining_share = 1 - amounts[-1] / 100
    match amounts:
        case [first, _] if is_less:
            return first * remaining_share
        case [part, whole] if connections[0] in _OF and whole:
            return 100 * part / whole
        case [before, after] if connections[0] in _TO and terms.has_from_before:
            return after - before
        case [count, amount, _] if connections[0] == "*" and is_less:
            return count * amount * remaining_share
    return sum(amounts, Fraction(0)) if len(terms.units) == 1 else None


# Three values of which one says how far the two others are apart, in any language: `880 EUR, 200 EUR
# more than the 680 EUR of weekdays`, `from 3 May to 12 May, 9 days`. Only right results are returned,
# because a number beside two others may have nothing to do with them.

_LEAST_DIFFERENCE: Final = 10
"""Of smaller numbers, one is too often the difference of the two others by chance."""
_NEIGHBOURS: Final = 4
"""One other value may stand among two dates and the time between them."""
_SECONDS_A_DAY: Final = 86_400
_FUNCTION_WORDS: Final = frozenset(
    {"", *(word for words in FUNCTION_WORDS.values() for word in words.split())}
)
"""What may stand behind a number that counts the same as the ones beside it."""


def _distances(values: Sequence[WrittenValue]) -> Iterator[ShownResult]:
    """Yield each of three neighbouring values that follows from the two others.

    Either amount or date may be the one that was calculated, and so may the distance. The caller
    knows which were read. Of three amounts, the largest would be a sum, whose terms may not be all.
    """
    numbers = [value for value in values if value.kind is ValueKind.NUMBER]
    triples = [*zip(numbers, numbers[1:], numbers[2:], strict=False)]
    for index in range(len(values)):
        first, *others = values[index : index + _NEIGHBOURS]
        for second, third in combinations(others, 2):
            if {first.kind, second.kind, third.kind} != {ValueKind.NUMBER}:
                triples.append((first, second, third))
    for triple in triples:
        for one, other, distance in permutations(triple):
            if not are_apart(one, other, distance):
                continue
            yield _shown_distance(distance, one, other)
            yield _shown_distance(one, other, distance)


def _shown_distance(result: WrittenValue, *operands: WrittenValue) -> ShownResult:
    """Return one of three values as the right result of the others."""
    return ShownResult(result, operands, is_right=True, text=operands[0].text)


def are_apart(one: WrittenValue, other: WrittenValue, distance: WrittenValue) -> bool:
    """Return True if two dates, times of day or amounts are a distance apart.

    3 May and 12 May 2026 are 9 days apart, 17:10 and 18:40 are 1.5 h apart, and 680 EUR and 880 EUR
    are 200 EUR apart; the smaller amount must come first.
    """
    values = (one, other, distance)
    if one.kind is not other.kind or distance.kind is not ValueKind.NUMBER:
        return False
    if any(len(value.canonical) > MOST_DIGITS for value in values):
        return False
    if one.kind is ValueKind.NUMBER:
        return _are_amounts_apart(one, other, distance)
    unit = UNIT_BY_NAME.get(distance.unit)
    if unit is None or unit.quantity != "duration":
        return False
    # If only one has a year, the other is taken to be in the same year. Without any, it is unknown if
    # a 29 February lies between them.
    year = year_of_date(one) or year_of_date(other)
    moments = [_seconds_of(value, year) for value in (one, other)]
    if moments[0] is None or moments[1] is None:
        return False
    return abs(moments[1] - moments[0]) == Fraction(distance.canonical) * unit.size


def _are_amounts_apart(*numbers: WrittenValue) -> bool:
    """Return True if the second of three amounts is the sum of the others: 680, 880 and 200 EUR."""
    # One may leave out the unit: `14 days, of which 5 are free, so 9 days`.
    units: set[str] = set()
    for number in numbers:
        if number.unit or number.follower not in _FUNCTION_WORDS:
            units.add(number.unit)
    if not units or "" in units or sum(not number.unit for number in numbers) > 1:
        return False
    # 130 l, 11 hl and 9.7 hl are compared in litres.
    sizes = _sizes_of(units) if len(units) > 1 else dict.fromkeys(units, Fraction(1))
    if not sizes:
        return False
    amounts = [
        abs(Fraction(number.canonical)) * sizes.get(number.unit, Fraction(1))
        for number in numbers
    ]
    is_small = all(
        abs(Fraction(number.canonical)) < _LEAST_DIFFERENCE for number in numbers
    )
    return not is_small and amounts[1] == amounts[0] + amounts[2]


def _seconds_of(moment: WrittenValue, year: str) -> int | None:
    """Return the seconds up to a date in a year, or of a time of day; None if it does not exist."""
    if moment.kind is ValueKind.TIME:
        hours, minutes, *seconds = map(int, moment.canonical.split(":"))
        return 3_600 * hours + 60 * minutes + sum(seconds)
    if moment.kind is not ValueKind.DATE:
        return None
    try:
        day = date.fromisoformat(
            f"{year_of_date(moment) or year}-{day_of_date(moment)}"
        )
    except ValueError:  # 29 February in a year without that day, or no year
        return None
    return day.toordinal() * _SECONDS_A_DAY


def is_age(value: WrittenValue, first: WrittenValue, second: WrittenValue) -> bool:
    """Return True for the full years between two dates: `4 years`, 15 March 2022 and 20 April 2026."""
    if value.unit != "year" or {first.kind, second.kind} != {ValueKind.DATE}:
        return False
    earlier, later = sorted((first, second), key=lambda moment: moment.canonical)
    if not year_of_date(earlier) or not year_of_date(later):
        return False
    years = int(year_of_date(later)) - int(year_of_date(earlier))
    is_before_day = day_of_date(later) < day_of_date(earlier)
    return value.canonical == str(years - 1 if is_before_day else years)


def shown_results(answer: str, values: Sequence[WrittenValue]) -> Iterator[ShownResult]:
    """Yield each result of arithmetic in an answer: 770, with its terms, for `300 + 470 = 770`.

    `values` are all values of the answer in order: numbers, dates and others.
    """
    all_terms = _connected(answer, values)
    indices = range(len(all_terms.connections))  # of all numbers but the last one

    # 1 and 2. Any number may be the last term of an equation, or the first of a share or change.
    for index in indices:
        for shown in (_equation(all_terms, index), _share_or_change(all_terms, index)):
            if shown is not None:
                yield shown

    # 3. These come after 1 and 2, whose results may be their terms: `300 + 470 = 770. Total 1000:
    #    770 and 230`. The caller learns in this order what is supported.
    for index in indices:
        explained = _result_before_terms(all_terms, index)
        if explained is not None:
            yield explained

    # 4. `880 EUR, 200 EUR more than the 680 EUR`, `from 3 May to 12 May, 9 days`
    for shown in _distances(values):
        moments = (shown.result, *shown.operands)
        text = answer[
            min(value.start for value in moments) : max(value.end for value in moments)
        ]
        if "\n" not in text and len(text) <= 3 * _MAX_CHARS_BETWEEN_TERMS:
            yield replace(shown, text=text)
