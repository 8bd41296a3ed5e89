"""A submission (an answer that was handed in), and the verdicts of the gates on it.

Gates are rules that each answer must pass. If one rejects it, the model reads why, and may
submit another. Here, gate 4 rejects an answer:

    answer     "The fee is 12 EUR", OUTCOME_OK, citing /docs/fees.md
    verdicts   3 canonical citations: pass
               4 citations were read: reject, no call has read /docs/fees.md
    message    gate 4 (citations were read): no call has read /docs/fees.md
"""

from __future__ import annotations

from controlplane.agent.events.record import Text
from controlplane.agent.events.step_entry import StepEntry
from controlplane.agent.events.submissions.submitted_parts import SubmittedParts
from controlplane.agent.events.submissions.verdict_record import VerdictRecord
from controlplane.gates.verdicts import REVIEW


class Judged(StepEntry):
    """One submission, and the verdicts of the gates on it."""

    name_in_differences = "verdicts"

    accepted: bool
    """True if no gate or rule stopped it: there are no `rejections`."""
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
    """For a submission without a script: what else it had, so that a replay can submit it again.
    Null for the submission of a script, which a replay runs again."""

    @property
    def action(self) -> tuple[str, str, tuple[str, ...]]:
        """What was submitted."""
        return self.answer, self.outcome, self.refs

    @property
    def rejections(self) -> tuple[VerdictRecord, ...]:
        """The verdicts that stop the answer: not those of rules that are switched off."""
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

    @property
    def review(self) -> VerdictRecord | None:
        """The verdict of the second reader, a model that reviews answers; None without one."""
        for verdict in self.verdicts:
            if verdict.key == REVIEW:
                return verdict
        return None
