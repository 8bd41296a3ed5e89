"""Writes the events of a trial to the journal, unless they are already recorded.

The recorded steps of a trial are its *tape*. A resumed or replayed trial repeats them, so
the same events happen again, but each stands in the journal once. Steps, submissions,
stopped calls, approvals and answers have modules of their own.
"""

from __future__ import annotations

from controlplane.agent.events import (
    CallEvent,
    Emit,
    Noticed,
    ScriptMeasured,
)
from controlplane.agent.evidence.tape.tape import Tape, entry_at


class TapedJournal:
    """Writes events that are not recorded on the trial's tape.

    The tape has the recorded steps of the trial, if it repeats any. Each method is for one
    kind of event.
    """

    def __init__(self, tape: Tape, write: Emit) -> None:
        self.tape = tape
        self.write = write
        self._unrepeated_notices = list(tape.record.notices)
        """The recorded notices that the trial has not repeated yet. They belong to no step,
        so a repeated one is recognised by its text."""

    def write_call(self, event: CallEvent) -> None:
        """Write the announcement or the outcome of a call.

        `TapedCalls` has already compared the call with the recorded one.
        """
        recorded = entry_at(self.tape.step(event.step).calls, event.number)
        if recorded is None:
            self.write(event)
            return
        # If the process ended during a call, the record has only its announcement.
        lacks_outcome = recorded.state == "under_way"
        if lacks_outcome and not event.is_announcement:
            self.write(event)

    def write_memory(self, event: ScriptMeasured) -> None:
        """Write the memory use of a script. It varies between runs, so it is not compared."""
        is_recorded = self.tape.step(event.step).measured is not None
        # A complete recorded step stays as it is: its memory use may be unknown.
        if not is_recorded and self.tape.may_go_on(event.step):
            self.write(event)

    def write_notice(self, event: Noticed) -> None:
        """Write a notice, a message to the user. A recorded one is not written again."""
        if event.text in self._unrepeated_notices:
            self._unrepeated_notices.remove(event.text)
        else:
            self.write(event)
