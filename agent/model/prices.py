"""The prices of a model's tokens, as the user sets them in the configuration, and costs.

`Prices(input=2, output=8)` are the prices in USD of a million tokens. A request of 1,000 tokens
with a reply of 500 tokens then costs $0.006.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import Field

from controlplane.agent.model.immutable_data import Frozen
from controlplane.agent.model.usage import Usage

TOKENS_PER_PRICE: Final = 1_000_000
"""The number of tokens that a price is for."""


class Prices(Frozen, allow_inf_nan=False):
    """Prices of a model's tokens, in USD per million."""

    input: float = Field(ge=0)
    """Tokens of requests."""
    output: float = Field(ge=0)
    """Tokens of replies, reasoning included."""
    cached: float | None = Field(None, ge=0)
    """Tokens of requests that come from the provider's prompt cache; by default the price is
    that of `input`."""

    def cost_usd_of(self, usage: Usage) -> float:
        """Return the cost of these tokens in USD."""
        cached_tokens = min(usage.cached_tokens, usage.prompt_tokens)
        cached_price = self.input if self.cached is None else self.cached
        request_cost = (usage.prompt_tokens - cached_tokens) * self.input
        request_cost += cached_tokens * cached_price
        return (request_cost + usage.completion_tokens * self.output) / TOKENS_PER_PRICE


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a reply, and where it comes from."""

    usd: float | None
    """The cost in US dollars; None if it is unknown."""
    source: str
    """`genai-prices`, for example; empty if the cost is unknown (see `ReplyFields.cost_source`)."""


UNKNOWN_COST: Final = Cost(None, "")
