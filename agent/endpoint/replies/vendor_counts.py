"""The counts of tokens in the `usage` of a reply, under the names of any vendor.

`{"input_tokens": 20, "output_tokens": 5}` and `{"prompt_tokens": 20, "completion_tokens": 5}`
give the same counts. What a count includes also differs by vendor, which `usage_of` corrects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.endpoint.replies.usage_fields import first_count

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
    """Tokens of the prompt that the endpoint put into its cache."""
    thinking: float
    has_anthropic_names: bool
    """True if the `usage` has names of Anthropic, whose count of the prompt is without the
    cached tokens. `usage_of` adds them."""

    @classmethod
    def of(cls, document: Mapping[str, object]) -> VendorCounts:
        """Return the counts in a `usage`: `{"input_tokens": 20}` has `prompt=20`."""
        # The first name alone does not tell: OpenAI's Responses API has it, too.
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
