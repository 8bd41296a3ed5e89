"""Writes the notices of a trial to its journal: messages to the user, such as that a model is slow.

If the process of the trial was killed, the next one repeats the recorded steps, and may notice the
same again. A notice belongs to no step, so a repeated one is recognised by its text:

    recorded                 "main is slow"
    write("main is slow")    is not written again
    write("main is slow")    is written: it was recorded only once
"""

from __future__ import annotations

from controlplane.agent.events import Emit, Noticed
from controlplane.agent.evidence.tape.tape import Tape


class TrialNotices:
    """Writes the notices of one trial that are not on its tape."""

    def __init__(self, tape: Tape, emit: Emit) -> None:
        self._unrepeated = list(tape.record.notices)
        """The texts of the recorded notices that the trial has not repeated yet."""
        self._emit = emit
        """Writes an event to the journal."""

    def write(self, event: Noticed) -> None:
        """Write a notice, unless it is recorded."""
        if event.text in self._unrepeated:
            self._unrepeated.remove(event.text)
        else:
            self._emit(event)
