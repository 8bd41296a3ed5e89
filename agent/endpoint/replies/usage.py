"""Reads the tokens and the cost of a reply from the `usage` of any vendor.

Vendors use different names and count differently. Anthropic does not include cached
tokens in the prompt tokens, and xAI and Gemini do not include thinking in the
completion tokens. The counts here include both, as OpenAI's do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.endpoint.replies.cost import cost_of
from controlplane.agent.endpoint.replies.vendor_counts import VendorCounts
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


def prompt_with_cached(counts: VendorCounts) -> float:
    """Return the tokens of the prompt, including the cached ones.

    Some vendors leave cached tokens out of the prompt's count. They are added if one of three
    signs shows this.
    """
    cached = counts.cache_read + counts.cache_write
    with_cached = counts.prompt + cached

    # 1. The cached tokens are more than the prompt's: prompt 20, cached 1,000.
    if counts.cache_read > counts.prompt:
        return with_cached
    # 2. The total includes both: prompt 800, cached 200, completion 50, total 1,050.
    if cached > 0 and counts.total == with_cached + counts.completion:
        return with_cached
    # 3. The names are Anthropic's, which gives no total.
    if counts.has_anthropic_names and not counts.total:
        return with_cached
    return counts.prompt


def completion_with_thinking(counts: VendorCounts, prompt: float) -> float:
    """Return the tokens of the reply, including those of the thinking.

    Some vendors leave the thinking out of the reply's count. If one of two signs shows
    this, its tokens are added.
    """
    # 1. The total has further tokens: prompt 100, completion 10, total 150 -> 50.
    if prompt and counts.total > prompt + counts.completion:
        return counts.total - prompt
    # 2. The thinking has more tokens than the reply: completion 10, thinking 40 -> 50.
    if counts.thinking > counts.completion:
        return counts.completion + counts.thinking
    return counts.completion


def bounded_count(count: float) -> int:
    """Return a count as a whole number of at most `bounds.MOST_USAGE`."""
    return min(int(count), bounds.MOST_USAGE)
