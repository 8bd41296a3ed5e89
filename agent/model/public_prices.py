"""The public prices of models, from the table of the package `genai-prices`."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from controlplane.agent.model.reply import Usage

OPENAI_URL: Final = "https://api.openai.com/v1"
TOKENS_PER_PRICE: Final = 1_000_000
"""The number of tokens that a price is for."""


@dataclass(frozen=True, slots=True)
class PublicPrice:
    """The price of a model at an address, from the table of `genai-prices`."""

    usd: float
    """The price of a million tokens of requests plus a million tokens of replies."""
    is_gateway: bool
    """True if the address belongs to no vendor in the table, so the actual price may differ."""


def public_price(model: str, base_url: str = "") -> PublicPrice | None:
    """Return the price of a model from `genai-prices`; None if its table lacks the model."""
    million = Usage(prompt_tokens=TOKENS_PER_PRICE, completion_tokens=TOKENS_PER_PRICE)
    vendor_usd = public_cost(million, model, base_url or OPENAI_URL)
    if vendor_usd is not None:
        return PublicPrice(vendor_usd, is_gateway=False)
    list_usd = list_cost(million, model, base_url or OPENAI_URL)
    if list_usd is not None:
        return PublicPrice(list_usd, is_gateway=True)
    return None


def list_cost(usage: Usage, model: str, base_url: str) -> float | None:
    """Return the cost at the list price of the model's maker, for a gateway on the internet.

    Gateways put the maker before the model's name, as in `openai/gpt-5-mini`. Returns
    None for an address in a private network, or if the model is unknown.
    """
    host = urlsplit(base_url).hostname or ""
    is_private_name = "." not in host or host.endswith((".local", ".internal", ".lan"))
    if is_private_name:
        return None
    # The table may have the model with or without its maker.
    for name in (model, model.rpartition("/")[2]):
        cost_usd = public_cost(usage, name, base_url, any_vendor=True)
        if cost_usd is not None:
            return cost_usd
    return None


def public_cost(
    usage: Usage, model: str, base_url: str, *, any_vendor: bool = False
) -> float | None:
    """Return the cost at the prices of the vendor at this address.

    With `any_vendor`, the prices are those of the model's own maker. Returns None if
    `genai-prices` does not know the vendor or the model.
    """
    if _is_own_machine(base_url):
        return None  # The user's own server has no public price.
    import genai_prices  # imported late: it loads a table of 4 MB, which only some runs need

    counted = genai_prices.Usage(
        input_tokens=usage.prompt_tokens,
        cache_read_tokens=min(usage.cached_tokens, usage.prompt_tokens),
        output_tokens=usage.completion_tokens,
    )
    try:
        if any_vendor:
            price = genai_prices.calc_price(counted, model)
        else:
            price = genai_prices.calc_price(counted, model, provider_api_url=base_url)
    except (LookupError, ValueError):
        return None
    return float(price.total_price)


def _is_own_machine(base_url: str) -> bool:
    """Return True if the host of a URL is a private IP address: `http://127.0.0.1:8000/v1`."""
    host = urlsplit(base_url).hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return False  # The host is a name, such as a vendor's.
