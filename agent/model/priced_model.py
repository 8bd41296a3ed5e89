"""Says what a reply cost: the vendor's own figure, else the owner's prices, else those of `genai-prices`.

What none of them knows stays unknown. The prices of `genai-prices` are those of the installed version; nothing is
fetched.
"""

from __future__ import annotations

from typing import Final, Literal, Protocol, TypeAlias

from agent.model.model_protocol import Model, Reply, Usage
from agent.model.model_request import AnsweringModel, ModelRequest

PriceSource: TypeAlias = Literal["", "vendor", "profile", "genai-prices"]
OPENAI_URL: Final = "https://api.openai.com/v1"


class TokenPrices(Protocol):
    """USD per million tokens."""

    @property
    def input(self) -> float: ...
    @property
    def output(self) -> float: ...
    @property
    def cached(self) -> float | None:
        """Of a request, those that the provider's cache held; None: as `input`."""
        ...


class PricedModel(AnsweringModel):
    """A model whose replies say what they cost, where that is known."""

    def __init__(self, model: Model, *, base_url: str = "", prices: TokenPrices | None = None) -> None:
        """`base_url` is the endpoint's, which tells the vendor; empty for OpenAI's own."""
        self._model = model
        self._base_url = base_url or OPENAI_URL
        self._prices = prices

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the model's reply with its cost. Raises `ModelError`."""
        reply = request.put_to(self._model)
        cost_usd, source = self.cost_of(reply)
        return reply.model_copy(update={"cost_usd": cost_usd, "cost_source": source})

    def cost_of(self, reply: Reply) -> tuple[float | None, PriceSource]:
        """Return the USD that a reply cost, and who says so; None if nobody does."""
        if reply.cost_usd is not None:
            return reply.cost_usd, "vendor"
        if not reply.usage.prompt_tokens + reply.usage.completion_tokens:
            return None, ""  # the endpoint did not count
        if self._prices is not None:
            return _cost_at(self._prices, reply.usage), "profile"
        cost_usd = _public_cost(reply.usage, self.name, self._base_url)
        return cost_usd, "" if cost_usd is None else "genai-prices"


def public_price(model: str, base_url: str = "") -> float | None:
    """Return the USD of a million tokens in and a million out by `genai-prices`; None if it does not know the model."""
    million = Usage(prompt_tokens=1_000_000, completion_tokens=1_000_000)
    return _public_cost(million, model, base_url or OPENAI_URL)


def _cost_at(prices: TokenPrices, usage: Usage) -> float:
    cached = min(usage.cached_tokens, usage.prompt_tokens)
    cached_price = prices.input if prices.cached is None else prices.cached
    dollars = (usage.prompt_tokens - cached) * prices.input + cached * cached_price
    return (dollars + usage.completion_tokens * prices.output) / 1e6


def _public_cost(usage: Usage, model: str, base_url: str) -> float | None:
    import genai_prices  # a large table, which only some runs need

    counted = genai_prices.Usage(
        input_tokens=usage.prompt_tokens,
        cache_read_tokens=min(usage.cached_tokens, usage.prompt_tokens),
        output_tokens=usage.completion_tokens,
    )
    try:
        price = genai_prices.calc_price(counted, model, provider_api_url=base_url)
    except (LookupError, ValueError):
        return None
    return float(price.total_price)
