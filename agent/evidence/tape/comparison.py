"""Compares what a trial does now with its recorded steps.

A *resumed* trial, whose process was killed, repeats its recorded steps and then goes on. A
*replay* only repeats recorded steps.

| now differs | method | a resumed trial | a replay |
|---|---|---|---|
| what the trial does: a script cites `/b.md` instead of `/a.md` | `note_or_raise` | ends | notes it |
| an outcome: a gate rejects the answer that it accepted | `compare_outcome` | notes it | notes it |

If only an outcome differs, the recorded one counts, and the trial can go on by it. If the trial
does something else, the steps that are recorded after that do not fit any more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

MAX_DIFFERENCE_CHARS: Final = 2_000
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


class RecordDiverged(Exception):
    """Raised if a resumed trial does something else than its record says."""


@dataclass(slots=True)
class Comparison:
    """Compares one trial with its record, and notes the differences."""

    is_replay: bool = False
    """True in a replay, which goes on after a difference. False in a new or resumed trial."""
    differences: list[Difference] = field(default_factory=list)

    def note_or_raise(
        self, step: int, name: str, recorded: object, now: object
    ) -> None:
        """Note in a replay that a step does something else than recorded.

        In a resumed trial, raises `RecordDiverged` instead.
        """
        if self.is_replay:
            self.differences.append(Difference(step, name, recorded, now))
            return
        msg = f"step {step} does not go as recorded: {name} was {recorded}, and is now {now}"
        raise RecordDiverged(msg[:MAX_DIFFERENCE_CHARS])

    def compare_outcome(
        self, step: int, name: str, recorded: object, now: object
    ) -> None:
        """Note a difference if an outcome, such as a verdict, is not the recorded one."""
        if recorded != now:
            self.differences.append(Difference(step, name, recorded, now))
