"""How a value in a text supports a value of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.gates.values.value_kinds import WrittenValue


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a found value supports a stated one."""

    note: str = ""
    """What differs, such as `rounded from 6.545`; empty if both values are equal."""
    is_rounded: bool = False
    """True if the stated value is the found one with fewer digits."""


EQUAL: Final = Agreement()


def share_reading(stated: WrittenValue, found: WrittenValue) -> bool:
    """Return True if two values can mean the same.

    `03/04/2026` has two readings: 3 April and 4 March.

    - If the answer has it, a text with either date supports it.
    - If the text has it, it supports only the same ambiguous date, because nothing says
      which one was meant.
    """
    # `canonical` is the first reading, and `other_canonical` the second one or "".
    stated_readings = {stated.canonical, stated.other_canonical}
    if found.other_canonical:
        return {found.canonical, found.other_canonical} == stated_readings
    return found.canonical in stated_readings
