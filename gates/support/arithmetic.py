"""Recalculates the arithmetic in an answer, and reports which results are right.

An answer may write a calculation in five ways:

1. an equation: `300 + 470 = 770`;
2. a share or a change in words: `12 of 48, i.e. 25 %`, `from 40 to 30, a loss of 10`;
3. a result, and then the numbers it comes from: `239 kg: 185 kg, 42 kg and 12 kg`;
4. two amounts and their difference, side by side: `880 EUR, 200 EUR more than the 680 EUR`;
5. two dates or times, and the time between them: `from 3 May to 12 May, 9 days`.

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
from itertools import pairwise, permutations, product
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


_LEAST_DIFFERENCE: Final = 10
"""Of smaller numbers, one is too often the difference of the two others by chance."""


def _is_small(numbers: Sequence[WrittenValue]) -> bool:
    """Return True if no number is as large as `_LEAST_DIFFERENCE`."""
    return all(
        abs(Fraction(number.canonical)) < _LEAST_DIFFERENCE for number in numbers
    )


def _difference(all_terms: _Terms, index: int) -> Iterator[ShownResult]:
    """Yield each of three neighbouring amounts that is the difference of the two others.

    `880 EUR, 200 EUR more than the 680 EUR of weekdays`: in any language, each of the two
    smaller amounts may be the one that was calculated. The caller knows which were read. The
    largest one would be a sum, whose terms may not be all.
    """
    terms = all_terms.part(index, index + 3)
    numbers = list(terms.numbers)
    if len(numbers) < 3:
        return
    # The second one may leave out the unit: `14 days, of which 5 are free, so 9 days`.
    first, second, last = numbers
    counts_same = second.follower in _FUNCTION_WORDS and first.unit == last.unit
    if not second.unit and counts_same:
        numbers[1] = replace(second, unit=first.unit)
    if not all(number.unit for number in numbers):
        return
    units = [UNIT_BY_NAME.get(number.unit) for number in numbers]
    quantities = {unit.quantity for unit in units if unit is not None}
    has_other_unit = len({number.unit for number in numbers}) > 1
    if has_other_unit and (None in units or len(quantities) > 1):
        return
    text = all_terms.answer[numbers[0].start : numbers[2].end]
    if "\n" in text or len(text) > 3 * _MAX_CHARS_BETWEEN_TERMS:
        return
    if any(len(number.canonical) > MOST_DIGITS for number in numbers):
        return
    # 130 l, 11 hl and 9.7 hl are compared in litres.
    amounts = [
        abs(Fraction(number.canonical)) * (unit.size if unit is not None else 1)
        for number, unit in zip(numbers, units, strict=True)
    ]
    most = max(amounts)
    if sum(amounts) != 2 * most or _is_small(numbers):
        return
    for result, amount in zip(numbers, amounts, strict=True):
        if amount != most:
            operands = tuple(number for number in numbers if number is not result)
            yield ShownResult(result, operands, is_right=True, text=text)


_FUNCTION_WORDS: Final = frozenset(
    {"", *(word for words in FUNCTION_WORDS.values() for word in words.split())}
)
"""What may stand behind a number that counts the same as the one before."""


# Dates and times that are a duration apart. Only right results are returned, because a wrong duration
# may belong to something else.

_MAX_CHARS_BEFORE_DURATION: Final = 60
"""Characters between the first of two dates and the duration that is calculated from them."""
_SECONDS_A_DAY: Final = 86_400


def _durations(answer: str, values: Sequence[WrittenValue]) -> Iterator[ShownResult]:
    """Yield right durations behind two dates or times: `from 3 May to 12 May, 9 days`.

    `values` are all values of the answer in order, also those that are no dates or times.
    """
    # Each three values in a row: 3 May, 12 May and 9 days
    for first, second, duration in zip(values, values[1:], values[2:], strict=False):
        is_near = duration.start - first.end < _MAX_CHARS_BEFORE_DURATION
        if is_near and are_apart(first, second, duration):
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
        # Both dates or times are among the two values before the duration and the two behind.
        neighbours = [
            *values[max(index - 2, 0) : index],
            *values[index + 1 : index + 3],
        ]
        for first, second in permutations(neighbours, 2):  # in either order
            start = min(first.start, duration.start, second.start)
            end = max(first.end, duration.end, second.end)
            text = answer[start:end]
            if "\n" not in text and are_apart(first, second, duration):
                yield ShownResult(second, (first, duration), is_right=True, text=text)


def are_apart(
    first: WrittenValue, second: WrittenValue, duration: WrittenValue
) -> bool:
    """Return True if two dates, or two times of day, are a duration apart.

    3 May and 12 May 2026 are 9 days apart, and 17:10 and 18:40 are 1.5 h apart.
    """
    unit = UNIT_BY_NAME.get(duration.unit)
    if unit is None or unit.quantity != "duration" or first.kind is not second.kind:
        return False
    if len(duration.canonical) > MOST_DIGITS:
        return False
    seconds = Fraction(duration.canonical) * unit.size
    if first.kind is ValueKind.TIME:
        difference = _seconds_since_midnight(second) - _seconds_since_midnight(first)
        return abs(difference) == seconds
    if first.kind is not ValueKind.DATE:
        return False
    # If only one has a year, the other is taken to be in the same year. Without any, it is unknown if
    # a 29 February lies between them.
    year = year_of_date(first) or year_of_date(second)
    first_moment = _seconds_of_date(year, first)
    second_moment = _seconds_of_date(year, second)
    if first_moment is None or second_moment is None:
        return False
    return abs(second_moment - first_moment) == seconds


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


def _seconds_since_midnight(time: WrittenValue) -> int:
    """Return the seconds of `17:10` or `17:10:05`."""
    hours, minutes, *seconds = map(int, time.canonical.split(":"))
    return 3_600 * hours + 60 * minutes + sum(seconds)


def _seconds_of_date(default_year: str, value: WrittenValue) -> int | None:
    """Return the seconds up to a date, in its own year or the default one.

    None for a date that does not exist: 29 February in a year without that day.
    """
    year = year_of_date(value) or default_year
    try:
        day = date.fromisoformat(f"{year}-{day_of_date(value)}")
    except ValueError:
        return None
    return day.toordinal() * _SECONDS_A_DAY


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

    # 4. `880 EUR, 200 EUR more than the 680 EUR`
    for index in indices:
        yield from _difference(all_terms, index)

    # 5. `from 3 May to 12 May, 9 days`, and `3 May, 9 days later, on 12 May`
    yield from _durations(answer, values)
    yield from _shifted_moments(answer, values)
