"""A difference between what a trial does now and its recorded step.

In step 3, the script has read `/a.md` when it was recorded, and reads `/b.md` now:

    Difference(3, "calls[0]", "read({'path': '/a.md'})", "read({'path': '/b.md'})")
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MAX_MESSAGE_CHARS: Final = 2_000
"""The longest message about a difference, in characters. It may quote whole scripts and results."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A part of a step that differs from the record."""

    step: int
    field: str
    """The field of the step that differs, or an item of a list: `output`, `calls[3]`."""
    recorded: object
    now: object

    @property
    def is_in_calls(self) -> bool:
        """True if other calls were made than recorded, or one call differs."""
        return self.field.startswith("calls")

    @property
    def message(self) -> str:
        """The message with which a resumed trial ends."""
        text = (
            f"step {self.step} does not go as recorded: "
            f"{self.field} was {self.recorded}, and is now {self.now}"
        )
        return text[:MAX_MESSAGE_CHARS]


class RecordDiverged(Exception):
    """Raised if a resumed trial does something else than its record says."""
