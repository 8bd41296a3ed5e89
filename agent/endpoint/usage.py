"""Reads the tokens and the cost of a reply from the `usage` of any vendor.

Vendors use different names and count differently. Anthropic does not include cached tokens in the
prompt tokens, and xAI and Gemini do not include thinking in the completion tokens. The counts here
include both, as OpenAI's do. If counts are missing or absurd, the tokens are estimated from bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.model import Reply, Usage
from controlplane.sandbox.interface import bounds

PROMPT_NAMES: Final = (
    "prompt_tokens",  # chat completions
    "input_tokens",  # Responses API, Anthropic
    "promptTokenCount",  # Gemini
    "prompt_eval_count",  # Ollama
)
COMPLETION_NAMES: Final = (
    "completion_tokens",
    "output_tokens",
    "candidatesTokenCount",
    "eval_count",
)
TOTAL_NAMES: Final = ("total_tokens", "totalTokenCount")
CACHE_READ_NAMES: Final = (
    "prompt_tokens_details.cached_tokens",  # OpenAI
    "input_tokens_details.cached_tokens",
    "prompt_cache_hit_tokens",  # DeepSeek
    "cached_tokens",  # Moonshot
    "cache_read_input_tokens",  # Anthropic
    "cachedContentTokenCount",  # Gemini
)
CACHE_WRITE_NAMES: Final = ("cache_creation_input_tokens",)  # Anthropic
REASONING_NAMES: Final = (
    "completion_tokens_details.reasoning_tokens",
    "output_tokens_details.reasoning_tokens",
    "reasoning_tokens",
    "thoughtsTokenCount",
)
"""These tuples have the names of each count, in the order in which they are tried.

A dot separates the name of an object from the name of a field in it."""

COST_UNITS_USD: Final[Mapping[str, float]] = {
    "cost": 1.0,  # https://openrouter.ai/docs/use-cases/usage-accounting
    "cost.total_cost": 1.0,  # Perplexity
    "total_cost": 1.0,
    "estimated_cost": 1.0,  # DeepInfra
    "cost_in_usd_ticks": 1e-10,  # https://docs.x.ai/developers/cost-tracking
}
"""The names of the cost, each with the value of one unit in USD."""

BYTES_PER_TOKEN: Final = 3
"""For estimates. Most texts have more bytes per token, so the estimate is high and limits hold."""
MAX_BYTES_PER_TOKEN: Final = 100
"""A count is absurd if it means more bytes per token than this."""


@dataclass(frozen=True, slots=True)
class UsageAndCost:
    """The tokens and the cost of a reply."""

    usage: Usage
    cost_usd: float | None
    """None if the endpoint does not give it."""


def usage_of(document: object) -> UsageAndCost:
    """Return the tokens and the cost in the `usage` of a reply; 0 tokens if there is none."""
    if not isinstance(document, Mapping):
        return UsageAndCost(Usage(), None)
    prompt = first_count(document, PROMPT_NAMES)
    completion = first_count(document, COMPLETION_NAMES)
    total = first_count(document, TOTAL_NAMES)
    cache_read = first_count(document, CACHE_READ_NAMES)
    cache_write = first_count(document, CACHE_WRITE_NAMES)
    reasoning = first_count(document, REASONING_NAMES)

    # The prompt tokens do not include cached tokens if the cached ones are more, if only their sum
    # gives the total, or if the names are Anthropic's.
    cached = cache_read + cache_write
    total_includes_cached = cached > 0 and total == prompt + completion + cached
    has_anthropic_names = (
        "input_tokens" in document and "cache_read_input_tokens" in document and not total
    )
    if cache_read > prompt or total_includes_cached or has_anthropic_names:
        prompt += cached

    # The completion tokens do not include thinking if the total is larger than the sum, or if the
    # thinking has more tokens.
    if prompt and total > prompt + completion:
        completion = total - prompt
    elif reasoning > completion:
        completion += reasoning

    usage = Usage(
        prompt_tokens=bounded_count(prompt),
        completion_tokens=bounded_count(completion),
        cached_tokens=bounded_count(cache_read),
        reasoning_tokens=bounded_count(min(reasoning, completion)),
    )
    return UsageAndCost(usage, cost_of(document))


def cost_of(document: Mapping[str, object]) -> float | None:
    """Return the cost in USD that a `usage` names; None if it names none."""
    cost_usd = None
    for path, unit_usd in COST_UNITS_USD.items():
        cost_usd = number_at(document, path, unit=unit_usd)
        if cost_usd is not None:
            break

    # If users bring their own key, OpenRouter gives the provider's cost separately from its own.
    provider_usd = number_at(document, "cost_details.upstream_inference_cost")
    if provider_usd and (document.get("is_byok") is True or not cost_usd):
        cost_usd = (cost_usd or 0.0) + provider_usd
    return cost_usd


def first_count(document: Mapping[str, object], paths: tuple[str, ...]) -> float:
    """Return the first count above 0 under one of these names; 0 if there is none."""
    for path in paths:
        count = number_at(document, path)
        if count:
            return count
    return 0


def number_at(document: Mapping[str, object], path: str, unit: float = 1.0) -> float | None:
    """Return the number at a path, multiplied by its unit. The number may be written as text.

    Returns None without a number, or if the product is not between 0 and `bounds.MOST_USAGE`.
    """
    value: object = document
    for name in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value) * unit
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= bounds.MOST_USAGE else None


def bounded_count(count: float) -> int:
    return min(int(count), bounds.MOST_USAGE)


def counted(reply: Reply, sent_bytes: int, max_output_tokens: int | None) -> Usage:
    """Return the usage of a reply. Counts that are missing, zero or absurd are replaced by
    estimates.

    Args:
        reply: The reply, with the endpoint's own counts.
        sent_bytes: The length of the request's body.
        max_output_tokens: The limit of the reply, used as the estimate for an empty reply without a
            count.
    """
    usage = reply.usage
    received = reply.text + reply.reasoning
    for call in reply.tool_calls:
        received += call.name + call.arguments
    received_bytes = len(received.encode(errors="replace"))

    estimates: dict[str, object] = {}
    if is_too_few(usage.prompt_tokens, sent_bytes):
        estimates["prompt_tokens"] = estimated_tokens(sent_bytes)
    if is_too_few(usage.completion_tokens, received_bytes):
        estimates["completion_tokens"] = estimated_tokens(received_bytes)
    if received_bytes == 0 and "prompt_tokens" in estimates:
        estimates["completion_tokens"] = usage.completion_tokens or max_output_tokens or 0
    if not estimates:
        return usage
    estimates["estimated"] = True
    return usage.model_copy(update=estimates)


def is_too_few(tokens: int, text_bytes: int) -> bool:
    return tokens * MAX_BYTES_PER_TOKEN < text_bytes


def estimated_tokens(text_bytes: int) -> int:
    """Return the estimated tokens of a text with this many bytes, rounded up."""
    return -(-text_bytes // BYTES_PER_TOKEN)
