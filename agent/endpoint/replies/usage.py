"""Reads the tokens and the cost of a reply from the `usage` of any vendor.

Vendors use different names and count differently. Anthropic does not include cached
tokens in the prompt tokens, and xAI and Gemini do not include thinking in the
completion tokens. The counts here include both, as OpenAI's do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.endpoint.replies.cost import cost_of
from controlplane.agent.endpoint.replies.usage_fields import first_count
from controlplane.agent.model import Usage
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


@dataclass(frozen=True, slots=True)
class UsageAndCost:
    """The tokens and the cost of a reply."""

    usage: Usage
    cost_usd: float | None
    """None if the endpoint does not give it."""


@dataclass(frozen=True, slots=True)
class VendorCounts:
    """The counts of tokens in a `usage`, as the vendor states them; 0 for a missing one.

    They are floats because a vendor may write `12.0`.
    """

    prompt: float
    completion: float
    """Tokens of the reply. Some vendors include the thinking, some don't."""
    total: float
    cache_read: float
    """Tokens of the prompt that the endpoint had in its cache."""
    cache_write: float
    """Tokens of the prompt that it put into its cache."""
    thinking: float
    has_anthropic_names: bool

    @classmethod
    def of(cls, document: Mapping[str, object]) -> VendorCounts:
        """Return the counts in a `usage`."""
        anthropic_names = ("input_tokens", "cache_read_input_tokens")
        return cls(
            prompt=first_count(document, PROMPT_PATHS),
            completion=first_count(document, COMPLETION_PATHS),
            total=first_count(document, TOTAL_PATHS),
            cache_read=first_count(document, CACHE_READ_PATHS),
            cache_write=first_count(document, CACHE_WRITE_PATHS),
            thinking=first_count(document, THINKING_PATHS),
            has_anthropic_names=all(name in document for name in anthropic_names),
        )


def usage_of(document: object) -> UsageAndCost:
    """Return the tokens and the cost in the `usage` of a reply; 0 tokens if there is none."""
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


def bounded_count(count: float) -> int:
    """Return a count as a whole number of at most `bounds.MOST_USAGE`."""
    return min(int(count), bounds.MOST_USAGE)
