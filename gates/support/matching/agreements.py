"""How a value in a text supports a value of an answer.

answer (stated)    text (found)
`1,250 kg`         `1250 kg`       EQUAL
`6.5 kg`           `6.545 kg`      Agreement("rounded from 6.545", is_rounded=True)
"""

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
    """Return True if the value of a text can mean the same as the stated one of the answer.

    `03/04/2026` has two readings: 3 April and 4 March.

    | the answer states | the text has   | supported                                       |
    | ----------------- | -------------- | ----------------------------------------------- |
    | `03/04/2026`      | `4 March 2026` | yes, the answer can mean this                   |
    | `4 March 2026`    | `03/04/2026`   | no, nothing says that the text means this       |
    | `03/04/2026`      | `03/04/2026`   | yes                                             |
    """
    # `canonical` is the first reading, and `other_canonical` the second one or "".
    stated_readings = {stated.canonical, stated.other_canonical}
    if found.other_canonical:
        return {found.canonical, found.other_canonical} == stated_readings
    return found.canonical in stated_readings
