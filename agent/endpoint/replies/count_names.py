"""The names under which vendors give the counts of tokens in the `usage` of a reply.

A dot stands between the name of an object and the name of a field in it: in
`{"prompt_tokens_details": {"cached_tokens": 12}}`, the path `prompt_tokens_details.cached_tokens`
leads to 12. The names of a count are tried in their order.
"""

from __future__ import annotations

from typing import Final

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
