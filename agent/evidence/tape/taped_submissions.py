"""Records citations and submissions, unless they are recorded on the trial's tape.

A script asks to cite `/docs/fees.md`, or submits an answer. The outcome says if that is
accepted. A trial that is resumed after its process was killed repeats its recorded steps
(the *tape*), and so does a *replay*, which compares them. Both make the same requests
again. The recorded outcome then counts, even if a gate decides otherwise today.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import (
    Citation,
    CitationAnswered,
    Emit,
    Judged,
    SubmissionJudged,
)
from controlplane.agent.evidence.tape.tape import Tape, entry_at


@dataclass(frozen=True, slots=True)
class TapedSubmissions:
    """Records the citations and submissions of one trial.

    A trial that repeats recorded steps asks again to cite `/docs/fees.md`, or submits its
    answer again. Then the recorded outcome counts, even if a gate decides otherwise today.

    - If a request is not recorded, it is written to the journal, and its outcome counts.
    - If the same request is recorded, the recorded outcome counts.
    - If another request is recorded, a resumed trial ends with `RecordDiverged`. A replay
      notes the difference, and goes on.
    """

    tape: Tape
    write: Emit
    """Writes an event to the journal."""

    def record_citation(self, event: CitationAnswered) -> CitationAnswered:
        """Record a citation. Return it with the outcome that counts."""
        recorded = entry_at(self.tape.step(event.step).citations, event.number)
        new = event.citation
        name = f"citations[{event.number}]"
        if recorded is None:
            self._write_further(event, name, new)
            return event
        if _requested_citation(new) != _requested_citation(recorded):
            self.tape.comparison.raise_unless_replay(event.step, name, recorded, new)
            # A replay goes on with the new outcome. The recorded one is about another path
            # or quotation.
            return event
        self.tape.comparison.note_if_different(event.step, name, recorded, new)
        return event.model_copy(update={"citation": recorded})

    def record_submission(self, event: SubmissionJudged) -> SubmissionJudged:
        """Record a judged submission. Return it with the verdicts that count."""
        recorded = entry_at(self.tape.step(event.step).submissions, event.number)
        new = event.judged
        name = "verdicts"
        if recorded is None:
            self._write_further(event, name, new)
            return event
        if _submitted(new) != _submitted(recorded):
            self.tape.comparison.raise_unless_replay(event.step, name, recorded, new)
        else:
            self.tape.comparison.note_if_different(event.step, name, recorded, new)
        # A replay goes on with the recorded verdicts even for another answer. They decided if
        # the recorded trial ended here, and the replay has to end at the same place.
        return event.model_copy(update={"judged": recorded})

    def _write_further(
        self, event: CitationAnswered | SubmissionJudged, name: str, new: object
    ) -> None:
        """Write an event that is not recorded. A complete recorded step may have none.

        `name` and `new` describe it in a message about the difference.
        """
        if self.tape.may_go_on(event.step):
            self.write(event)
        else:
            self.tape.comparison.raise_unless_replay(event.step, name, "nothing", new)


def _requested_citation(citation: Citation) -> tuple[str, str, str]:
    """Return what the script asked to cite. The other fields are the outcome."""
    return citation.path, citation.reason, citation.quote


def _submitted(judged: Judged) -> tuple[object, ...]:
    """Return what the script submitted. The other fields are the verdicts."""
    return judged.answer, judged.outcome, judged.refs
