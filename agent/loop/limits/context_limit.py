"""The limit of a conversation: the size of the model's context, in tokens.

A model can read only so many tokens at once, and each request sends the whole conversation.
With a context of 32,000 tokens, the model is warned from 24,000 on, and the trial ends after
30,400, because its next reply would hardly fit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.loop.limits.token_estimate import (
    EMPTY_CONVERSATION,
    TokenEstimate,
)
from controlplane.agent.loop.prompt_files import default_prompts
from controlplane.agent.loop.prompt_texts import Prompts
from controlplane.agent.record.trial_step import TrialStep

REPLY_SHARE: Final = 0.05  # the share of the context that is kept for a reply
WARNED_SHARE: Final = 0.75  # The model is warned once this share is used.


@dataclass(slots=True)
class ContextLimit(TrialLimit):
    """Limits the conversation to the size of the model's context."""

    max_tokens: float = math.inf
    """The size of the context in tokens; infinite if it is unknown."""
    prompts: Prompts = field(default_factory=default_prompts)
    _estimate: TokenEstimate = EMPTY_CONVERSATION
    """The tokens of the conversation so far."""

    def add(self, text: str) -> None:
        """Estimate the tokens of a text that was added to the conversation."""
        self._estimate = self._estimate.with_text(text)

    def count(self, step: TrialStep) -> None:
        """Replace the estimate by the endpoint's own count of a step's request and reply."""
        replied = step.solve_reply
        if replied.usage.prompt_tokens:
            self._estimate = self._estimate.with_count(replied.usage, replied.reply)

    @property
    def reason(self) -> str:
        """Why the trial ends; empty while the next request and its reply fit."""
        tokens = self._estimate.tokens
        usable_tokens = self.max_tokens * (1 - REPLY_SHARE)
        if tokens <= usable_tokens:
            return ""
        reason = f"no answer within the model's context of {self.max_tokens:,} tokens"
        reason += " (--max-context-tokens)"
        if self._estimate.counted_tokens == 0:  # It is the first request.
            reason += f": the first request has about {tokens:,}; lower --initial-prompt-chars"
        return reason

    @property
    def warning(self) -> str:
        """The warning with the number of tokens that are left; empty while it is not due."""
        tokens = self._estimate.tokens
        if tokens < self.max_tokens * WARNED_SHARE:
            return ""
        remaining_tokens = max(self.max_tokens - tokens, 0) // 100 * 100  # rounded
        return self.prompts.filled("context", tokens=f"{remaining_tokens:,}")

    def after_message(self, step: TrialStep, feedback: Sequence[str]) -> ContextLimit:
        """Return a copy with a step, its reply, and the next message to the model, in pieces."""
        limit = self.after(step)  # a copy that has counted the step
        limit.add("".join((step.solve_reply.reply, *feedback)))
        return limit
