"""Writes citations to the journal, unless they are recorded on the tape.

A script asks to cite `/docs/fees.md` for a reason. The outcome says if that is accepted. If the
process of the trial was killed, the next one repeats its recorded steps, the *tape*, so the same
citation is asked for again. It is not written again, and the recorded outcome counts:

    recorded          cite("/docs/fees.md", "the fee")   spelling /docs/Fees.md, line 3
    asked for again   cite("/docs/fees.md", "the fee")   error: it was not read
    returned                                             spelling /docs/Fees.md, line 3
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import Citation, CitationAnswered, Emit
from controlplane.agent.evidence.calls.step_log import StepLog
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.tape.comparison import NOTHING
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.evidence.tape.taped_steps import entry_at


@dataclass(frozen=True, slots=True)
class TapedCitations:
    """Writes the citations of one trial, unless they are recorded on its tape."""

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    emit: Emit
    """Writes an event to the journal."""
    step: StepLog
    """The step that the trial is at."""
    evidence_log: EvidenceLog
    """Keeps the quotations that were found in files."""

    def write(self, event: CitationAnswered) -> Citation:
        """Write a citation unless it is recorded. Return it with the outcome that counts.

        | the tape has here | what counts |
        |---|---|
        | nothing, as the step is new, or was cut off | the new one, which is written |
        | nothing, and the step is complete | the trial ends; in a replay, the new one |
        | a citation of something else | the trial ends; in a replay, the new one |
        | this citation, perhaps with another outcome, which is noted | the recorded one |

        A trial that ends here raises `RecordDiverged`.
        """
        steps = self.tape.steps
        new = event.citation
        name = f"citations[{event.number}]"
        recorded = entry_at(steps[event.step].citations, event.number)
        if recorded is None and not steps.is_complete(event.step):
            self.emit(event)
            return new
        if recorded is None:
            self.tape.comparison.note_or_raise(event.step, name, NOTHING, new)
            return new
        if _requested(new) != _requested(recorded):
            self.tape.comparison.note_or_raise(event.step, name, recorded, new)
            return new
        self.tape.comparison.compare_outcome(event.step, name, recorded, new)
        return recorded

    def add(self, citation: Citation) -> None:
        """Add a citation, new or recorded, to the step. Keep its quotation of a file, if any."""
        self.step.trial_step.citations.append(citation)
        if citation.quote and citation.spelling:
            self.evidence_log.citations.add_quotation(citation.spelling, citation.quote)


def _requested(citation: Citation) -> tuple[str, str, str]:
    """Return what the script asked to cite. The other fields are the outcome."""
    return citation.path, citation.reason, citation.quote
