"""Reads the tokens and the cost of a reply from its `usage`, as any vendor reports them.

`{"input_tokens": 20, "output_tokens": 5}` of Anthropic, and `{"prompt_tokens": 20,
"completion_tokens": 5}` of OpenAI, are the same tokens. Vendors also count differently. The counts
here are as OpenAI's: the prompt includes the cached tokens, the completion those of the thinking.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from controlplane.agent.model import Usage
from controlplane.sandbox.interface import bounds

# The names under which vendors give the counts of tokens. A dot stands between the name of an object
# and the name of a field in it: in `{"prompt_tokens_details": {"cached_tokens": 12}}`, the path
# `prompt_tokens_details.cached_tokens` leads to 12. The names of a count are tried in their order.

_PROMPT_PATHS: Final = (
    "prompt_tokens",  # chat completions
    "input_tokens",  # Responses API, Anthropic
    "promptTokenCount",  # Gemini
    "prompt_eval_count",  # Ollama
)
_COMPLETION_PATHS: Final = (
    "completion_tokens",  # chat completions
    "output_tokens",  # Responses API, Anthropic
    "candidatesTokenCount",  # Gemini
    "eval_count",  # Ollama
)
_TOTAL_PATHS: Final = ("total_tokens", "totalTokenCount")
_CACHE_READ_PATHS: Final = (
    "prompt_tokens_details.cached_tokens",  # OpenAI: chat completions
    "input_tokens_details.cached_tokens",  # OpenAI: Responses API
    "prompt_cache_hit_tokens",  # DeepSeek
    "cached_tokens",  # Moonshot
    "cache_read_input_tokens",  # Anthropic
    "cachedContentTokenCount",  # Gemini
)
_CACHE_WRITE_PATHS: Final = ("cache_creation_input_tokens",)  # Anthropic
_THINKING_PATHS: Final = (
    "completion_tokens_details.reasoning_tokens",  # OpenAI: chat completions
    "output_tokens_details.reasoning_tokens",  # OpenAI: Responses API
    "reasoning_tokens",
    "thoughtsTokenCount",  # Gemini
)


def usage_of(report: object) -> Usage:
    """Return the tokens in the `usage` of a reply; 0 tokens if there is none."""
    if not isinstance(report, Mapping):
        return Usage()
    prompt = _first_count(report, _PROMPT_PATHS)
    completion = _first_count(report, _COMPLETION_PATHS)
    total = _first_count(report, _TOTAL_PATHS)
    cache_read = _first_count(report, _CACHE_READ_PATHS)
    thinking = _first_count(report, _THINKING_PATHS)

    # Some vendors count the cached tokens beside the prompt. One of three signs shows it:
    cached = cache_read + _first_count(report, _CACHE_WRITE_PATHS)
    # 1. The cached tokens are more than the prompt's: prompt 20, cached 1,000.
    is_beside = cache_read > prompt
    # 2. The total includes both: prompt 800, cached 200, completion 50, total 1,050.
    if cached > 0 and total == prompt + cached + completion:
        is_beside = True
    # 3. The names are Anthropic's, which gives no total. The first name alone does not tell: OpenAI's
    # Responses API has it, too.
    if "input_tokens" in report and "cache_read_input_tokens" in report and not total:
        is_beside = True
    if is_beside:
        prompt += cached

    # Some vendors leave the thinking out of the completion. One of two signs shows it:
    # 1. The total has further tokens: prompt 100, completion 10, total 150 -> 50.
    if prompt and total > prompt + completion:
        completion = total - prompt
    # 2. The thinking has more tokens than the reply: completion 10, thinking 40 -> 50.
    elif thinking > completion:
        completion += thinking

    return Usage(
        prompt_tokens=min(int(prompt), bounds.MOST_USAGE),
        completion_tokens=min(int(completion), bounds.MOST_USAGE),
        cached_tokens=int(cache_read),
        reasoning_tokens=int(min(thinking, completion)),
    )


def _first_count(report: Mapping[str, object], paths: tuple[str, ...]) -> float:
    """Return the first count above 0 at one of these paths; 0 if there is none.

    So a 0 under one name does not hide the count under another. It is a float because a vendor may
    write `12.0`.
    """
    for path in paths:
        count = _number_at(report, path)
        if count:
            return count
    return 0


def _number_at(
    report: Mapping[str, object], path: str, unit: float = 1.0
) -> float | None:
    """Return the number at a path, multiplied by `unit`.

    `{"cost": {"total": "30"}}` has 30.0 at the path `cost.total`, and with the unit 0.01, such as a
    cent, 0.3. None without a number, or if the product is not between 0 and `bounds.MOST_USAGE`.
    """
    value: object = report
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


_COST_UNITS_USD: Final[Mapping[str, float]] = {
    "cost": 1.0,  # https://openrouter.ai/docs/use-cases/usage-accounting
    "cost.total_cost": 1.0,  # Perplexity
    "total_cost": 1.0,
    "estimated_cost": 1.0,  # DeepInfra
    "cost_in_usd_ticks": 1e-10,  # https://docs.x.ai/developers/cost-tracking
}
"""Where vendors give the cost in a `usage`, each with the value of one unit in USD."""


def cost_of(report: object) -> float | None:
    """Return the cost in USD that a `usage` names, `{"cost": 0.002}`; None if it names none.

    OpenRouter gives its own cost and that of the provider behind it. Users may bring their own
    key for the provider (`is_byok`). Then OpenRouter's cost is only its fee:

    | own key | `cost` | provider's cost | returned |
    |---------|--------|-----------------|----------|
    | no      | 5      | 5               | 5        |
    | yes     | 1      | 5               | 6        |
    | yes     | 0      | 5               | 5        |
    """
    if not isinstance(report, Mapping):
        return None
    cost_usd = None
    for path, unit_usd in _COST_UNITS_USD.items():
        if cost_usd is None:
            cost_usd = _number_at(report, path, unit_usd)

    provider_cost_usd = _number_at(report, "cost_details.upstream_inference_cost")
    if not provider_cost_usd:
        return cost_usd
    if not cost_usd:
        return provider_cost_usd
    has_own_key = report.get("is_byok") is True
    return cost_usd + provider_cost_usd if has_own_key else cost_usd


# Estimates the tokens of a reply from bytes, if the endpoint's counts are missing or absurd.
#
# Limits on tokens need a count. A reply of 3,000 bytes that the endpoint counts as 0 or 1 token
# counts as 1,000 tokens here.

_BYTES_PER_TOKEN: Final = 3
"""For estimates. Most texts have more bytes per token, so most
estimates are too high, and limits on tokens are kept."""
_MAX_BYTES_PER_TOKEN: Final = 100
"""A count is absurd if it means more bytes per token than this."""


def with_estimates(
    usage: Usage, sent_bytes: int, received_bytes: int, max_output_tokens: int | None
) -> Usage:
    """Return a usage in which estimates replace the counts that are missing or absurd.

    Args:
        usage: The endpoint's own counts.
        sent_bytes: The length of the request's body.
        received_bytes: The length of all texts that the model has written.
        max_output_tokens: The limit of the reply's tokens; None without a limit.
    """
    prompt_tokens = _plausible_count(usage.prompt_tokens, sent_bytes)
    completion_tokens = _plausible_count(usage.completion_tokens, received_bytes)
    counts = (prompt_tokens, completion_tokens)
    if counts == (usage.prompt_tokens, usage.completion_tokens):
        return usage

    if received_bytes == 0 and completion_tokens == 0:
        # The reply is empty. The count of the prompt is absurd, so this 0 may be wrong, too: the
        # model may have spent all of its tokens on thinking that the endpoint does not return.
        completion_tokens = max_output_tokens or 0
    return usage.model_copy(
        update={
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "estimated": True,
        }
    )


def _plausible_count(tokens: int, text_bytes: int) -> int:
    """Return the endpoint's count of the tokens of a text; an estimate if it is absurd.

    | tokens | bytes of the text | returned |
    |---|---|---|
    | 700 | 3,000 | 700 |
    | 0 | 3,000 | 1,000 |
    | 1 | 3,000 | 1,000 |
    """
    is_absurd = tokens * _MAX_BYTES_PER_TOKEN < text_bytes
    return math.ceil(text_bytes / _BYTES_PER_TOKEN) if is_absurd else tokens
