"""Refuses to judge a submission if the script or the trial has had too many."""

from __future__ import annotations

from typing import Final

from controlplane.agent.limits.submission_limit import SubmissionLimit
from controlplane.agent.record.trial_step import TrialStep

MOST_SUBMISSIONS_A_STEP: Final = 3
"""Max submissions of one script. With more, it could guess answers until one passes."""


class NotJudged(Exception):
    """Raised for a submission beyond the limits of its step or trial.

    The message tells the model what to do instead.
    """


def refuse_excess(step: TrialStep, limit: SubmissionLimit) -> None:
    """Raise `NotJudged` if the current step may submit nothing more.

    `limit` is that of the whole trial. It has counted the submissions of the steps before.
    """
    refusal = limit.refusal(step)
    if refusal:
        raise NotJudged(refusal)
    if len(step.submissions) >= MOST_SUBMISSIONS_A_STEP:
        msg = (
            f"{MOST_SUBMISSIONS_A_STEP} submissions of this script were sent back: "
            "end the script, read what it says, and answer in the next one."
        )
        raise NotJudged(msg)
