"""The limit of the dollars that a trial spends on its models (`--trial-cost`).

What a reply costs is known only once it is there. So the next one is expected to cost as much as
the dearest so far. The model is asked only if all that was spent, plus this, is within the limit:

    --trial-cost 1    spent $0.70, the dearest reply $0.20    the model is asked: 0.90 is within 1
    --trial-cost 1    spent $0.90, the dearest reply $0.20    the trial ends: 1.10 is not
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.events import ModelReplied
from controlplane.agent.limits.call_limit import TrialLimit
from controlplane.agent.limits.spending import PRICE_REMEDY, UNPRICED, SpendingMeter
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox.interface import bounds

# The limit of the submissions of a trial: the answers that its gates judge.
#
# The gates send a wrong answer back with objections, and the solver may try again. With no
# limit, it could guess until an answer passes.


@dataclass(slots=True)
class SubmissionLimit(TrialLimit):
    """The number of submissions that the gates judge in a trial.

    After each step, `count` adds its submissions. Since an accepted one usually ends the trial,
    messages say of all of them that they were sent back.
    """

    names_last_fault = True  # The end also says which gate sent the last one back.

    max_submissions: int = bounds.MOST_SUBMISSIONS
    used: int = 0
    """Submissions of the completed steps."""

    def count(self, step: TrialStep) -> None:
        """Count the submissions of a completed step."""
        self.used += len(step.submissions)

    @property
    def reason(self) -> str:
        """Why the trial ends; empty while it may submit once more."""
        if self.used < self.max_submissions:
            return ""
        return f"{self.max_submissions} submissions were sent back"

    def refusal(self, step: TrialStep) -> str:
        """Return why the current step may submit nothing more; empty if it may.

        `used` has the submissions of the steps before it, so its own are added.
        """
        if self.used + len(step.submissions) < self.max_submissions:
            return ""
        return (
            f"{self.max_submissions} submissions of this trial were sent back: "
            "no further one is judged."
        )


@dataclass(slots=True)
class CostLimit(TrialLimit):
    """The dollars that a trial may spend on replies of models (`--trial-cost`).

    All paid replies count, even those that could not be used.
    """

    # A script may leave an answer in its data without submitting it. Other limits submit this
    # answer when they end the trial. This one does not: a model may read each submission, which
    # would cost more.
    submits_left_answer = False

    max_usd: float | None = None
    """None for no limit."""
    has_unpriced_reply: bool = False
    """True if the price of a reply is unknown."""
    _cost: SpendingMeter = field(init=False)
    """The dollars of all replies."""

    def __post_init__(self) -> None:
        self._cost = SpendingMeter(self.max_usd)

    def count(self, step: TrialStep) -> None:
        """Do nothing: the cost of a step is that of its replies, which `count_reply` counts."""

    def count_reply(self, replied: ModelReplied) -> None:
        """Count a reply, either new or recorded."""
        if self.max_usd is None:
            return
        cost_usd = replied.known_cost_usd
        if cost_usd is None:
            self.has_unpriced_reply = True
        else:
            self._cost.add(cost_usd)

    @property
    def reason(self) -> str:
        """Why the trial ends; empty while it can pay one more request."""
        if self.has_unpriced_reply:
            return f"{UNPRICED}, so --trial-cost cannot be kept; {PRICE_REMEDY}"
        refusal = self._cost.refusal(request_count=1)
        if refusal:
            return f"the trial {refusal} (--trial-cost)"
        return ""
