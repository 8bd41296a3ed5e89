"""Judges the outcome of a submission: gate 6.

It rejects an unknown outcome, an answer that cannot be sent, and declared changes that
no call made. An outcome is one of `OUTCOMES`, such as OUTCOME_OK.
"""

from __future__ import annotations

from controlplane.gates.checks.declared_changes import faults_of_changes
from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Opinion
from controlplane.gates.quoting import describe
from controlplane.gates.submission import OUTCOMES, Case, Submission
from controlplane.gates.surrogates import surrogate_at
from controlplane.sandbox.interface import bounds


def judge_outcome_class(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Reject an unknown outcome, an answer that cannot be sent, and wrong `changes`.

    `changes` must name what the calls changed, in any spelling: paths, tools and
    operations. A change that was undone may be left out, and so may a call that may or may
    not have changed something.
    """
    faults: list[str] = []
    if submission.outcome not in OUTCOMES:
        shown = (
            "missing" if submission.outcome is None else describe(submission.outcome)
        )
        faults.append(
            f"The outcome is {shown}: set `outcome` to one of {', '.join(OUTCOMES)}."
        )
    answer_fault = _fault_of_answer(submission, case)
    if answer_fault:
        faults.append(answer_fault)
    return faults + faults_of_changes(submission.changes, evidence)


def _fault_of_answer(submission: Submission, case: Case) -> str:
    """Return why an answer cannot be sent, or an empty string."""
    answer = submission.answer
    if not isinstance(answer, str):
        shown = "missing" if answer is None else describe(answer)
        return f"The answer is {shown}: set `answer` to a string."
    may_be_empty = case.is_uncited  # what counts is the state that the trial leaves
    if not answer.strip() and not may_be_empty:
        return "The answer is empty: say what was found or why it cannot be done."
    if len(answer) > bounds.MOST_ANSWER_CHARS:
        return f"The answer has {len(answer)} characters: keep it under {bounds.MOST_ANSWER_CHARS}."
    place = surrogate_at(answer)
    if place is not None:
        return (
            f"The answer holds a lone surrogate at character {place}, which cannot be sent: "
            "remove it."
        )
    return ""
