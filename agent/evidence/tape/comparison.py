"""Compares what a trial does now with its recorded steps.

There are two kinds of differences:
- A script makes another request, such as another citation. The rest of the record does
  not fit then.
- Only an outcome differs, for example because a gate has changed. The difference is
  noted, and the trial continues with the recorded outcome.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

MAX_DIFFERENCE_CHARS: Final = 2_000
"""The longest message about a difference, in characters. It may quote whole scripts and results."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A part of a step that differs from the record. A replay reports it and continues."""

    step: int
    field: str
    """The field of the step that differs, or an item of a list: `output`, `calls[3]`."""
    recorded: object
    now: object

    @property
    def is_in_calls(self) -> bool:
        """True if other calls were made than recorded, or one call differs."""
        return self.field.startswith("calls")


class RecordDiverged(Exception):
    """Raised if a resumed trial does not repeat its recorded steps, so the record does not fit."""


@dataclass(slots=True)
class Comparison:
    """Compares one trial with its record, and notes the differences."""

    is_replay: bool = False
    """True in a replay, which goes on after a difference. False in a new or resumed trial."""
    differences: list[Difference] = field(default_factory=list)

    def diverge(self, step: int, name: str, recorded: object, now: object) -> None:
        """Note that a step makes another request than the recorded one.

        A replay only notes the difference. A resumed trial cannot continue, and raises
        `RecordDiverged`.
        """
        if not self.is_replay:
            msg = f"step {step} does not go as recorded: {name} was {recorded}, and is now {now}"
            raise RecordDiverged(msg[:MAX_DIFFERENCE_CHARS])
        self.differences.append(Difference(step, name, recorded, now))

    def note_if_different(
        self, step: int, name: str, recorded: object, now: object
    ) -> None:
        """Note a difference if an outcome, such as a verdict, differs from the recorded one."""
        if recorded != now:
            self.differences.append(Difference(step, name, recorded, now))
