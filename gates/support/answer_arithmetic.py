"""Arithmetic that an answer spells out, done again.

`300 + 470 = 770`, `12 of 48, i.e. 25 %`, `from 40 to 30, a loss of 10`, `from 3 May to 12 May, 9
days`.
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

MOST_TERMS: Final = 12
MOST_GAP_CHARS: Final = 40
"""Characters between two numbers of one calculation."""
MOST_OPEN_READINGS: Final = 4
"""Terms with two readings of which all combinations are tried."""
_SIGNS: Final = str.maketrans(
    {"−": "-", "–": "-", "×": "*", "·": "*", "÷": "/", "≈": "=", "⋅": "*"}
)
_OF: Final = ("of", "out of", "von", "sur", "di", "van", "de", "av", "af", "z", "ze")
_THAT_IS: Final = ("i.e.", "that is", "=", "(", "das sind", "soit", "or", "d.h.", "oder", "- ")
_TO: Final = ("to", "auf", "bis", "a", "à", "al", "till", "do", "til", "-", "->", "→")
_FROM: Final = frozenset(("from", "von", "de", "du", "da", "från", "fra", "od", "z", "vom"))
_CHANGES: Final = frozenset(
    (
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
    )
)
_LESS: Final = ("less", "minus", "-", "abzüglich", "moins", "menos", "meno", "min")
_NEAR_CHARS: Final = 60
"""Characters between two dates and the duration that is reckoned from them."""


@dataclass(frozen=True, slots=True)
class SpelledResult:
    """The result of arithmetic that an answer shows."""

    result: WrittenValue
    operands: tuple[WrittenValue, ...]
    is_right: bool
    text: str
    """The part of the answer from the first operand to the result."""


def spelled_results(answer: str, values: Sequence[WrittenValue]) -> Iterator[SpelledResult]:
    """Yield each result of arithmetic in an answer, given the answer's values."""
    numbers = _unsigned([value for value in values if value.kind is Kind.NUMBER])
    gaps = [_gap(answer, *pair) for pair in pairwise(numbers)]
    for index, gap in enumerate(gaps):
        result = None
        if gap.endswith("="):
            result = _result_of_expression(answer, numbers, gaps, index)
        elif index + 2 < len(numbers):
            result = _result_of_words(answer, numbers[index : index + 3], gap, gaps[index + 1])
        if result is not None:
            yield result
    for index in range(len(numbers) - 1):
        result = _result_in_front(answer, numbers, gaps, index)
        if result is not None:
            yield result
    yield from _durations(answer, values)
    yield from _shifted_moments(answer, values)


def _unsigned(numbers: list[WrittenValue]) -> list[WrittenValue]:
    """Return numbers in which a sign behind another number is an operator: `13 -2 = 11`."""
    unsigned: list[WrittenValue] = []
    for number in numbers:
        is_operator = number.text[:1] == "-" and unsigned and number.start - unsigned[-1].end < 2
        if is_operator:
            number = replace(
                number,
                text=number.text[1:],
                start=number.start + 1,
                canonical=number.canonical.removeprefix("-"),
            )
        unsigned.append(number)
    return unsigned


def _gap(answer: str, first: WrittenValue, second: WrittenValue) -> str:
    """Return what stands between two numbers without the unit of the first: operators, or words."""
    text = answer[first.end : second.start].casefold().translate(_SIGNS)
    if len(text) > MOST_GAP_CHARS or "\n" in text:
        return "?"
    if text[:1].isalpha() and not first.unit:  # `2x + 3 = 11`
        return "?"
    words: list[str] = []
    for word in text.replace("=", " = ").split():
        bare = word.strip("().,-")
        is_unit = bool(first.unit) and bool(bare) and unit_of(bare) == first.unit
        if not is_unit:
            words.append(word)
    if all(word.strip(_OPERATORS) == "" for word in words):
        return "".join(words).replace("x", "*").strip("$€£")
    return " ".join(words).strip("$€£ ,;")


_OPERATORS: Final = "+-*/x()=$€£"


def _result_of_expression(
    answer: str, numbers: Sequence[WrittenValue], gaps: Sequence[str], index: int
) -> SpelledResult | None:
    """Judge `(13.1 - 2.8) * 0.5 = 5.15`, whose last number in front of the sign is at `index`."""
    first = index
    while first > 0 and index - first < MOST_TERMS and _is_operator(gaps[first - 1]):
        first -= 1
    if first == index:
        return None
    expression = ""
    for number_index in range(first, index):
        expression += f"n{number_index}{gaps[number_index]}"
    expression += f"n{index}{gaps[index].removesuffix('=')}"
    opening = expression.count(")") - expression.count("(")
    start = numbers[first].start
    if opening < 0 or answer[max(start - opening, 0) : start] != "(" * opening:
        return None
    terms = tuple(numbers[first : index + 1])
    result = numbers[index + 1]
    units = {number.unit for number in (*terms, result)} - {"", "%"}
    if len(units) > 1:
        return None
    amounts = []
    for reading in _readings(terms):
        names = {f"n{first + offset}": amount for offset, amount in enumerate(reading)}
        amount = _evaluated("(" * opening + expression, names)
        if amount is not None:
            amounts.append(amount)
    return _judged(answer, terms, result, amounts)


