"""The table of public prices, of the package `genai-prices`.

It knows the models of many vendors:

    table_cost_usd(Usage(prompt_tokens=1000), "gpt-5-mini", vendor_url=None)     -> 0.00025
    table_cost_usd(Usage(prompt_tokens=1000), "my-own-model", vendor_url=None)   -> None
"""

from __future__ import annotations

from controlplane.agent.model.usage import Usage


def table_cost_usd(usage: Usage, model: str, *, vendor_url: str | None) -> float | None:
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
