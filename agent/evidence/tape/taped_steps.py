"""Writes the whole steps of a trial to the journal, unless they are recorded already.

A resumed or replayed trial repeats its recorded steps: the same script runs again, and gets
the recorded results. What it prints is computed anew, so it is compared with the
recorded output. The recorded steps are the trial's *tape*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import Emit, StepDone
from controlplane.agent.evidence.tape.tape import Tape

COMPARED_STEP_FIELDS: Final = ("output", "error", "ending", "scratchpad")
"""The fields of a step that are computed again when the step is repeated."""


@dataclass(frozen=True, slots=True)
class TapedSteps:
    """Writes the whole steps of one trial, and compares repeated ones with the tape."""

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    write: Emit
    """Writes an event to the journal."""

    def write_step(self, event: StepDone) -> StepDone:
        """Write a whole step unless it is recorded. Return the recorded event, or else the new one.

        The recorded event counts. Outcomes that differ from it are noted.
        """
        recorded = self.tape.step(event.step).done
        if recorded is None:
            self.write(event)
            return event
        self._compare(recorded, event)
        return recorded

    def _compare(self, recorded: StepDone, event: StepDone) -> None:
        """Note how a step differs from the recorded one."""
        comparison = self.tape.comparison
        # Each call and each verdict was compared when it happened. So it is enough to
        # compare how many there are.
        for name in ("calls", "verdicts"):
            recorded_count = len(getattr(recorded, name))
            count_now = len(getattr(event, name))
            comparison.note_if_different(event.step, name, recorded_count, count_now)
        for name in COMPARED_STEP_FIELDS:
            recorded_value = getattr(recorded, name)
            value_now = getattr(event, name)
            comparison.note_if_different(event.step, name, recorded_value, value_now)
