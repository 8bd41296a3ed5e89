"""Trials in which gates or rules, checks of a submitted answer, rejected some answers.

    trial("a", rejected_by("4"), ACCEPTED, score=1.0)

In this trial, the gate 4 rejected the first answer; the second one was accepted, and scored 1.
"""

from controlplane.journal.totals.objections import Objections
from controlplane.journal.totals.trial_summary import TrialSummary


def rejected_by(*gates: str) -> Objections:
    """Return what is counted of an answer that these gates and rules rejected."""
    return Objections(rejected=gates, overridden=())


ACCEPTED = rejected_by()


def trial(
    trial_id: str,
    *answers: Objections,
    score: float | None = None,
    state: str = "answered",
) -> TrialSummary:
    """Return a trial in which the model submitted these answers, one after the other."""
    return TrialSummary(
        trial_id, "t", state=state, score=score, submissions=list(answers)
    )
