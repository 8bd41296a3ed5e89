"""Writes the events of calls to the journal, unless they are recorded.

A call that may change something is written twice: before it is made (its announcement), and with
its outcome. If the process is killed during the call, the next one makes the call again, or gives
it up as lost. It only writes the outcome:

    in the journal   number 1  write("/b.md", "fee: 7")   under way
    written now      number 1  write("/b.md", "fee: 7")   made

A process that repeats the recorded steps of a trial (its *tape*) writes none of their events again.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import CallEvent, CallRecord, Emit
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.evidence.tape.taped_steps import entry_at


@dataclass(frozen=True, slots=True)
class TapedCallEvents:
    """Writes those events of one trial's calls that are not on its tape."""

    trial_id: str
    step: StepLog
    """The step that the trial is at."""
    tape: Tape
    """The recorded steps. Empty in a new trial."""
    emit: Emit
    """Writes an event to the journal."""

    def write(self, call: CallRecord, number: int, *, was_announced: bool) -> None:
        """Write that a call is about to be made, or its outcome, unless that is recorded.

        `number` is the position of the call in the step.

        | the tape has at this position | written is |
        |---|---|
        | nothing | the announcement, and the outcome |
        | the call with its outcome | nothing |
        | only its announcement | the outcome |

        The tape has the same call there: `TapedCalls.take` has compared the two.
        """
        step = self.step.number
        recorded = entry_at(self.tape.steps[step].calls, number)
        if recorded is not None:
            has_outcome = recorded.state != "under_way"
            if has_outcome or call.state == "under_way":
                return
        event = CallEvent.of(
            call,
            trial_id=self.trial_id,
            step=step,
            number=number,
            was_announced=was_announced,
        )
        self.emit(event)
