"""Compares two numbers by amount and unit: `6.5 kg` with `6.545 kg` or `6500 g`.

One number is stated in an answer, the other was found in a text. An `Agreement` says that
they are equal, or in what they differ, such as "rounded from 6.545"; None says that the text
does not support the answer.
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.boilerplate import BOILERPLATE
from controlplane.gates.support.matching.agreements import (
    EQUAL,
    Agreement,
    share_reading,
)
from controlplane.gates.support.matching.rounding import amount_of, is_rounded
from controlplane.gates.support.sources.number_labels import NumberLabels
from controlplane.gates.values.locale_names import FUNCTION_WORDS
from controlplane.gates.values.numbers.amounts import (
    fraction_text,
    shifted,
)
from controlplane.gates.values.units import SHARED_NAMES, UNIT_BY_NAME
from controlplane.gates.values.value_kinds import WrittenValue

_FUNCTION_WORDS: Final = BOILERPLATE.union(
    *(words.split() for words in FUNCTION_WORDS.values())
)
"""Words that may follow a number without saying what it counts: `45 of`, unlike `45 seats`."""


def compare_numbers(
    stated: WrittenValue, found: WrittenValue, labels: NumberLabels
) -> Agreement | None:
    """Compare the number that an answer states with one that was found in a text.

    The unit of the found number is the one beside it, or else that of its labels, such
    as the heading of its column. If the answer states `6.5 kg`, and the text has:

    - `6.5 kg`, or 6.5 in a column `weight_kg`: the amounts are compared as they are;
    - `6500 g`, or 6500 in a column `weight_g`: the found amount is converted;
    - a bare 6.5, without any unit or label: the amounts are compared as they are;
    - `6.5 h`, or 6.5 in a column `hours`: they differ, so None is returned.
    """
    # `other_canonical` is a second way to read a number: `1.199` as 1199 or 1.199. If the
    # text can be read in two ways and the answer cannot, the text does not support it.
    if found.other_canonical and not stated.other_canonical:
        return None
    if not stated.unit:
        return _compare_amounts(stated, found, labels)
    units = frozenset({found.unit}) if found.unit else labels.units
    if not units:
        return _compare_with_bare(stated, found, labels)
    if any(are_same_unit(unit, stated.unit) for unit in units):
        return _compare_amounts(stated, found, labels)

    # If labels name two convertible units, it is unknown which one counts.
    convertible = [unit for unit in units if _measure_the_same(unit, stated.unit)]
    if len(convertible) != 1:
        return None
    return _compare_converted(stated, found, convertible[0])


def _compare_with_bare(
    stated: WrittenValue, found: WrittenValue, labels: NumberLabels
) -> Agreement | None:
    """Compare the number that an answer states, with a unit, with a found one that has none.

    stated     found in the text
    `12 kg`    `12`         agree: the text may have left the unit out
    `12 %`     `12`         differ, because few numbers without a unit are percentages
    `12 kg`    `12 seats`   differ, because `seats` says what the number counts
    """
    # `follower` is the word behind the number, such as `seats`.
    counts_something = found.follower != "" and found.follower not in _FUNCTION_WORDS
    if counts_something or stated.unit == "%":
        return None
    return _compare_amounts(stated, found, labels)


def are_same_unit(first: str, second: str) -> bool:
    """Return True if two units are equal, or if one is an ambiguous name of the other.

    `kr` may be SEK, NOK, DKK or ISK.
    """
    meanings_of_first = SHARED_NAMES.get(first, ())
    meanings_of_second = SHARED_NAMES.get(second, ())
    return first == second or second in meanings_of_first or first in meanings_of_second


def _measure_the_same(first: str, second: str) -> bool:
    """Return True if one unit can be converted into the other: `g` and `kg`, not `g` and `h`."""
    if first not in UNIT_BY_NAME or second not in UNIT_BY_NAME:
        return False
    return UNIT_BY_NAME[first].quantity == UNIT_BY_NAME[second].quantity


def _compare_amounts(
    stated: WrittenValue, found: WrittenValue, labels: NumberLabels
) -> Agreement | None:
    """Compare two amounts in the same unit: as they are, scaled by labels, or rounded.

    Returns None if the found number does not support the stated one. Labels are words beside
    the found number, such as the heading of its column.
    """
    if share_reading(stated, found):  # stated `1.199`, found `1199`
        return EQUAL
    # 12 under the heading `in thousands`, the power 3 of ten, supports 12,000.
    for power in labels.powers:
        if shifted(found.canonical, power) == stated.canonical:
            return EQUAL
    # A stated number may be rounded from one with more decimals: 6.5 from 6.545.
    if found.decimals <= stated.decimals:
        return None
    exact = amount_of(found)
    if exact is not None and is_rounded(stated, exact):
        return Agreement(f"rounded from {found.text}", is_rounded=True)
    return None


def _compare_converted(
    stated: WrittenValue, found: WrittenValue, found_unit: str
) -> Agreement | None:
    """Compare amounts in two units of one quantity: `6.5 kg` and `6500 g`, which are equal.

    `found_unit` is the unit of the found number, beside it or from its labels. Returns None if
    the amounts differ.
    """
    amount = amount_of(found)
    if amount is None:
        return None
    # `size`: how many base units one unit has, such as 1000 grams of a kilogram
    converted = amount * UNIT_BY_NAME[found_unit].size / UNIT_BY_NAME[stated.unit].size
    if fraction_text(converted) == stated.canonical:
        return Agreement(f"{found.text} {found_unit}")
    if is_rounded(stated, converted):
        return Agreement(f"rounded from {found.text} {found_unit}", is_rounded=True)
    return None
