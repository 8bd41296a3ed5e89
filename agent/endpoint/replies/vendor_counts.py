"""The counts of tokens in the `usage` of a reply, under the names of any vendor.

`{"input_tokens": 20, "output_tokens": 5}` and `{"prompt_tokens": 20, "completion_tokens": 5}`
give the same counts. What a count includes also differs by vendor, which `usage_of` corrects.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.endpoint.replies.count_names import (
    CACHE_READ_PATHS,
    CACHE_WRITE_PATHS,
    COMPLETION_PATHS,
    PROMPT_PATHS,
    THINKING_PATHS,
    TOTAL_PATHS,
)
from controlplane.agent.endpoint.replies.usage_fields import first_count


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