def _is_operator(gap: str) -> bool:
    return gap.strip("()") != "" and gap.strip("+-*/()") == ""


def _readings(terms: Sequence[WrittenValue]) -> Iterator[tuple[Fraction, ...]]:
    """Yield the amounts of terms, in all combinations of readings if few terms have two."""
    choices: list[list[Fraction]] = []
    open_readings = sum(1 for term in terms if term.other_canonical)
    for term in terms:
        readings = [term.canonical]
        if term.other_canonical and open_readings <= MOST_OPEN_READINGS:
            readings.append(term.other_canonical)
        choices.append([Fraction(reading) for reading in readings if len(reading) <= MOST_DIGITS])
    yield from product(*choices)


def _evaluated(expression: str, amounts: Mapping[str, Fraction]) -> Fraction | None:
    """Return the exact result of an expression over names; None if it is not one."""
    try:
        tree = ast.parse(expression, mode="eval")
    except (SyntaxError, RecursionError, MemoryError):
        return None
    return _result_of(tree.body, amounts)


def _result_of(node: ast.expr, amounts: Mapping[str, Fraction]) -> Fraction | None:
    match node:
        case ast.Name(id=name):
            return amounts.get(name)
        case ast.BinOp(left=left, op=operator, right=right):
            first = _result_of(left, amounts)
            second = _result_of(right, amounts)
            if first is None or second is None:
                return None
            match operator:
                case ast.Add():
                    return first + second
                case ast.Sub():
                    return first - second
                case ast.Mult():
                    return first * second
                case ast.Div() if second:
                    return first / second
    return None


def _result_of_words(
    answer: str, numbers: Sequence[WrittenValue], gap: str, next_gap: str
) -> SpelledResult | None:
    """Judge `12 of 48, i.e. 25 %` and `from 40 to 30, a loss of 10`."""
    first, second, result = numbers
    if first.unit not in ("", second.unit):
        return None
    readings = list(_readings((first, second)))
    amounts: list[Fraction] = []
    if gap in _OF and next_gap in _THAT_IS and result.unit == "%":
        for part, whole in readings:
            if whole:
                amounts.append(100 * part / whole)
    elif gap in _TO and _is_behind_from(answer, first) and _tells_change(next_gap):
        for before, after in readings:
            amounts.append(after - before)
            if before:
                amounts.append(100 * (after - before) / before)
    else:
        return None
    return _judged(answer, (first, second), result, amounts)


def _is_behind_from(answer: str, value: WrittenValue) -> bool:
    words = answer[max(value.start - 12, 0) : value.start].casefold().replace("(", " ").split()
    return not _FROM.isdisjoint(words[-2:])


def _tells_change(gap: str) -> bool:
    """Say whether the words in front of a number name it as a change, as `a loss of` does."""
    words = gap.split()
    return 1 < len(words) < 4 and words[-1] == "of" and words[-2] in _CHANGES


def _judged(
    answer: str,
    operands: tuple[WrittenValue, ...],
    result: WrittenValue,
    amounts: Sequence[Fraction],
) -> SpelledResult | None:
    """Compare a result with what its operands give; a percentage may be meant as a share."""
    if not amounts or len(result.canonical) > MOST_DIGITS:
        return None
    factors = [Fraction(1)]
    if any(value.unit == "%" for value in (*operands, result)):
        factors += [Fraction(1, 100), Fraction(100)]
    is_right = False
    for amount in amounts:
        for factor in factors:
            if _comes_out(abs(amount), result, factor):
                is_right = True
    text = answer[operands[0].start : result.end]
    return SpelledResult(result, operands, is_right, text)


def _comes_out(amount: Fraction, result: WrittenValue, factor: Fraction) -> bool:
    """Say whether an amount is a result up to its rounding; closing zeros of a whole number may
    be rounded."""
    stated_amounts = [(result.canonical, result.decimals)]
    if result.other_canonical:
        stated_amounts.append((result.other_canonical, result.other_decimals))
    for canonical, decimals in stated_amounts:
        zeros = len(canonical) - len(canonical.rstrip("0"))
        if decimals == 0 and canonical != "0":
            decimals = -zeros
        last_digit = Fraction(10) ** -decimals * factor
        difference = abs(amount - abs(Fraction(canonical)) * factor)
        if difference <= last_digit * _HALF_AND_A_BIT:
            return True
    return False


_HALF_AND_A_BIT: Final = Fraction(501, 1000)
"""Half a unit of the last digit; a little more, since operands may be rounded, too."""


