"""The event that the gates, which are rules for answers, have judged a submission.

A *submission* is an answer that is handed in. If the gates reject it, the model reads why, and may
submit another in the same step:

    submission_judged  step 3  number 0  "7 EUR"    rejected by gate 4
    submission_judged  step 3  number 1  "12 EUR"   accepted
"""

from __future__ import annotations

from typing import Literal

from controlplane.agent.events.event import NumberedEvent
from controlplane.agent.events.submissions.judged import Judged


class SubmissionJudged(NumberedEvent):
    """The gates gave their verdicts on a submission."""

    in_step_record = True  # A resumed trial reads it.
    in_totals = True  # The summary of a run counts it.
    # A replay judges the submission again.
    compared_by_replay = ("judged",)

    type: Literal["submission_judged"] = "submission_judged"
    judged: Judged
    """The submission with its verdicts."""
