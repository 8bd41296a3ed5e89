"""Neighbouring numbers of an answer, with what stands between them: the terms of a calculation.

12 of 48, i.e. 25 %         the numbers 12, 48 and 25 %, with the connections `of` and `i.e.`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Final

from controlplane.gates.support.arithmetic.number_connections import (
    NumberConnection,
    connection_between,
)
from controlplane.gates.values.spans import WrittenValue

MAX_TERMS: Final = 12
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
class Terms:
    """Neighbouring numbers of an answer, with what stands between them."""

    answer: str
    numbers: tuple[WrittenValue, ...]
    connections: tuple[NumberConnection, ...]
    """`connections[i]` stands between `numbers[i]` and `numbers[i + 1]`."""

    def part(self, start: int, end: int) -> Terms:
        """Return the numbers from index `start` up to, but not including, `end`."""
        return Terms(
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


def connected(answer: str, numbers: Sequence[WrittenValue]) -> Terms:
    """Return numbers of an answer with what stands between each and the next one."""
    connections = [
        connection_between(answer, first, second) for first, second in pairwise(numbers)
    ]
    return Terms(answer, tuple(numbers), tuple(connections))


def without_operator_signs(numbers: Sequence[WrittenValue]) -> list[WrittenValue]:
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
