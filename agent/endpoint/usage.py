"""Reads the tokens and the cost of a reply from the `usage` of any vendor.

Vendors use different names and count differently. Anthropic does not include cached
tokens in the prompt tokens, and xAI and Gemini do not include thinking in the
completion tokens. The counts here include both, as OpenAI's do. If counts are missing
or absurd, the tokens are estimated from bytes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.model import Reply, Usage
from controlplane.sandbox.interface import bounds

# The names under which vendors give each count, in the order in which they are tried. A
# dot stands between the name of an object and the name of a field in it.

PROMPT_PATHS: Final = (
    "prompt_tokens",  # chat completions
    "input_tokens",  # Responses API, Anthropic
    "promptTokenCount",  # Gemini
    "prompt_eval_count",  # Ollama
)
COMPLETION_PATHS: Final = (
    "completion_tokens",  # chat completions
    "output_tokens",  # Responses API, Anthropic
    "candidatesTokenCount",  # Gemini
    "eval_count",  # Ollama
)
TOTAL_PATHS: Final = ("total_tokens", "totalTokenCount")
CACHE_READ_PATHS: Final = (
    "prompt_tokens_details.cached_tokens",  # OpenAI: chat completions
    "input_tokens_details.cached_tokens",  # OpenAI: Responses API
    "prompt_cache_hit_tokens",  # DeepSeek
    "cached_tokens",  # Moonshot
    "cache_read_input_tokens",  # Anthropic
    "cachedContentTokenCount",  # Gemini
)
CACHE_WRITE_PATHS: Final = ("cache_creation_input_tokens",)  # Anthropic
THINKING_PATHS: Final = (
    "completion_tokens_details.reasoning_tokens",  # OpenAI: chat completions
    "output_tokens_details.reasoning_tokens",  # OpenAI: Responses API
    "reasoning_tokens",
    "thoughtsTokenCount",  # Gemini
)

COST_UNITS_USD: Final[Mapping[str, float]] = {
    "cost": 1.0,  # https://openrouter.ai/docs/use-cases/usage-accounting
    "cost.total_cost": 1.0,  # Perplexity
    "total_cost": 1.0,
    "estimated_cost": 1.0,  # DeepInfra
    "cost_in_usd_ticks": 1e-10,  # https://docs.x.ai/developers/cost-tracking
}
"""The paths of the cost, each with the value of one unit in USD."""

BYTES_PER_TOKEN: Final = 3
"""For estimates. Most texts have more bytes per token, so most
estimates are too high, and limits on tokens are kept."""
MAX_BYTES_PER_TOKEN: Final = 100
"""A count is absurd if it means more bytes per token than this: 1 token for 4,000 bytes."""


@dataclass(frozen=True, slots=True)
class UsageAndCost:
    """The tokens and the cost of a reply."""

    usage: Usage
    cost_usd: float | None
    """None if the endpoint does not give it."""


@dataclass(frozen=True, slots=True)
class VendorCounts:
    """The counts of tokens in a `usage`, as the vendor states them; 0 for a missing one."""

    prompt: float
    completion: float
    total: float
    cache_read: float
    """Tokens of the prompt that the endpoint had in its cache."""
    cache_write: float
    """Tokens of the prompt that it put into its cache."""
    thinking: float
    has_anthropic_names: bool


def usage_of(document: object) -> UsageAndCost:
    """Return the tokens and the cost in the `usage` of a reply; 0 tokens if there is none."""
    if not isinstance(document, Mapping):
        return UsageAndCost(Usage(), None)
    counts = VendorCounts(
        prompt=first_count(document, PROMPT_PATHS),
        completion=first_count(document, COMPLETION_PATHS),
        total=first_count(document, TOTAL_PATHS),
        cache_read=first_count(document, CACHE_READ_PATHS),
        cache_write=first_count(document, CACHE_WRITE_PATHS),
        thinking=first_count(document, THINKING_PATHS),
        has_anthropic_names="input_tokens" in document
        and "cache_read_input_tokens" in document,
    )
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

    Some vendors leave cached tokens out of the prompt's count. If one of three signs
    shows this, they are added.
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


def cost_of(document: Mapping[str, object]) -> float | None:
    """Return the cost in USD that a `usage` names; None if it names none."""
    cost_usd = None
    for path, unit_usd in COST_UNITS_USD.items():
        cost_usd = number_at(document, path, unit=unit_usd)
        if cost_usd is not None:
            break

    # If users bring their own key, OpenRouter gives the provider's cost apart from its own fee.
    provider_cost_usd = number_at(document, "cost_details.upstream_inference_cost")
    if not provider_cost_usd:
        return cost_usd
    if cost_usd is None or cost_usd == 0:
        return provider_cost_usd
    has_own_key = document.get("is_byok") is True
    return cost_usd + provider_cost_usd if has_own_key else cost_usd


def first_count(document: Mapping[str, object], paths: tuple[str, ...]) -> float:
    """Return the first count above 0 at one of these paths; 0 if there is none."""
    for path in paths:
        count = number_at(document, path)
        if count:
            return count
    return 0


def number_at(
    document: Mapping[str, object], path: str, unit: float = 1.0
) -> float | None:
    """Return the number at a path, multiplied by its unit.

    `prompt_tokens_details.cached_tokens` is such a path. The number may be written as text.
    Returns None without a number, or if the product is not between 0 and
    `bounds.MOST_USAGE`.
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
    """Return a count as a whole number of at most `bounds.MOST_USAGE`."""
    return min(int(count), bounds.MOST_USAGE)


def usage_with_estimates(
    reply: Reply, sent_bytes: int, max_output_tokens: int | None
) -> Usage:
    """Return the usage of a reply. Missing or absurd counts are replaced by estimates.

    Args:
        reply: The reply, with the endpoint's own counts.
        sent_bytes: The length of the request's body.
        max_output_tokens: The limit of the reply's tokens; None without a limit.
    """
    usage = reply.usage
    received = reply.text + reply.reasoning
    for call in reply.tool_calls:
        received += call.name + call.arguments
    received_bytes = len(received.encode(errors="replace"))

    estimates: dict[str, object] = {}
    if is_absurd(usage.prompt_tokens, sent_bytes):
        estimates["prompt_tokens"] = estimated_tokens(sent_bytes)
        if received_bytes == 0:
            # The model may have used all tokens for thinking, which the endpoint does not show.
            estimates["completion_tokens"] = (
                usage.completion_tokens or max_output_tokens or 0
            )
    if is_absurd(usage.completion_tokens, received_bytes):
        estimates["completion_tokens"] = estimated_tokens(received_bytes)
    if not estimates:
        return usage
    estimates["estimated"] = True
    return usage.model_copy(update=estimates)


def is_absurd(tokens: int, text_bytes: int) -> bool:
    """Return True if a text has too many bytes for this number of tokens."""
    return tokens * MAX_BYTES_PER_TOKEN < text_bytes


def estimated_tokens(text_bytes: int) -> int:
    """Return the estimated tokens of a text with this many bytes, rounded up."""
    return math.ceil(text_bytes / BYTES_PER_TOKEN)
