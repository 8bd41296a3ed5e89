"""How much of a model's context a conversation takes. It is never cut: the model is told, and then the trial ends."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Final

from agent.loop.prompt_texts import Prompts, default_prompts

FIRST_CHARS_PER_TOKEN: Final = 3.0
"""Reckoned with until the endpoint has counted a request; text of documents has more characters to a token."""
TOLD_FROM: Final = 0.75
"""The share of the context from which the model is told."""
REPLY_SHARE: Final = 0.05
"""The share of the context that has to be free for a reply."""


@dataclass(slots=True)
class ContextMeter:
    """The size of one trial's conversation against what its model takes at once."""

    limit: int | None = None
    """Tokens; None if it is not known."""
    _: KW_ONLY
    prompts: Prompts = field(default_factory=default_prompts)
    """The texts that the model is told."""
    _chars: int = 0
    _tokens: int = 0
    """Of the last request and its reply, as the endpoint counted them."""
    _counted_chars: int = 0
    """How long the conversation was then."""
    _chars_per_token: float = FIRST_CHARS_PER_TOKEN

    def add(self, text: str) -> None:
        """Count a message of the conversation."""
        self._chars += len(text)

    def note(self, prompt_tokens: int, completion_tokens: int, reply: str) -> None:
        """Take over what the endpoint counted for the conversation so far, to which `reply` is added next."""
        if prompt_tokens:
            self._chars_per_token = max(self._chars / prompt_tokens, 1.0)
            self._tokens, self._counted_chars = prompt_tokens + completion_tokens, self._chars + len(reply)

    def tokens(self, further: str = "") -> int:
        """Return how many tokens the conversation has, with a `further` message; partly reckoned."""
        return self._tokens + round((self._chars + len(further) - self._counted_chars) / self._chars_per_token)

    @property
    def exhausted(self) -> str:
        """Why the model cannot be asked once more, or an empty string."""
        if self.limit is None or self.tokens() <= self.limit * (1 - REPLY_SHARE):
            return ""
        msg = f"no answer within the model's context of {self.limit:,} tokens (--max-context-tokens)"
        if not self._tokens:
            msg += f": the first request has about {self.tokens():,}; lower --opening-chars"
        return msg

    def notice(self, message: str) -> tuple[str, ...]:
        """Return what is added to the next `message` when little is left."""
        if self.limit is None or self.tokens(message) < self.limit * TOLD_FROM:
            return ()
        left = max(self.limit - self.tokens(message), 0)
        return (self.prompts.filled("context", tokens=f"{left // 100 * 100:,}"),)
