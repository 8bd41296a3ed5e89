"""Estimates how many tokens a conversation has.

An endpoint counts the tokens of each request and its reply. Those of later messages are
estimated from their characters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from controlplane.agent.model import Usage


@dataclass(frozen=True, slots=True)
class TokenEstimate:
    """The tokens of a conversation, estimated from its last count and later characters.

    After a count of 1,000 tokens, a message of 300 characters makes 1,100 of them.
    """

    chars: int = 0
    """Characters of the conversation."""
    counted_chars: int = 0
    """Characters of the last request and its reply."""
    counted_tokens: int = 0
    """Tokens of the same request and reply, as the endpoint counted them."""
    chars_per_token: float = 3.0
    """A low guess until the endpoint's first count: it makes the estimate of tokens high."""

    @property
    def tokens(self) -> int:
        """The estimated number of tokens."""
        uncounted_chars = self.chars - self.counted_chars
        return self.counted_tokens + round(uncounted_chars / self.chars_per_token)

    def with_text(self, text: str) -> TokenEstimate:
        """Return the estimate after a text was added to the conversation."""
        return replace(self, chars=self.chars + len(text))

    def with_count(self, usage: Usage, reply: str) -> TokenEstimate:
        """Return the estimate with the endpoint's counts for the last request and its reply.

        The reply's text is not yet added to the conversation.
        """
        # `prompt_tokens` also counts the declarations of tools, whose characters are not in
        # `chars`. So the quotient may be far too low, such as 0.4. No real text has much less
        # than 1 character per token.
        chars_per_token = max(self.chars / usage.prompt_tokens, 1.0)
        return TokenEstimate(
            chars=self.chars,
            counted_chars=self.chars + len(reply),
            counted_tokens=usage.prompt_tokens + usage.completion_tokens,
            chars_per_token=chars_per_token,
        )


EMPTY_CONVERSATION: Final = TokenEstimate()
