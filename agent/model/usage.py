"""The tokens of one request and its reply, by which the request is paid.

A request of 1,000 tokens, of which the endpoint had 800 in its cache, with a reply of 50 tokens:

    Usage(prompt_tokens=1000, cached_tokens=800, completion_tokens=50)
"""

from __future__ import annotations

from controlplane.agent.model.immutable_data import Count
from controlplane.agent.model.reply_part import ReplyPart


class Usage(ReplyPart):
    """Tokens of one request and its reply, as the endpoint counted them.

    A model without an endpoint, such as a scripted one, has none.
    """

    prompt_tokens: Count = 0
    """Tokens of the request."""
    completion_tokens: Count = 0
    """Tokens of the reply."""
    cached_tokens: Count = 0
    """Tokens of the request that came from a prompt cache."""
    reasoning_tokens: Count = 0
    """Tokens of the reply that are reasoning."""
    estimated: bool = False
    """True if the endpoint's count was missing or absurd. The tokens are then estimated from
    the bytes of the request and the reply."""
