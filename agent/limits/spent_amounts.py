"""The dollars and tokens that a run has spent, and the limits of both.

A run stops before its limit. With `--run-cost 10`, $9 spent and a dearest reply of $2, no
further request is sent, because its reply may cost as much.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.limits.spending_meter import (
    PRICE_REMEDY,
    TOKENS,
    UNPRICED,
    SpendingMeter,
)


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """The limits of all trials of a run together. None means no limit."""

    cost_usd: float | None = None
    tokens: int | None = None
    time_s: float | None = None
    """Wall-clock seconds from the start of the run's main process."""

    @property
    def has_amount_limit(self) -> bool:
        """True if dollars or tokens are limited. Then requests may have to wait for replies."""
        return self.cost_usd is not None or self.tokens is not None


@dataclass(frozen=True, slots=True)
class EarlierSpending:
    """What the earlier processes of a resumed run have spent."""

    cost_usd: float
    tokens: int
    dearest_usd: float = 0.0
    """The cost of their dearest reply, to expect as much of the next one."""
    most_tokens: int = 0
    """The tokens of their longest reply."""


class SpentAmounts:
    """Sums up the dollars and tokens of a run's replies, and says if it can pay further ones.

    With a limit of $10, $9 spent and a dearest reply of $2, it cannot: the next reply may cost
    as much.
    """

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
