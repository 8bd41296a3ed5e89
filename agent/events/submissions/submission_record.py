"""Translates a judged submission into its record, and the record back into a submission.

A replay submits the answers of a recorded trial again, for example to see how changed gates
judge them. So the record must have everything that was submitted:

    judged_submission(judgement, Submission(answer=7, outcome="OUTCOME_OK", refs=("/a.md",)), ...)
        -> Judged(answer="the number `7`", outcome="OUTCOME_OK", refs=("/a.md",), verdicts=...,
                  submitted_parts=SubmittedParts({"answer": 7, "refs": ["/a.md"]}))
"""

from __future__ import annotations

from typing import Any

from controlplane.agent.events.submissions.judged import Judged
from controlplane.agent.events.submissions.submitted_parts import SubmittedParts
from controlplane.agent.events.submissions.verdict_record import VerdictRecord
from controlplane.gates.submission import SUBMITTED_KEYS, Submission
from controlplane.gates.verdicts import Judgement


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
