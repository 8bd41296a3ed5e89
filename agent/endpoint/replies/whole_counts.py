"""Corrects the counts of tokens in which vendors leave something out.

Anthropic does not include cached tokens in the prompt tokens, and xAI and Gemini do not include
thinking in the completion tokens. Signs in the counts show this:

| counts | the whole count |
|---|---|
| prompt 800, cached 200, completion 50, total 1,050 | prompt 1,000: the total includes both |
| completion 10, thinking 40 | completion 50: a part cannot be more than the whole |
"""

from __future__ import annotations

from controlplane.agent.endpoint.replies.vendor_counts import VendorCounts


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
