"""The dollars and tokens that a run has spent, and whether it can pay further requests.

A run stops before its limit. With `--run-cost 10`, $9 spent and a dearest reply of $2, no
further request is sent, because its reply may cost as much:

    refusal(request_count=1)   -> "the run has spent $9, and its next reply may pass its limit ..."
"""

from __future__ import annotations

from controlplane.agent.limits.spending_limits import (
    EarlierSpending,
    SpendingLimits,
)
from controlplane.agent.limits.spending_meter import (
    PRICE_REMEDY,
    TOKENS,
    UNPRICED,
    SpendingMeter,
)


class SpentAmounts:
    """Sums up the dollars and tokens of a run's replies, and compares them with the limits."""

    def __init__(self, limits: SpendingLimits) -> None:
        self.cost = SpendingMeter(limits.cost_usd)
        self.tokens = SpendingMeter(limits.tokens, TOKENS)
        self.has_reply = False
        """True once a reply has shown what one may cost."""
        self._has_unpriced_reply = False
        """True if the price of a reply was unknown, so that the limit of dollars cannot be kept."""

    def add_reply(self, cost_usd: float | None, tokens: int) -> None:
        """Add the amounts of one reply. `cost_usd` is None if its price is unknown."""
        self.has_reply = True
        if cost_usd is None:
            self._has_unpriced_reply = True
        self.cost.add(cost_usd or 0.0)
        self.tokens.add(tokens)

    def add_earlier(self, spent: EarlierSpending) -> None:
        """Add what earlier processes of the run have spent."""
        if spent.tokens > 0:  # Every reply has tokens, so there was one.
            self.has_reply = True
        self.cost.add_sum(spent.cost_usd, largest=spent.dearest_usd)
        self.tokens.add_sum(spent.tokens, largest=spent.most_tokens)

    def refusal(self, request_count: int) -> str:
        """Return why the run cannot pay this many more requests; empty if it can.

        Each of them may cost as much as the dearest reply so far.
        """
        limits_cost = self.cost.limit is not None
        if limits_cost and self._has_unpriced_reply:
            return f"{UNPRICED}, so --run-cost cannot be kept; {PRICE_REMEDY}"
        refusal = self.cost.refusal(request_count)
        if refusal:
            return f"the run {refusal} (--run-cost)"
        refusal = self.tokens.refusal(request_count)
        if refusal:
            return f"the run {refusal} (--max-tokens-run)"
        return ""
