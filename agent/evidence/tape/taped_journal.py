"""Writes the events of a trial to the journal, unless they are already recorded.

The recorded steps of a trial are its *tape*. A resumed or replayed trial repeats them, so
the same events happen again, but each stands in the journal once. This module is for calls,
notices and the memory use of scripts. Other events have modules of their own, such as
`taped_steps.py`.
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

    If a resumed trial repeats step 1, its first call is on the tape, so `write_call` does
    nothing. The first call of a new step is written.
    """

    def __init__(self, tape: Tape, write: Emit) -> None:
        self.tape = tape
        self.write = write
        self._unrepeated_notices = list(tape.record.notices)
        """The recorded notices that the trial has not repeated yet. They belong to no step,
        so a repeated one is recognised by its text."""

    def write_call(self, event: CallEvent) -> None:
        """Write the announcement or the outcome of a call, unless it is recorded.

        The call is the recorded one: `TapedCalls` has compared the two before it was sent.
        """
        recorded = entry_at(self.tape.step(event.step).calls, event.number)
        if recorded is None:
            self.write(event)
            return
        # If the process ended during the call, its outcome is not recorded, and is new.
        was_cut_off = recorded.state == "under_way"
        if was_cut_off and not event.is_announcement:
            self.write(event)

    def write_memory(self, event: ScriptMeasured) -> None:
        """Write the memory use of a script, unless its step has one or is complete.

        In a complete step without one, the memory could not be measured. The use varies
        between runs, so it is not compared.
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
