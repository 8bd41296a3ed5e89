"""Tokens, cost and end of a reply, in one form for every vendor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agent.model.model_protocol import Reply, Usage

MOST: Final = 1e9
"""A journal has no number that no run can reach."""
_TOKENS: Final[Mapping[str, tuple[str, ...]]] = {
    # OpenAI's two protocols, the second of them also Anthropic's; Gemini; Ollama
    "prompt": ("prompt_tokens", "input_tokens", "promptTokenCount", "prompt_eval_count"),
    "completion": ("completion_tokens", "output_tokens", "candidatesTokenCount", "eval_count"),
    "total": ("total_tokens", "totalTokenCount"),
    # OpenAI; DeepSeek; Moonshot; Anthropic; Gemini
    "cached": (
        *("prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens", "prompt_cache_hit_tokens"),
        *("cached_tokens", "cache_read_input_tokens", "cachedContentTokenCount"),
    ),
    "written": ("cache_creation_input_tokens",),
    "reasoning": (
        *("completion_tokens_details.reasoning_tokens", "output_tokens_details.reasoning_tokens"),
        *("reasoning_tokens", "thoughtsTokenCount"),
    ),
}
"""The names of each count, in the order in which they are looked up."""
_DOLLARS: Final[Mapping[str, float]] = {
    "cost": 1.0,  # https://openrouter.ai/docs/use-cases/usage-accounting
    "cost.total_cost": 1.0,  # Perplexity
    "total_cost": 1.0,
    "estimated_cost": 1.0,  # DeepInfra
    "cost_in_usd_ticks": 1e-10,  # https://docs.x.ai/developers/cost-tracking
}
"""The names of the cost, with the USD of one unit."""
_CUT: Final = ("length", "max_tokens", "max_output_tokens", "max_completion_tokens", "token_limit", "context_window")
_FILTERED: Final = (
    *("content_filter", "safety", "recitation", "blocklist", "prohibited", "spii", "refusal", "sensitive"),
    "guardrail",
)


def usage_of(given: object) -> tuple[Usage, float | None]:
    """Return the tokens of a reply and its cost in USD, None if it is not named.

    Vendors count cached tokens beside those of the prompt (Anthropic) and thinking beside the completion (xAI,
    Gemini); here both are parts. What a total names beyond prompt and completion is thinking.
    """
    if not isinstance(given, Mapping):
        return Usage(), None
    count = {name: next(filter(None, (_number(given, path) for path in paths)), 0) for name, paths in _TOKENS.items()}
    prompt, completion, total = count["prompt"], count["completion"], count["total"]
    beside = count["cached"] + count["written"]
    has_anthropic_names = "input_tokens" in given and "cache_read_input_tokens" in given and not total
    if count["cached"] > prompt or (beside and total == prompt + completion + beside) or has_anthropic_names:
        prompt += beside
    if total > prompt + completion and prompt:
        completion = total - prompt
    elif count["reasoning"] > completion:
        completion += count["reasoning"]
    dollars = (_number(given, path, unit) for path, unit in _DOLLARS.items())
    cost_usd = next((cost for cost in dollars if cost is not None), None)
    upstream = _number(given, "cost_details.upstream_inference_cost")
    if upstream and (given.get("is_byok") is True or not cost_usd):  # the provider's own bill comes on top
        cost_usd = (cost_usd or 0.0) + upstream
    tokens = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "cached_tokens": count["cached"],
        "reasoning_tokens": min(count["reasoning"], completion),
    }
    return Usage.model_validate({name: min(int(number), int(MOST)) for name, number in tokens.items()}), cost_usd


def _number(given: Mapping[str, object], path: str, unit: float = 1.0) -> float | None:
    """Return the number at a path, written as a number or a text; None if there is none from 0 to `MOST`."""
    value: object = given
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value) * unit
    except (ValueError, OverflowError):
        return None
    return number if 0 <= number <= MOST else None


def counted(reply: Reply, sent_bytes: int, most_output: int | None) -> Usage:
    """Return the usage of a reply, estimated from bytes where the endpoint's count is missing, zero or absurd.

    `sent_bytes` is the length of the request's body. An estimated token has three bytes, fewer than in most texts, so
    that limits hold; a count that gives a token of a whole text more than 100 bytes is absurd. A reply that shows
    nothing, and is not counted, took at most `most_output` tokens.
    """
    usage = reply.usage
    calls = "".join(call.name + call.arguments for call in reply.tool_calls)
    received_bytes = len((reply.text + reply.reasoning + calls).encode(errors="replace"))
    sizes = {"prompt_tokens": sent_bytes, "completion_tokens": received_bytes}
    missing = {name: -(-size // 3) for name, size in sizes.items() if getattr(usage, name) * 100 < size}
    if not received_bytes and "prompt_tokens" in missing:
        missing["completion_tokens"] = usage.completion_tokens or most_output or 0
    return usage.model_copy(update=missing | {"estimated": True}) if missing else usage


def finish_reasons(said: str, native: str = "") -> tuple[str, str]:
    """Return why a reply ended, in one spelling for every vendor, and the vendor's own word if it differs."""
    for word in (said, native):
        is_cut, is_filtered = (any(name in word.lower() for name in names) for names in (_CUT, _FILTERED))
        kind = "length" if is_cut else "content_filter" if is_filtered else ""
        if kind:
            return kind, native or (said if said != kind else "")
    return said or "stop", native if native != said else ""
