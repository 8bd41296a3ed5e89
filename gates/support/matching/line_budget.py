"""Limits how many lines of texts are compared with the values of an answer.

A trial may have read a lot. With a limit, its answer is judged within seconds all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.gates.support.sources.sources import Source

MAX_LINES: Final = 30_000
"""The most lines of one kind of source (files, the question) that are compared for an answer.

Only lines whose values are known already count as one.
"""
COST_OF_READING: Final = 10
"""How many lines count for one that is read for the first time.

Reading tries dozens of patterns. Afterwards, the values of the line are cached.
"""


@dataclass(slots=True)
class LineBudget:
    """How many lines may still be compared. When nothing is left, no further values are found."""

    remaining: int = MAX_LINES
    """Lines that are left; one whose values are not known yet takes `COST_OF_READING` of them."""

    def spend(self, source: Source, line: int) -> bool:
        """Return True if a line may be compared, and take its cost from the budget.

        The last line may cost more than is left. Then `remaining` becomes negative.
        """
        if self.remaining <= 0:
            return False
        if source.values.are_read(line):
            self.remaining -= 1
        else:
            self.remaining -= COST_OF_READING
        return True