def _result_in_front(
    answer: str, numbers: Sequence[WrittenValue], gaps: Sequence[str], index: int
) -> SpelledResult | None:
    """Return a right result in front of its calculation: `45 % (188.80 of 423.80)`, `239 kg: 185
    kg, 42 kg and 12 kg`.

    A result that differs may be of something else.
    """
    result = numbers[index]
    between = answer[result.end : numbers[index + 1].start]
    closing = ""
    if "(" in between and len(between) <= MOST_GAP_CHARS:
        closing = ")"
    elif ":" in between and len(between) <= MOST_GAP_CHARS:
        closing = "\n"
    if not closing or "." in between.strip("."):
        return None
    clause_end = answer.find(closing, result.end + len(between))
    if clause_end < 0:
        clause_end = len(answer)
    terms = [
        number
        for number in numbers[index + 1 : index + 1 + MOST_TERMS]
        if number.start < clause_end
    ]
    amounts = _amounts_of_clause(answer, terms, gaps[index + 1 : index + len(terms)])
    judged = _judged(answer, tuple(terms), result, amounts) if terms else None
    if judged is None or not judged.is_right:
        return None
    return replace(judged, text=answer[result.start : terms[-1].end])


def _amounts_of_clause(
    answer: str, terms: Sequence[WrittenValue], gaps: Sequence[str]
) -> list[Fraction]:
    """Return what the terms of a clause give: by operators, as a share, as a change, or as the
    sum of a list."""
    if len(terms) < 2:
        return []
    amounts: list[Fraction] = []
    for reading in _readings(terms):
        first = reading[0]
        second = reading[1]
        if all(_is_operator(gap) for gap in gaps):
            names = {f"n{index}": amount for index, amount in enumerate(reading)}
            expression = "".join(f"n{index}{gap}" for index, gap in enumerate(gaps))
            amount = _evaluated(f"{expression}n{len(gaps)}", names)
            if amount is not None:
                amounts.append(amount)
        elif len(terms) == 3 and gaps[0] == "*" and _is_reduction(terms[2], gaps[1]):
            amounts.append(first * second * (1 - reading[2] / 100))
        elif len(terms) == 2 and _is_reduction(terms[1], gaps[0]):
            amounts.append(first * (1 - second / 100))
        elif len(terms) == 2 and gaps[0] in _OF and second:
            amounts.append(100 * first / second)
        elif len(terms) == 2 and gaps[0] in _TO and _is_behind_from(answer, terms[0]):
            amounts.append(second - first)
        elif len({term.unit for term in terms}) == 1:
            amounts.append(sum(reading, Fraction(0)))
    return amounts


def _is_reduction(share: WrittenValue, gap: str) -> bool:
    """Say whether a percentage is taken off, as in `1,240 EUR less 5 %`."""
    return share.unit == "%" and gap in _LESS


def _durations(answer: str, values: Sequence[WrittenValue]) -> Iterator[SpelledResult]:
    """Yield durations behind two dates, or two times, that they lie apart: `from 3 May to 12
    May, 9 days`."""
    for index in range(len(values) - 2):
        first, second, result = values[index : index + 3]
        is_pair = first.kind is second.kind and first.kind in (Kind.DATE, Kind.TIME)
        is_near = result.start - first.end < _NEAR_CHARS
        unit = UNIT_BY_NAME.get(result.unit)
        if not is_pair or not is_near or unit is None or unit.quantity != "duration":
            continue
        seconds = _seconds_between(first, second)
        if seconds is None or len(result.canonical) > MOST_DIGITS:
            continue
        is_right = seconds == Fraction(result.canonical) * unit.size
        if is_right:  # a duration that differs may be of something else
            text = answer[first.start : result.end]
            yield SpelledResult(result, (first, second), is_right, text)


def _shifted_moments(answer: str, values: Sequence[WrittenValue]) -> Iterator[SpelledResult]:
    """Yield dates and times that lie a stated duration from another one of the same sentence."""
    for index, duration in enumerate(values):
        unit = UNIT_BY_NAME.get(duration.unit)
        if unit is None or unit.quantity != "duration" or len(duration.canonical) > MOST_DIGITS:
            continue
        seconds = Fraction(duration.canonical) * unit.size
        near = values[max(index - 2, 0) : index + 3]
        for first, second in permutations(near, 2):
            is_pair = first.kind is second.kind and first.kind in (Kind.DATE, Kind.TIME)
            if not is_pair or _seconds_between(first, second) != seconds:
                continue
            start = min(first.start, duration.start, second.start)
            end = max(first.end, duration.end, second.end)
            if _SENTENCE_END not in answer[start:end]:
                yield SpelledResult(second, (first, duration), True, answer[start:end])


_SENTENCE_END: Final = "\n"


def _seconds_between(first: WrittenValue, second: WrittenValue) -> int | None:
    """Return how far two dates, or two times, are apart. A date without a year is in the year of
    the other one."""
    if first.kind is Kind.DATE:
        year = max(first.canonical[:4], second.canonical[:4])
        if year.startswith("-"):
            return None
        days = _day_in(year, second) - _day_in(year, first)
        return abs(days.days) * 86_400
    return abs(_seconds_of(second) - _seconds_of(first))


def _day_in(year: str, day: WrittenValue) -> date:
    if day.canonical.startswith("-"):
        return date.fromisoformat(f"{year}{day.canonical[1:]}")
    return date.fromisoformat(day.canonical)


def _seconds_of(time: WrittenValue) -> int:
    hours, minutes, *seconds = time.canonical.split(":")
    return 3600 * int(hours) + 60 * int(minutes) + sum(map(int, seconds))
