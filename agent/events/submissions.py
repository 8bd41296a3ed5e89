"""Submissions (answers that were handed in), and the verdicts of the gates on them."""

from __future__ import annotations

from typing import Any, Literal

from controlplane.agent.events.event import NumberedEvent
from controlplane.agent.events.journal_record import (
    Data,
    JournalRecord,
    StepEntry,
    Text,
)
from controlplane.agent.model import Count
from controlplane.gates.submission import SUBMITTED_KEYS, Submission
from controlplane.gates.verdicts import REVIEW, Judgement, key_of

# The parts of a submission that a replay needs in order to hand the same answer in again.
#
# A *submission* is an answer with the files that support it. If a script of the model submits it, a
# replay runs the script again, and needs no more. Other solvers call `submit` themselves:
#
#     submit(answer="7 EUR", outcome="OUTCOME_OK", refs_why={"/docs/fees.md": "has the fee"})
#
# `Judged`, the record of the submission, has the two texts and the path, but not the reason. So
# `SubmittedParts(parts={"refs_why": {"/docs/fees.md": "has the fee"}})` is recorded beside them.


class SubmittedParts(JournalRecord):
    """The parts of a submission that have no field in `Judged`, and when it was made."""

    parts: Data
    """The parts by name: `{"refs_why": {"/docs/fees.md": "has the fee"}}`. The citations are
    `refs_why` with reasons, or `refs` without. `facts`, `tokens` and `changes` may follow. So may
    `answer` and `outcome`, if they are not texts but, for example, numbers."""
    after_calls: Count = 0
    """Number of calls that the step made before. A replay makes as many before it submits."""


# The verdict of one gate, or of one rule, on an answer.
#
# A gate is one of eight checks of every answer. The user may choose further rules. They judge
# `The fee is 12 EUR`, citing `/docs/fees.md`:
#
# | `gate` | `name` | `result` | `reason` |
# |---|---|---|---|
# | 3 | `canonical citations` | `pass` | |
# | 4 | `citations were read` | `reject` | no call has read /docs/fees.md |
# | 0 | `desk/late-reply`, a rule | `pass` | |


class VerdictRecord(JournalRecord):
    """The verdict of one gate, or of one rule, on a submission (an answer that was handed in)."""

    gate: int
    """1 to 8; 0 for a rule of a rule set."""
    name: str
    """The gate's name, the name of a further rule
    of the gate, such as `wording`, or `RULE_SET/RULE`."""
    result: str
    """`pass`, `reject`, `overridden` (the rule objects once more,
    but no longer stops the answer), `not_applicable` or `skipped`."""
    reason: Text
    """The reason, or the text of an objection."""
    enforcement: Literal["block", "ask", "off"] = "block"
    """What a rejection does. `block`: it stops the answer. `ask`: it stops the answer at first,
    but the model may insist by submitting it again. `off`: it is only recorded."""

    @property
    def key(self) -> str:
        """The key under which it is counted: `6`, `6/wording`, or `RULE_SET/RULE`."""
        return key_of(self.gate, self.name)

    @property
    def may_be_overridden(self) -> bool:
        """True if it rejects, but the model may insist by submitting the same answer again."""
        return self.result == "reject" and self.enforcement == "ask"


# A submission (an answer that was handed in), and the verdicts of the gates on it.
#
# Gates are rules that each answer must pass. If one rejects it, the model reads why, and may
# submit another. Here, gate 4 rejects an answer:
#
#     answer     "The fee is 12 EUR", OUTCOME_OK, citing /docs/fees.md
#     verdicts   3 canonical citations: pass
#                4 citations were read: reject, no call has read /docs/fees.md
#     message    gate 4 (citations were read): no call has read /docs/fees.md


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


# The event that the gates, which are rules for answers, have judged a submission.
#
# A *submission* is an answer that is handed in. If the gates reject it, the model reads why, and may
# submit another in the same step:
#
#     submission_judged  step 3  number 0  "7 EUR"    rejected by gate 4
#     submission_judged  step 3  number 1  "12 EUR"   accepted


class SubmissionJudged(NumberedEvent):
    """The gates gave their verdicts on a submission."""

    in_totals = True  # The summary of a run counts it.
    # A replay judges the submission again.
    compared_by_replay = ("judged",)

    type: Literal["submission_judged"] = "submission_judged"
    judged: Judged
    """The submission with its verdicts."""

    @property
    def entry(self) -> Judged:
        """The submission."""
        return self.judged

    @property
    def position(self) -> int:
        """The number, which counts the submissions of the step."""
        return self.number


# Translates a judged submission into its record, and the record back into a submission.
#
# A replay submits the answers of a recorded trial again, for example to see how changed gates
# judge them. So the record must have everything that was submitted:
#
#     judged_submission(judgement, Submission(answer=7, outcome="OUTCOME_OK", refs=("/a.md",)), ...)
#         -> Judged(answer="the number `7`", outcome="OUTCOME_OK", refs=("/a.md",), verdicts=...,
#                   submitted_parts=SubmittedParts({"answer": 7, "refs": ["/a.md"]}))


def judged_submission(
    judgement: Judgement, submission: Submission, *, after_calls: int
) -> Judged:
    """Return the record of a submission and its judgement.

    `after_calls` is the number of calls that the step made before it.
    """
    verdicts = tuple(
        # The record has the attributes of the verdict as fields.
        VerdictRecord.model_validate(verdict, from_attributes=True)
        for verdict in judgement.verdicts
    )
    submitted_parts = None
    # A replay runs a script again, which submits by itself.
    if not submission.from_script:
        parts = _parts_not_in_judged(submission)
        submitted_parts = SubmittedParts(parts=parts, after_calls=after_calls)
    return Judged(
        accepted=judgement.accepted,
        answer=judgement.answer,
        outcome=judgement.outcome,
        refs=judgement.refs,
        message="" if judgement.accepted else judgement.message,
        verdicts=verdicts,
        submitted_parts=submitted_parts,
    )


def submission_of(judged: Judged) -> Submission:
    """Return the submission of a record, to judge it anew."""
    fields: dict[str, Any] = {"answer": judged.answer, "outcome": judged.outcome}
    if judged.submitted_parts is None:
        fields["refs"] = list(judged.refs)
    else:
        fields |= judged.submitted_parts.parts  # those of `_parts_not_in_judged`
    return Submission(**fields)


def _parts_not_in_judged(submission: Submission) -> dict[str, Any]:
    """Return the submitted parts by name, except the texts that `Judged` has word for word.

    It has the answer `"7 EUR"`, but of the answer 7 only the description: “the number `7`”.
    """
    parts: dict[str, Any] = {}
    for name in SUBMITTED_KEYS:  # `answer`, `outcome`, `refs` and further ones
        value = getattr(submission, name)
        if value is not None:
            parts[name] = value
    for name in ("answer", "outcome"):
        if isinstance(parts.get(name), str):
            del parts[name]
    return parts
