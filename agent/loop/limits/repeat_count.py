"""How many times in a row the same thing came, such as a script or an error.

A model that sends the same script five times in a row is stuck, so its trial ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class RepeatCount:
    """The last thing, and how many times in a row it came.

    "a", "a" -> RepeatCount(2, "a")
    "a", "a", "b" -> RepeatCount(1, "b")
    """

    times: int = 0
    """How many times in a row the last thing came."""
    last: object = None
    """What came last; None before anything came."""

    def followed_by(self, thing: object) -> RepeatCount:
        """Return the count after one more thing: one more, or 1 for another thing.

        An empty thing, such as an empty fault, ends the count.
        """
        if not thing:
            return NO_REPEATS
        if thing == self.last:
            return RepeatCount(self.times + 1, thing)
        return RepeatCount(1, thing)

    @property
    def is_repetition(self) -> bool:
        """True if the last thing came at least twice in a row."""
        return self.times > 1

    @property
    def in_a_row(self) -> str:
        """The count in words: `5 times in a row`."""
        return f"{self.times} times in a row"


NO_REPEATS: Final = RepeatCount()
"""The count before anything came, and after its end."""
