"""Writes the events of a trial to the journal, unless they are already recorded.

The recorded steps of a trial are its *tape*. A resumed or replayed trial repeats them, so the
same events happen again, but each stands in the journal once. Example: step 1 is recorded with
one call, and step 2 is new:

    write_call(step 1, number 0)   nothing: it is recorded
    write_step(step 1)             nothing, but a difference is noted if its output is another
    write_call(step 2, number 0)   a line in the journal

Citations and submissions are written by `taped_submissions.py`, answers by `taped_answers.py`.
"""

from __future__ import annotations

from controlplane.agent.events import (
    CallEvent,
    Emit,
    Noticed,
    ScriptMeasured,
    StepDone,
)
from controlplane.agent.evidence.tape.tape import Tape, entry_at


class TapedJournal:
    """Writes those events of one trial that are not recorded on its tape."""

    def __init__(self, tape: Tape, write: Emit) -> None:
        self.tape = tape
        self.write = write
        self._unrepeated_notices = list(tape.record.notices)
        """The recorded notices that the trial has not repeated yet. They belong to no step,
        so a repeated one is recognised by its text."""

    def write_call(self, event: CallEvent) -> None:
        """Write the announcement or the outcome of a call, unless it is recorded.

        | the tape has | written is |
        |---|---|
        | nothing at this place | the event |
        | the call with its outcome | nothing |
        | only its announcement: the process ended during the call | the outcome |

        The call is the recorded one: `TapedCalls` has compared the two before it was sent.
        """
        recorded = entry_at(self.tape.step(event.step).calls, event.number)
        if recorded is None:
            self.write(event)
            return
        was_cut_off = recorded.state == "under_way"
        if was_cut_off and not event.is_announcement:
            self.write(event)

    def write_memory(self, event: ScriptMeasured) -> None:
        """Write the memory use of a script, unless it is recorded, or its step is complete.

        If a complete step has none, it could not be measured. The use varies between runs, so
        it is not compared.
        """
        is_recorded = self.tape.step(event.step).measured is not None
        if not is_recorded and self.tape.may_go_on(event.step):
            self.write(event)

    def write_notice(self, event: Noticed) -> None:
        """Write a notice, a message to the user. A recorded one is not written again."""
        if event.text in self._unrepeated_notices:
            self._unrepeated_notices.remove(event.text)
        else:
            self.write(event)

    def write_step(self, event: StepDone) -> StepDone:
        """Write the summary of a whole step, unless it is recorded. Return the one that counts.

        If the step is recorded, its script has run again with the recorded results. The
        recorded summary then counts, and each difference from it is noted.
        """
        recorded = self.tape.step(event.step).done
        if recorded is None:
            self.write(event)
            return event
        self._compare(recorded, event)
        return recorded

    def _compare(self, recorded: StepDone, event: StepDone) -> None:
        """Note how a step differs from the recorded one.

        Each call and each verdict was compared when it happened. So it is enough to compare
        how many there are.
        """
        recorded_and_now = {
            "calls": (len(recorded.calls), len(event.calls)),
            "verdicts": (len(recorded.verdicts), len(event.verdicts)),
            "output": (recorded.output, event.output),
            "error": (recorded.error, event.error),
            "ending": (recorded.ending, event.ending),
            "scratchpad": (recorded.scratchpad, event.scratchpad),
        }
        for name, (before, now) in recorded_and_now.items():
            self.tape.comparison.note_if_different(event.step, name, before, now)
