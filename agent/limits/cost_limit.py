"""The limit of the dollars that a trial spends on its models (`--trial-cost`).

What a reply costs is known only once it is there. So the next one is expected to cost as much as
the dearest so far. The model is asked only if all that was spent, plus this, is within the limit:

    --trial-cost 1    spent $0.70, the dearest reply $0.20    the model is asked: 0.90 is within 1
    --trial-cost 1    spent $0.90, the dearest reply $0.20    the trial ends: 1.10 is not
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.events import ModelReplied
from controlplane.agent.limits.spending_meter import (
    PRICE_REMEDY,
    UNPRICED,
    SpendingMeter,
)
from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.record.trial_step import TrialStep


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
