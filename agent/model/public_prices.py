"""The cost of replies by public prices, from the table of the package `genai-prices`.

1,000 tokens of `gpt-5-mini` from `https://api.openai.com/v1` -> OpenAI's price, in dollars

The table knows vendors by the address of their API. A gateway passes requests on to vendors
from another address, which is not in the table. The cost is then estimated by the list price
of the model's maker.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from controlplane.agent.model.price_table import table_cost_usd
from controlplane.agent.model.prices import UNKNOWN_COST, Cost
from controlplane.agent.model.usage import Usage

OPENAI_URL: Final = "https://api.openai.com/v1"

# Where a cost comes from, as the journal states it.
VENDOR_PRICE: Final = "genai-prices"
"""The public price of the vendor at the endpoint's address."""
LIST_PRICE: Final = "list price"
"""The public price of the model's maker. A gateway may charge a different one."""


def public_cost(usage: Usage, model: str, base_url: str) -> Cost:
    """Return what these tokens cost at public prices.

    `gpt-5-mini` at `https://api.openai.com/v1` -> OpenAI's price
    `openai/gpt-5-mini` at `https://gateway.example/v1` -> the list price of `gpt-5-mini`
    any model at `http://127.0.0.1:8000/v1` -> unknown, because nobody sells it there
    """
    if _is_own_server(base_url):
        return UNKNOWN_COST
    vendor_usd = table_cost_usd(usage, model, vendor_url=base_url)
    if vendor_usd is not None:
        return Cost(vendor_usd, VENDOR_PRICE)

    # Gateways put the maker before the model's name. The table may have both forms.
    for name in (model, model.rpartition("/")[2]):
        list_usd = table_cost_usd(usage, name, vendor_url=None)
        if list_usd is not None:
            return Cost(list_usd, LIST_PRICE)
    return UNKNOWN_COST


def public_price_source(model: str, base_url: str = "") -> str:
    """Return where the public price of a model comes from: `VENDOR_PRICE` or `LIST_PRICE`.

    The source is empty if the model has no public price. By default, `base_url` is OpenAI's.
    """
    one_token = Usage(prompt_tokens=1)
    return public_cost(one_token, model, base_url or OPENAI_URL).source


def _is_own_server(base_url: str) -> bool:
    """Return True for an address on the user's machine or in a private network.

    Examples are `http://127.0.0.1:8000/v1`, `http://10.0.0.7/v1` and `http://vllm.internal/v1`.
    """
    host = urlsplit(base_url).hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:  # It is a name.
        return "." not in host or host.endswith((".local", ".internal", ".lan"))
