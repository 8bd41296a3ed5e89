"""A submission (an answer that was handed in), and the verdicts of the gates on it.

Gates are rules that each answer must pass. One of them rejects this answer:

    answer     "The fee is 12 EUR", OUTCOME_OK, citing /docs/fees.md
    verdicts   3 canonical citations: pass
               4 citations were read: reject, no call has read /docs/fees.md
"""

from __future__ import annotations

from typing import Any

from controlplane.agent.events.record import Record, Text
from controlplane.agent.events.submitted_parts import SubmittedParts
from controlplane.agent.events.verdict_record import VerdictRecord
from controlplane.gates.submission import Submission
from controlplane.gates.verdicts import REVIEW, Judgement


class Judged(Record):
    """One submission (an answer before it is sent), and the verdicts of the gates on it.

    Gates are rules that each answer must pass, such as that all its numbers are in texts that
    were read. If one rejects it, the model reads why, and may submit another answer.
    """

    accepted: bool
    """True if no enforced gate or rule rejected it."""
    answer: Text
    """The text of the answer."""
    outcome: str
    """How the request ended, as the answer says: `OUTCOME_OK`, or why it was not done."""
    refs: tuple[Text, ...]
    """The citations, in their order."""
    message: Text
    """The text that told the model what to correct; empty if the submission was accepted."""
    verdicts: tuple[VerdictRecord, ...]
    """One verdict per gate and rule, in order."""
    submitted_parts: SubmittedParts | None = None
    """What was submitted and has no field here; null for the submission of a script, which is
    made again by running the script again."""

    @property
    def review(self) -> VerdictRecord | None:
        """The verdict of the second reader, a model that reviews answers; None without one."""
        for verdict in self.verdicts:
            if verdict.key == REVIEW:
                return verdict
        return None

    @property
    def rejections(self) -> tuple[VerdictRecord, ...]:
        """The rejections, except by gates and rules that are switched off."""
        return tuple(
            verdict
            for verdict in self.verdicts
            if verdict.result == "reject" and verdict.enforcement != "off"
        )

    @property
    def overridden(self) -> tuple[VerdictRecord, ...]:
        """The objections of rules that had objected before, and so did not stop the answer."""
        return tuple(
            verdict for verdict in self.verdicts if verdict.result == "overridden"
        )

    @classmethod
    def of(
        cls, judgement: Judgement, submission: Submission, *, after_calls: int
    ) -> Judged:
        """Return the judgement of a submission in its recorded form.

        `after_calls` is the number of calls that the step made before it.
        """
        verdicts = tuple(
            # It has the attributes of a verdict as fields.
            VerdictRecord.model_validate(verdict, from_attributes=True)
            for verdict in judgement.verdicts
        )
        submitted_parts = None
        if not submission.from_script:
            submitted_parts = SubmittedParts.of(submission, after_calls)
        return cls(
            accepted=judgement.accepted,
            answer=judgement.answer,
            outcome=judgement.outcome,
            refs=judgement.refs,
            message="" if judgement.accepted else judgement.message,
            verdicts=verdicts,
            submitted_parts=submitted_parts,
        )

    def submission(self) -> Submission:
        """Return the submission, to judge it anew.

        A script's submission is made of the answer, the outcome and the citations. For any
        other, the recorded parts have the citations, and replace an answer or an outcome that
        was not submitted as a text.
        """
        fields: dict[str, Any] = {"answer": self.answer, "outcome": self.outcome}
        if self.submitted_parts is None:
            fields["refs"] = list(self.refs)
        else:
            fields |= self.submitted_parts.parts
        return Submission(**fields)
