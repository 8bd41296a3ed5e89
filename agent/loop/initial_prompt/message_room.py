"""Computes how much of a model's context the first message may take.

For a context of 32,000 tokens, the system prompt and the first message may have 48,000
characters: half of the tokens, at 3 characters each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.session.trial_context import TrialContext

PROMPT_SHARE: Final = 0.5
"""The share of the context for the system prompt and the first message. Steps need the rest."""
CHARS_PER_TOKEN: Final = 3.0
"""A low estimate, because records have fewer characters per token than prose."""


@dataclass(frozen=True, slots=True)
class MessageRoom:
    """How many characters documents and listings may take in a first message."""

    max_chars: int
    """The characters that the settings allow."""
    context_tokens: int | None = None
    """The size of the model's context; None if it is unknown."""
    other_chars: int = 0
    """The characters of the system prompt and the instruction."""

    @classmethod
    def beside(
        cls, system_prompt: str, trial: TrialContext, settings: LoopSettings
    ) -> MessageRoom:
        """Return the room beside the system prompt and the instruction of a trial."""
        return cls(
            settings.initial_prompt_chars,
            settings.context_tokens or trial.context_tokens,
            len(system_prompt) + len(trial.instruction),
        )

    @property
    def chars(self) -> int:
        """The characters that may be shown."""
        if self.context_tokens is None:
            return self.max_chars
        context_chars = int(self.context_tokens * PROMPT_SHARE * CHARS_PER_TOKEN)
        return min(self.max_chars, max(context_chars - self.other_chars, 0))

    @property
    def limiting_tokens(self) -> int:
        """The size of the context if it leaves less room than the settings; else 0."""
        if self.context_tokens is None or self.chars >= self.max_chars:
            return 0
        return self.context_tokens
