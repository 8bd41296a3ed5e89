"""How many times in a row the same thing came, such as a script or an error.

A model that sends the same script five times in a row is stuck, so its trial ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Streak:
    """The last thing, and how many times in a row it came.

    "a", "a" -> Streak(2, "a")
    "a", "a", "b" -> Streak(1, "b")
    """

    times: int = 0
    """How many times in a row the last thing came."""
    last: object = None
    """What came last; None before anything came."""

    def followed_by(self, thing: object) -> Streak:
        """Return the streak after one more thing: longer by one, or a new one of length 1.

        An empty thing, such as an empty fault, ends the streak.
        """
        if not thing:
            return NO_STREAK
        if thing == self.last:
            return Streak(self.times + 1, thing)
        return Streak(1, thing)

    @property
    def is_repetition(self) -> bool:
        """True if the last thing came at least twice in a row."""
        return self.times > 1

    @property
    def in_a_row(self) -> str:
        """The length in words: `5 times in a row`."""
        return f"{self.times} times in a row"


NO_STREAK: Final = Streak()
"""The streak before anything came, and after its end."""
