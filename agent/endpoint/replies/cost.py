"""Reads the cost of a reply from the `usage` of any vendor.

OpenRouter gives `{"prompt_tokens": 100, "cost": 0.002}`, which is 0.002 USD.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.agent.endpoint.replies.usage_fields import number_at

COST_UNITS_USD: Final[Mapping[str, float]] = {
    "cost": 1.0,  # https://openrouter.ai/docs/use-cases/usage-accounting
    "cost.total_cost": 1.0,  # Perplexity
    "total_cost": 1.0,
    "estimated_cost": 1.0,  # DeepInfra
    "cost_in_usd_ticks": 1e-10,  # https://docs.x.ai/developers/cost-tracking
}
"""Where vendors give the cost in a `usage`, each with the value of one unit in USD."""


def cost_of(document: Mapping[str, object]) -> float | None:
    """Return the cost in USD that a `usage` names; None if it names none.

    OpenRouter gives its own cost and that of the provider behind it. Users may bring their own
    key for the provider (`is_byok`). Then OpenRouter's cost is only its fee:

    | own key | `cost` | provider's cost | returned |
    |---------|--------|-----------------|----------|
    | no      | 5      | 5               | 5        |
    | yes     | 1      | 5               | 6        |
    | yes     | 0      | 5               | 5        |
    """
    cost_usd = _own_cost_usd(document)
    provider_cost_usd = number_at(document, "cost_details.upstream_inference_cost")
    if not provider_cost_usd:
        return cost_usd
    if not cost_usd:
        return provider_cost_usd
    has_own_key = document.get("is_byok") is True
    return cost_usd + provider_cost_usd if has_own_key else cost_usd


def _own_cost_usd(document: Mapping[str, object]) -> float | None:
    """Return the cost at the first path that has one: `{"cost": 0.002}` -> 0.002."""
    for path, unit_usd in COST_UNITS_USD.items():
        cost_usd = number_at(document, path, unit=unit_usd)
        if cost_usd is not None:
            return cost_usd
    return None
