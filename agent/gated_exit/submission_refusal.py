"""Refuses a submission that must not be judged: the trial is over, or it had too many.

The gates say why they reject an answer. With any number of submissions, a script could guess
answers in a loop until one passes:

    for fee in range(400, 500):
        harness.answer({"answer": f"{fee} EUR", ...}, verify)     refused from the fourth on
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.gated_exit.answer_outlet import AnswerOutlet
from controlplane.agent.limits.submission_limit import SubmissionLimit
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox.interface import CallError, error_codes

MOST_SUBMISSIONS_A_STEP: Final = 3
"""Max submissions of one script."""


class NotJudged(Exception):
    """Raised for a submission beyond the limits of its step or trial.

    The message tells the model what to do instead.
    """


def raise_if_refused(
    outlet: AnswerOutlet, step: TrialStep, limit: SubmissionLimit
) -> None:
    """Raise an error if the current step may submit nothing more.

    It is `CallError` if the trial is over, and `NotJudged` if the step or the trial has no
    submission left. `limit` has counted the submissions of the steps before.
    """
    if outlet.is_closed:
        msg = "the answer was accepted before; the trial is over"
        raise CallError(error_codes.ALREADY_EXISTS, msg)
    refusal = limit.refusal(step)
    if refusal:
        raise NotJudged(refusal)
    if len(step.submissions) >= MOST_SUBMISSIONS_A_STEP:
        msg = (
            f"{MOST_SUBMISSIONS_A_STEP} submissions of this script were sent back: "
            "end the script, read what it says, and answer in the next one."
        )
        raise NotJudged(msg)
