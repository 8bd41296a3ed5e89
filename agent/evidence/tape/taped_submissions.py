"""Records citations and submissions, unless they are recorded on the trial's tape.

A script asks to cite a file, or submits an answer, and the outcome says if that is
accepted. A resumed or replayed trial repeats its recorded steps (the *tape*), and so
makes the same requests again. Then the recorded outcome counts, even if a gate has
changed since and would decide otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import CitationAnswered, Emit, SubmissionJudged
from controlplane.agent.evidence.tape.tape import Tape, entry_at


@dataclass(frozen=True, slots=True)
class TapedSubmissions:
    """Records the citations and submissions of one trial."""

    tape: Tape
    write: Emit
    """Writes an event to the journal."""

    def record_citation(self, event: CitationAnswered) -> CitationAnswered:
        """Record a citation. Return the event, with the recorded outcome if there is one."""
        recorded = entry_at(self.tape.step(event.step).citations, event.number)
        new = event.citation
        name = f"citations[{event.number}]"
        if recorded is None:
            if self.tape.may_go_on_with(event.step, name, new):
                self.write(event)
            return event
        new_request = (new.path, new.reason, new.quote)
        recorded_request = (recorded.path, recorded.reason, recorded.quote)
        if new_request != recorded_request:
            # A resumed trial ends here with an error. A replay goes on with the new
            # outcome, because the recorded one is about another path or quotation.
            self.tape.comparison.raise_or_note(event.step, name, recorded, new)
            return event
        self.tape.comparison.note_if_different(event.step, name, recorded, new)
        return event.model_copy(update={"citation": recorded})

    def record_submission(self, event: SubmissionJudged) -> SubmissionJudged:
        """Record a judged submission. Return the event, with the recorded verdicts if any."""
        recorded = entry_at(self.tape.step(event.step).submissions, event.number)
        new = event.judged
        name = "verdicts"
        if recorded is None:
            if self.tape.may_go_on_with(event.step, name, new):
                self.write(event)
            return event
        new_submission = (new.answer, new.outcome, new.refs)
        recorded_submission = (recorded.answer, recorded.outcome, recorded.refs)
        if new_submission == recorded_submission:
            self.tape.comparison.note_if_different(event.step, name, recorded, new)
        else:
            self.tape.comparison.raise_or_note(event.step, name, recorded, new)
        # Even if another answer is submitted, a replay goes on with the recorded verdicts,
        # as they decided if the recorded trial ended here.
        return event.model_copy(update={"judged": recorded})
