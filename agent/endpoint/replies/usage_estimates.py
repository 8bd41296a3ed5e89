"""Estimates the tokens of a reply from bytes, if the endpoint's counts are missing or absurd.

Limits on tokens need a count. A reply of 3,000 bytes without one counts as 1,000 tokens.
"""

from __future__ import annotations

import math
from typing import Final

from controlplane.agent.model import Reply, Usage

BYTES_PER_TOKEN: Final = 3
"""For estimates. Most texts have more bytes per token, so most
estimates are too high, and limits on tokens are kept."""
MAX_BYTES_PER_TOKEN: Final = 100
"""A count is absurd if it means more bytes per token than this: 1 token for 4,000 bytes."""


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

    counts_prompt_wrongly = is_absurd(usage.prompt_tokens, sent_bytes)
    counts_reply_wrongly = is_absurd(usage.completion_tokens, received_bytes)
    if not counts_prompt_wrongly and not counts_reply_wrongly:
        return usage

    estimates: dict[str, object] = {"estimated": True}
    if counts_prompt_wrongly:
        estimates["prompt_tokens"] = estimated_tokens(sent_bytes)
    if counts_reply_wrongly:
        estimates["completion_tokens"] = estimated_tokens(received_bytes)
    elif received_bytes == 0 and usage.completion_tokens == 0:
        # The prompt is counted wrongly, so hidden thinking may not be counted at all. The model
        # may have spent all tokens of its empty reply on it.
        estimates["completion_tokens"] = max_output_tokens or 0
    return usage.model_copy(update=estimates)


def is_absurd(tokens: int, text_bytes: int) -> bool:
    """Return True if a text has too many bytes for this number of tokens."""
    return tokens * MAX_BYTES_PER_TOKEN < text_bytes


def estimated_tokens(text_bytes: int) -> int:
    """Return the estimated tokens of a text with this many bytes, rounded up."""
    return math.ceil(text_bytes / BYTES_PER_TOKEN)
