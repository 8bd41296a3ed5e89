"""How far two values of the same kind are apart: 12 and 15, or `FA-19` and `FA-21`.

If nothing supports a value of an answer, the nearest value that was read is shown beside it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from posixpath import commonprefix
from typing import Final

from controlplane.gates.support.matching.rounding import amount_of
from controlplane.gates.values.value_kinds import Kind, WrittenValue

PENALTY_OF_OTHER_UNIT: Final = 1
"""Added to the distance of two numbers in different units, so that those in the same are nearer.

Without it, the distance of two positive numbers is less than 1.
"""


def distance_of(value: WrittenValue, candidate: WrittenValue) -> float:
    """Return the distance of two values; infinite for values of different kinds.

    For numbers, it is their difference (12 and 15: 0.2); for other values, the number of
    characters from the first different one on (FA-19 and FA-21: 2).
    """
    if candidate.kind is not value.kind:
        return math.inf
    if value.kind is Kind.NUMBER:
        return _distance_of_numbers(value, candidate)
    shared_start = commonprefix([value.canonical, candidate.canonical])
    return max(len(value.canonical), len(candidate.canonical)) - len(shared_start)


def _distance_of_numbers(value: WrittenValue, candidate: WrittenValue) -> float:
    """Return the difference of two numbers as a share of the larger one: 12 and 15 -> 0.2.

    Between numbers up to 1, it is the difference itself: 0.1 and 0.2 -> 0.1.
    """
    amount = amount_of(value)
    other_amount = amount_of(candidate)
    if amount is None or other_amount is None:
        return math.inf
    size = max(abs(amount), abs(other_amount), Fraction(1))
    distance = float(abs(amount - other_amount) / size)
    if candidate.unit != value.unit:
        distance += PENALTY_OF_OTHER_UNIT
    return distance
