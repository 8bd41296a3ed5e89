"""A value of an answer with what supports it: a mark.

    The fee is 300 EUR and 555 EUR.

The mark of 300 says that it was found in `loans.csv`, line 2, and that of 555 that nothing
states it. They become the footnotes of the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from controlplane.gates.support.sources.places import Place
from controlplane.gates.values.value_kinds import WrittenValue

Support: TypeAlias = Literal["found", "computed", "given", "written", "unverified"]
"""What supports a value.

- `found`: a text that was read states it
- `computed`: a script computed it, or the answer shows how, from supported values
- `given`: the question states it
- `written`: the trial's own script wrote it into a file
- `unverified`: nothing
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """One value of an answer, with what supports it."""

    value: WrittenValue
    support: Support
    place: Place | None = None
    """Where the value was found, or the value that is nearest to an unverified one.

    None if neither is known, or if several places fit equally well.
    """
    note: str = ""
    """What is shown beside the support: `rounded from 6.545`, `= sum(fees)`, `nearest: 470`."""

    @property
    def is_supported(self) -> bool:
        """True if something supports the value."""
        return self.support != "unverified"
