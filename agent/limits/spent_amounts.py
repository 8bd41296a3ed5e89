"""The dollars and tokens that a run has spent, and the limits of both."""

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
    def limit_requests(self) -> bool:
        """True if the amounts of replies are limited, so that requests may have to wait."""
        return self.cost_usd is not None or self.tokens is not None


class SpentAmounts:
    """Sums up the dollars and tokens of a run's replies."""

    def __init__(self, limits: SpendingLimits) -> None:
        self.cost = SpendingMeter(limits.cost_usd)
        self.tokens = SpendingMeter(limits.tokens, TOKENS)
        self._has_unpriced_reply = False

    def add_reply(self, cost_usd: float | None, tokens: int) -> None:
        """Add the amounts of one reply. `cost_usd` is None if its price is unknown."""
        if cost_usd is None:
            self._has_unpriced_reply = True
        self.cost.add(cost_usd or 0.0)
        self.tokens.add(tokens)

    def refusal(self, requests: int) -> str:
        """Return why these further requests may not be sent; empty if they may.

        Each of them may cost as much as the most expensive reply so far.
        """
        if self._has_unpriced_reply and self.cost.limit is not None:
            return f"{UNPRICED}, so --run-cost cannot be kept; {PRICE_REMEDY}"
        if self.cost.is_used_up(requests):
            return f"the run {self.cost.explanation} (--run-cost)"
        if self.tokens.is_used_up(requests):
            return f"the run {self.tokens.explanation} (--max-tokens-run)"
        return ""
