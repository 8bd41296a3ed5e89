"""Estimates the tokens of a reply from bytes, if the endpoint's counts are missing or absurd.

Limits on tokens need a count. A reply of 3,000 bytes that the endpoint counts as 0 or 1 token
counts as 1,000 tokens here.
"""

from __future__ import annotations

import math
from typing import Final

from controlplane.agent.model import Reply, Usage

BYTES_PER_TOKEN: Final = 3
"""For estimates. Most texts have more bytes per token, so most
estimates are too high, and limits on tokens are kept."""
MAX_BYTES_PER_TOKEN: Final = 100
"""A count is absurd if it means more bytes per token than this."""


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
    received_bytes = _received_bytes(reply)
    prompt_tokens = plausible_count(usage.prompt_tokens, sent_bytes)
    completion_tokens = plausible_count(usage.completion_tokens, received_bytes)
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


def _received_bytes(reply: Reply) -> int:
    """Return the length of all texts that the model has written."""
    received = reply.text + reply.reasoning
    for call in reply.tool_calls:
        received += call.name + call.arguments
    return len(received.encode(errors="replace"))


def plausible_count(tokens: int, text_bytes: int) -> int:
    """Return the endpoint's count of the tokens of a text; an estimate if it is absurd.

    | tokens | bytes of the text | returned |
    |---|---|---|
    | 700 | 3,000 | 700 |
    | 0 | 3,000 | 1,000 |
    | 1 | 3,000 | 1,000 |
    """
    is_absurd = tokens * MAX_BYTES_PER_TOKEN < text_bytes
    return math.ceil(text_bytes / BYTES_PER_TOKEN) if is_absurd else tokens
