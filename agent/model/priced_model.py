"""A model whose replies get their cost, from the first source that knows it.

Some endpoints report the cost of a reply; the user may set the prices of a model; and a
table has the public prices of many models.
"""

from __future__ import annotations

from typing import Final

from pydantic import Field

from controlplane.agent.model.immutable_data import Frozen
from controlplane.agent.model.model import Model
from controlplane.agent.model.model_errors import ModelError
from controlplane.agent.model.model_request import ModelRequest
from controlplane.agent.model.public_prices import (
    OPENAI_URL,
    UNKNOWN_COST,
    Cost,
    public_cost,
)
from controlplane.agent.model.reply import Reply, Usage

TOKENS_PER_PRICE: Final = 1_000_000
"""The number of tokens that a price is for."""


class Prices(Frozen, allow_inf_nan=False):
    """Prices of a model's tokens, in USD per million."""

    input: float = Field(ge=0)
    """Tokens of requests."""
    output: float = Field(ge=0)
    """Tokens of replies, reasoning included."""
    cached: float | None = Field(None, ge=0)
    """Tokens of requests that come from the provider's
    prompt cache; by default the same as `input`."""

    def cost_usd_of(self, usage: Usage) -> float:
        """Return the cost of these tokens in USD."""
        cached_tokens = min(usage.cached_tokens, usage.prompt_tokens)
        cached_price = self.input if self.cached is None else self.cached
        request_cost = (usage.prompt_tokens - cached_tokens) * self.input
        request_cost += cached_tokens * cached_price
        return (request_cost + usage.completion_tokens * self.output) / TOKENS_PER_PRICE


class PricedModel(Model):
    """A model that adds the cost to each reply of another model, if the cost is known.

    A reply to a request of 200,000 tokens costs 0.50 dollars more if the user has set a price
    of $2.50 for a million of these tokens.
    """

    def __init__(
        self, model: Model, *, base_url: str = "", prices: Prices | None = None
    ) -> None:
        """`base_url` is the endpoint's address, which identifies the vendor; empty for OpenAI."""
        self.name = model.name
        self._model = model
        """The other model, which is asked."""
        self._base_url = base_url or OPENAI_URL
        self._prices = prices
        """The prices that the user has set; None for the public ones."""

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the model's reply with its cost. Raises `ModelError`."""
        try:
            return self._priced(self._model.reply_to(request))
        except ModelError as error:
            # The request failed, but the test that found out why may have got a reply, which
            # costs, too.
            if error.paid is not None:
                error.paid = self._priced(error.paid)
            raise

    def _priced(self, reply: Reply) -> Reply:
        """Return a reply with its cost, and the source of the cost."""
        cost = self.cost_of(reply)
        return reply.model_copy(
            update={"cost_usd": cost.usd, "cost_source": cost.source}
        )

    def cost_of(self, reply: Reply) -> Cost:
        """Return the cost of a reply, from the first source that knows it.

        1. `profile`: the user has set the prices of this model.
        2. `vendor`: the endpoint reports the cost.
        3. `genai-prices` or `list price`: a public price (see `public_cost`).
        """
        usage = reply.usage
        has_tokens = usage.prompt_tokens + usage.completion_tokens > 0
        if self._prices is not None and has_tokens:
            return Cost(self._prices.cost_usd_of(usage), "profile")
        if reply.cost_usd is not None:
            return Cost(reply.cost_usd, "vendor")
        if not has_tokens:
            return UNKNOWN_COST  # Without tokens, no price tells the cost.
        return public_cost(usage, self.name, self._base_url)
