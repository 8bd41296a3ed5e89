"""Reads the tokens and the cost of a reply from the `usage` of any vendor.

Vendors use different names and count differently. The counts here are as OpenAI's: the prompt
tokens include the cached ones, and the completion tokens include the thinking.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.endpoint.replies.cost import cost_of
from controlplane.agent.endpoint.replies.vendor_counts import VendorCounts
from controlplane.agent.endpoint.replies.whole_counts import (
    completion_with_thinking,
    prompt_with_cached,
)
from controlplane.agent.model import Usage
from controlplane.sandbox.interface import bounds


@dataclass(frozen=True, slots=True)
class UsageAndCost:
    """The tokens and the cost of a reply."""

    usage: Usage
    cost_usd: float | None
    """None if the endpoint does not give it."""


def usage_of(document: object) -> UsageAndCost:
    """Return the tokens and the cost in the `usage` of a reply; 0 tokens if there is none.

    `{"prompt_tokens": 800, "completion_tokens": 50, "cost": 0.002}` has 850 tokens, for $0.002.
    """
    if not isinstance(document, Mapping):
        return UsageAndCost(Usage(), None)
    counts = VendorCounts.of(document)
    prompt = prompt_with_cached(counts)
    completion = completion_with_thinking(counts, prompt)
    usage = Usage(
        prompt_tokens=bounded_count(prompt),
        completion_tokens=bounded_count(completion),
        cached_tokens=bounded_count(counts.cache_read),
        reasoning_tokens=bounded_count(min(counts.thinking, completion)),
    )
    return UsageAndCost(usage, cost_of(document))


def bounded_count(count: float) -> int:
    """Return a count as a whole number of at most `bounds.MOST_USAGE`."""
    return min(int(count), bounds.MOST_USAGE)
