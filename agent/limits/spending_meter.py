"""A meter of dollars or of tokens: what is spent, and whether a further request may be sent.

A run should stop before its limit, but the cost of a request is known only when its reply
arrives. So each request without a reply counts like the largest reply so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# Parts of the message that both limits in dollars give if they cannot be kept:
# "the price of a reply is unknown, so --run-cost cannot be kept; give the model's --prices".
UNPRICED: Final = "the price of a reply is unknown"
PRICE_REMEDY: Final = (
    "give the model's --prices, or a limit in tokens (--max-tokens-run)"
)

ROUNDING_TOLERANCE: Final = 1e-9
"""The largest rounding error of a sum of dollars, as a share of the limit."""

# How a meter writes its amounts: `$1.25` or `12,000 tokens`.
DOLLARS: Final = "${:.4g}"
TOKENS: Final = "{:,.0f} tokens"


@dataclass(slots=True)
class SpendingMeter:
    """Sums up the amounts of replies, and compares the sum with a limit."""

    limit: float | None
    """None for no limit."""
    amount_format: str = DOLLARS
    """`DOLLARS` or `TOKENS`."""
    spent: float = 0.0
    largest: float = 0.0
    """The largest amount of one reply."""

    def add(self, amount: float) -> None:
        """Add the amount of one reply."""
        self.add_sum(amount, largest=amount)

    def add_sum(self, spent: float, largest: float) -> None:
        """Add the sum of many replies. `largest` is the largest amount of one of them."""
        self.spent += spent
        self.largest = max(self.largest, largest)

    def refusal(self, request_count: int) -> str:
        """Return why this many more requests might exceed the limit; empty if they cannot.

        With a limit of $10, $6 spent and a largest reply of $2, two requests may be sent. For
        three: `has spent $6, and its next reply may pass its limit of $10`
        """
        if self.limit is None:
            return ""
        spent = self.amount_format.format(self.spent)
        limit = self.amount_format.format(self.limit)
        if self.spent >= self.limit:
            return f"has spent {spent}, which reaches its limit of {limit}"
        expected = self.spent + request_count * self.largest
        if expected > self.limit * (1 + ROUNDING_TOLERANCE):
            return (
                f"has spent {spent}, and its next reply may pass its limit of {limit}"
            )
        return ""
