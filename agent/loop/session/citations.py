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

    check("docs/fees.md", "the fee")  -> "/docs/fees.md", if the trial has read this file
    check("/docs/new.md", "the fee")  raises ValueError: it was not read

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

        The spelling is that of the listings. Raises `ValueError` with the reason if the path
        may not be cited.
        """
        _refuse_long(path, reason)
        self.steps.begin()
        new_citation = Citation(
            path=path,
            reason=reason,
            quote=quotation,
            after_calls=len(self.recorder.current_step.calls),
        )
        citation = self._written(self._with_outcome(new_citation))
        self.recorder.citations.add(citation)  # to the step and the evidence
        if citation.error:
            raise ValueError(citation.error)
        return citation.spelling

    def _with_outcome(self, citation: Citation) -> Citation:
        """Return a citation with its outcome: where the file has it, or why it is refused.

        Citation(path="docs/fees.md", ...)   -> ...(spelling="/docs/fees.md", line=3)
        Citation(path="/docs/new.md", ...)   -> ...(error="`/docs/new.md` was not read")
        """
        read_files = self.recorder.evidence_log.citations
        try:
            place = read_files.check(citation.path, citation.reason, citation.quote)
        except ValueError as refusal:
            return citation.model_copy(update={"error": str(refusal)})
        return citation.model_copy(
            update={"spelling": place.spelling, "line": place.line}
        )

    def _written(self, citation: Citation) -> Citation:
        """Write a citation to the journal, and return it as the journal has it.

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
        return self.recorder.citations.write(event)


def _refuse_long(path: str, reason: str) -> None:
    """Raise `ValueError` if the path or the reason of a citation is too long to be recorded."""
    if len(path) > bounds.MOST_PATH_CHARS or len(reason) > MAX_REASON_CHARS:
        msg = (
            f"a path has at most {bounds.MOST_PATH_CHARS} characters, "
            f"a reason {MAX_REASON_CHARS}: {quote(path)}"
        )
        raise ValueError(msg)
