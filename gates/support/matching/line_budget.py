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
"""What a line counts when it is read for the first time, because dozens of patterns are tried.
Then its values are cached.
"""


@dataclass(slots=True)
class LineBudget:
    """How much may still be compared. If nothing is left, values on further lines are not found."""

    remaining: int = MAX_LINES
    """The number of lines, of which an unread one counts `COST_OF_READING`."""

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
