"""The citations of a trial: the sources that its answer names, such as `/docs/fees.md`.

Only what the trial has read may be cited. Each citation has a reason, and it may quote the
words of the source that support the answer.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.events import Citation, CitationAnswered
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.loop.session.trial_steps import TrialSteps
from controlplane.gates.quoting import quote
from controlplane.sandbox.interface import bounds

MAX_REASON_CHARS: Final = 4_000
"""Max characters of the reason for a citation. One or two sentences are usual."""


class Citations:
    """Checks the citations of one trial, and writes each with its outcome to the journal.

    A citation names a source of the answer, such as `/docs/fees.md`. Only what the trial has
    read may be cited.

    A trial that is resumed, or replayed to verify it, repeats the citations of its earlier
    attempt. Then the recorded outcomes count: they are what the script saw.
    """

    def __init__(self, recorder: Recorder, steps: TrialSteps) -> None:
        self.recorder = recorder
        """Knows what the trial has read, and records the citations."""
        self.steps = steps
        """Begins a step if none is open, because a citation belongs to a step."""

    def check(self, path: str, reason: str, quotation: str = "") -> str:
        """Check a citation, write it to the journal, and return the spelling in which to cite `path`.

        The spelling is that of the listings: `/docs/a.md` for `docs/a.md`. Raises
        `ValueError` with the reason if the path may not be cited.
        """
        if len(path) > bounds.MOST_PATH_CHARS or len(reason) > MAX_REASON_CHARS:
            msg = (
                f"a path has at most {bounds.MOST_PATH_CHARS} characters, "
                f"a reason {MAX_REASON_CHARS}: {quote(path)}"
            )
            raise ValueError(msg)
        self.steps.begin()
        new_citation = self._check_now(path, reason, quotation)
        citation = self._written_or_recorded(new_citation)
        self.recorder.add_citation(citation)  # to the step and the evidence
        if citation.error:
            raise ValueError(citation.error)
        return citation.spelling

    def _check_now(self, path: str, reason: str, quotation: str) -> Citation:
        """Return a citation with its outcome now: the spelling, or why it is refused."""
        citation = Citation(
            path=path,
            reason=reason,
            quote=quotation,
            after_calls=len(self.recorder.current_step.calls),
        )
        citable_files = self.recorder.evidence_log.citations  # what the trial has read
        try:
            cited = citable_files.check(path, reason, quotation)
        except ValueError as refusal:
            return citation.model_copy(update={"error": str(refusal)})
        return citation.model_copy(
            update={"spelling": cited.spelling, "line": cited.line}
        )

    def _written_or_recorded(self, citation: Citation) -> Citation:
        """Write a citation to the journal, and return it.

        If an earlier attempt has recorded this citation of the step, nothing is written, and
        the recorded one is returned. A difference between the two is noted.
        """
        step = self.recorder.current_step
        event = CitationAnswered(
            trial_id=self.recorder.trial_id,
            step=step.number,
            number=len(step.citations),
            citation=citation,
        )
        return self.recorder.submissions.write_citation(event).citation
