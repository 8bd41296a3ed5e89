"""Writes notices and whole steps to the journal, unless they are recorded.

If the process of a trial was killed, the next one repeats its recorded steps, the *tape*. The
same things happen again, but each is in the journal once. Step 1 is recorded, step 2 is new:

    write_step(summary of step 1)    nothing is written; if its output differs, this is noted
    write_step(summary of step 2)    a line in the journal

Other events have classes of their own: those of calls `TapedCallEvents`, citations
`TapedCitations`, submissions `TapedSubmissions`, answers `TapedAnswers`.
"""

from __future__ import annotations

from controlplane.agent.events import Emit, Noticed, ScriptMeasured, StepDone
from controlplane.agent.evidence.tape.tape import Tape


class TapedJournal:
    """Writes the notices, the memory use and the summaries of one trial that are not on its tape."""

    def __init__(self, tape: Tape, emit: Emit) -> None:
        self.tape = tape
        self.emit = emit
        """Writes an event to the journal."""
        self._unrepeated_notices = list(tape.record.notices)
        """The recorded notices that the trial has not repeated yet. They belong to no step,
        so a repeated one is recognised by its text."""

    def write_memory(self, event: ScriptMeasured) -> None:
        """Write the memory use of a script, unless it is recorded.

        It varies between runs, so it is not compared. A complete recorded step without it stays
        as it is: its memory use could not be measured.
        """
        is_recorded = self.tape.steps[event.step].measured is not None
        if not is_recorded and not self.tape.steps.is_complete(event.step):
            self.emit(event)

    def write_notice(self, event: Noticed) -> None:
        """Write a notice, a message to the user. A recorded one is not written again."""
        if event.text in self._unrepeated_notices:
            self._unrepeated_notices.remove(event.text)
        else:
            self.emit(event)

    def write_step(self, event: StepDone) -> StepDone:
        """Write the summary of a whole step, unless it is recorded. Return the one that counts.

        If the step is recorded, its script has run again with the recorded results. The
        recorded summary then counts, and each difference from it is noted.
        """
        recorded = self.tape.steps[event.step].done
        if recorded is None:
            self.emit(event)
            return event
        # Each call and each verdict was compared when it happened. So it is enough to compare
        # how many there are.
        recorded_and_now = {
            "calls": (len(recorded.calls), len(event.calls)),
            "verdicts": (len(recorded.verdicts), len(event.verdicts)),
            "output": (recorded.output, event.output),
            "error": (recorded.error, event.error),
            "ending": (recorded.ending, event.ending),
            "scratchpad": (recorded.scratchpad, event.scratchpad),
        }
        for name, (before, now) in recorded_and_now.items():
            self.tape.comparison.compare_outcome(event.step, name, before, now)
        return recorded
