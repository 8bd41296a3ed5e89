"""What replies cost: by the user's prices, or by those that are public."""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from pydantic import Field

from controlplane.agent.model.model import Model, ModelError
from controlplane.agent.model.reply import Frozen, ModelRequest, Reply, Usage

# The cost of replies by public prices, from the table of the package `genai-prices`.
#
# 1,000 tokens of `gpt-5-mini` from `https://api.openai.com/v1` -> OpenAI's price, in dollars
#
# The table knows vendors by the address of their API. A gateway passes requests on to vendors
# from another address, which is not in the table. The cost is then estimated by the list price
# of the model's maker.

# The table of public prices, of the package `genai-prices`.
#
# It knows the models of many vendors:
#
#     table_cost_usd(Usage(prompt_tokens=1000), "gpt-5-mini", vendor_url=None)     -> 0.00025
#     table_cost_usd(Usage(prompt_tokens=1000), "my-own-model", vendor_url=None)   -> None


def _table_cost_usd(
    usage: Usage, model: str, *, vendor_url: str | None
) -> float | None:
    """Return the cost at the prices of the vendor at an address; None if they are unknown.

    Without an address, the prices are those of the model's maker.
    """
    import genai_prices  # imported late: it loads a table of 4 MB, which only some runs need

    counted = genai_prices.Usage(
        input_tokens=usage.prompt_tokens,
        cache_read_tokens=min(usage.cached_tokens, usage.prompt_tokens),
        output_tokens=usage.completion_tokens,
    )
    try:
        price = genai_prices.calc_price(counted, model, provider_api_url=vendor_url)
    except (LookupError, ValueError):
        return None
    return float(price.total_price)


# The prices of a model's tokens, as the user sets them in the configuration, and costs.
#
# `Prices(input=2, output=8)` are the prices in USD of a million tokens. A request of 1,000 tokens
# with a reply of 500 tokens then costs $0.006.

_TOKENS_PER_PRICE: Final = 1_000_000
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
        return (
            request_cost + usage.completion_tokens * self.output
        ) / _TOKENS_PER_PRICE


class _Cost(NamedTuple):
    """The cost of a reply, and where it comes from."""

    usd: float | None
    """The cost in US dollars; None if it is unknown."""
    source: str
    """`genai-prices`, for example; empty if the cost is unknown (see `ReplyFields.cost_source`)."""


_UNKNOWN_COST: Final = _Cost(None, "")


OPENAI_URL: Final = "https://api.openai.com/v1"

# Where a cost comes from, as the journal states it.
_PUBLIC_PRICE: Final = "genai-prices"
"""The public price of the vendor at the endpoint's address."""
LIST_PRICE: Final = "list price"
"""The public price of the model's maker. A gateway may charge a different one."""


def _public_cost(usage: Usage, model: str, base_url: str) -> _Cost:
    """Return what these tokens cost at public prices.

    `gpt-5-mini` at `https://api.openai.com/v1` -> OpenAI's price
    `openai/gpt-5-mini` at `https://gateway.example/v1` -> the list price of `gpt-5-mini`
    any model at `http://127.0.0.1:8000/v1` -> unknown, because nobody sells it there
    """
    if _is_own_server(base_url):
        return _UNKNOWN_COST
    vendor_usd = _table_cost_usd(usage, model, vendor_url=base_url)
    if vendor_usd is not None:
        return _Cost(vendor_usd, _PUBLIC_PRICE)

    # Gateways put the maker before the model's name. The table may have both forms.
    for name in (model, model.rpartition("/")[2]):
        list_usd = _table_cost_usd(usage, name, vendor_url=None)
        if list_usd is not None:
            return _Cost(list_usd, LIST_PRICE)
    return _UNKNOWN_COST


def public_price_source(model: str, base_url: str = "") -> str:
    """Return where the public price of a model comes from: `_PUBLIC_PRICE` or `LIST_PRICE`.

    The source is empty if the model has no public price. By default, `base_url` is OpenAI's.
    """
    one_token = Usage(prompt_tokens=1)
    return _public_cost(one_token, model, base_url or OPENAI_URL).source


def _is_own_server(base_url: str) -> bool:
    """Return True for an address on the user's machine or in a private network.

    Examples are `http://127.0.0.1:8000/v1`, `http://10.0.0.7/v1` and `http://vllm.internal/v1`.
    """
    host = urlsplit(base_url).hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:  # It is a name.
        return "." not in host or host.endswith((".local", ".internal", ".lan"))


# Adds the cost to the replies of a model, from the best source that knows it.
#
# The user may have set the prices of the model's tokens (`Prices`). Without them, some endpoints
# report the cost of a reply, and a table has the public prices of many models.


class PricedModel(Model):
    """Asks another model, and adds the cost to each of its replies, if the cost is known.

    If the user has set `Prices(input=2.5, output=10)`, a request of 200,000 tokens adds 0.50
    dollars to the cost of its reply.
    """

    def __init__(
        self, model: Model, *, base_url: str = "", prices: Prices | None = None
    ) -> None:
        """`base_url` is the endpoint's address, by which public prices are found; empty for
        OpenAI's address. `prices` are those that the user has set.
        """
        self.name = model.name
        self._model = model
        self._base_url = base_url or OPENAI_URL
        self._prices = prices

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the model's reply with its cost. Raises `ModelError`."""
        try:
            return self._priced(self._model.reply_to(request))
        except ModelError as error:
            # The request failed. The client may have sent a test request to find out why, and
            # its reply costs, too.
            if error.test_reply is not None:
                error.test_reply = self._priced(error.test_reply)
            raise

    def _priced(self, reply: Reply) -> Reply:
        """Return a reply with its cost, from the first source that knows it.

        | source | what knows the cost |
        |---|---|
        | `profile` | the prices that the user has set |
        | `vendor` | the endpoint, which reports the cost with the reply |
        | `genai-prices`, `list price` | a table of public prices (see `_public_cost`) |
        """
        usage = reply.usage
        has_tokens = usage.prompt_tokens + usage.completion_tokens > 0
        if self._prices is not None and has_tokens:
            cost = _Cost(self._prices.cost_usd_of(usage), "profile")
        elif reply.cost_usd is not None:
            cost = _Cost(reply.cost_usd, "vendor")
        elif has_tokens:
            cost = _public_cost(usage, self.name, self._base_url)
        else:
            cost = _UNKNOWN_COST  # The tokens were not counted.
        return reply.model_copy(
            update={"cost_usd": cost.usd, "cost_source": cost.source}
        )
