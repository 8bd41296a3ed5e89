"""The citations of a trial: the sources that its answer names, such as `/docs/fees.md`.

Only what the trial has read may be cited. Each citation has a reason, and it may quote the
words of the source that support the answer:

    check("docs/fees.md", "the fee")  -> "/docs/fees.md", if the trial has read this file
    check("/docs/new.md", "the fee")  raises ValueError: it was not read
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import Citation, CitationAnswered
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.loop.session.citation_outcome import refuse_long, with_outcome
from controlplane.agent.loop.session.trial_steps import TrialSteps


@dataclass(frozen=True, slots=True)
class Citations:
    """Checks the citations of one trial, and writes each with its outcome to the journal.

    A trial that is resumed, or replayed to verify it, repeats the citations of its earlier
    attempt. Then the recorded outcomes count: they are what the script saw.
    """

    recorder: Recorder
    """Knows what the trial has read, and records the citations."""
    steps: TrialSteps
    """Begins a step if none is open, because a citation belongs to a step."""

    def check(self, path: str, reason: str, quotation: str = "") -> str:
        """Check and record a citation, and return the spelling of `path` in the listings.

        Raises `ValueError` with the reason if the path may not be cited.
        """
        refuse_long(path, reason)
        self.steps.begin()
        step = self.recorder.current_step
        citation = Citation(
            path=path, reason=reason, quote=quotation, after_calls=len(step.calls)
        )
        event = CitationAnswered(
            trial_id=self.recorder.trial_id,
            step=step.number,
            number=len(step.citations),
            citation=with_outcome(citation, self.recorder),
        )
        # Nothing is written if an earlier attempt has recorded this citation. Then the recorded one
        # counts.
        counting = self.recorder.journal.write(event, event.citation)
        self.recorder.evidence_log.add_citation(counting)
        if counting.error:
            raise ValueError(counting.error)
        return counting.spelling
