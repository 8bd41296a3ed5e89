"""A model whose replies get their cost, if it is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pydantic import Field

from controlplane.agent.model.immutable_data import Frozen
from controlplane.agent.model.model import Model
from controlplane.agent.model.model_errors import ModelError
from controlplane.agent.model.model_request import ModelRequest
from controlplane.agent.model.public_prices import (
    OPENAI_URL,
    TOKENS_PER_PRICE,
    list_cost,
    public_cost,
)
from controlplane.agent.model.reply import Reply, Usage

LIST_PRICE: Final = "list price"
"""The source of a cost at the maker's list price. A gateway may charge a different price."""


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


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a reply and its source."""

    usd: float | None
    """None if it is unknown."""
    source: str
    """See `ReplyFields.cost_source`."""


class PricedModel(Model):
    """Wraps a model, and adds the cost to each reply if it is known."""

    def __init__(
        self, model: Model, *, base_url: str = "", prices: Prices | None = None
    ) -> None:
        """`base_url` is the endpoint's address, which identifies the vendor; empty for OpenAI."""
        self.name = model.name
        self._model = model
        self._base_url = base_url or OPENAI_URL
        self._prices = prices

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the model's reply with its cost. Raises `ModelError`."""
        try:
            return self._priced(self._model.reply_to(request))
        except ModelError as error:
            if error.paid is not None:
                error.paid = self._priced(error.paid)
            raise

    def _priced(self, reply: Reply) -> Reply:
        cost = self.cost_of(reply)
        return reply.model_copy(
            update={"cost_usd": cost.usd, "cost_source": cost.source}
        )

    def cost_of(self, reply: Reply) -> Cost:
        """Return the cost of a reply, from the first source that knows it.

        In this order: `profile` (the owner's prices), `vendor` (the endpoint
        reports the cost), `genai-prices` (the vendor's public price), `list price`
        (that of the model's maker).
        """
        usage = reply.usage
        has_tokens = usage.prompt_tokens + usage.completion_tokens > 0
        if self._prices is not None and has_tokens:
            return Cost(self._prices.cost_usd_of(usage), "profile")
        if reply.cost_usd is not None:
            return Cost(reply.cost_usd, "vendor")
        if not has_tokens:
            return Cost(None, "")  # Without tokens, no price tells the cost.
        cost_usd = public_cost(usage, self.name, self._base_url)
        if cost_usd is not None:
            return Cost(cost_usd, "genai-prices")
        cost_usd = list_cost(usage, self.name, self._base_url)
        if cost_usd is not None:
            return Cost(cost_usd, LIST_PRICE)
        return Cost(None, "")
