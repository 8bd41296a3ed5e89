"""The limits of a trial that takes turns: its steps, its time and the model's context.

`LoopLimits` has all limits of such a trial.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Final

from controlplane.agent.loop.prompt_texts import Prompts, default_prompts
from controlplane.agent.loop.session.trial_context import TrialClock
from controlplane.agent.model import Usage
from controlplane.agent.trial_limits import TrialLimit
from controlplane.agent.trial_record import TrialStep


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """The numbers of all limits of one trial that takes turns."""

    # The steps: first a warning, then the nudge (a message to answer now), then the end.

    max_steps: int = 35
    """Steps before the nudge."""
    extra_steps: int = 5
    """Steps after the nudge."""
    warn_before: int = 5
    """The warning comes this many steps before the nudge."""

    # Steps that do not count, because nothing was run

    script_refunds: int = 3
    """Max scripts that cost no step because they were refused before they ran."""
    reply_refunds: int = 2
    """Max unusable replies that cost no step."""

    # Unusable replies: those without a script or another action

    unusable_replies: int = 10
    """The trial ends after this many unusable replies in a row."""
    same_faults: int = 5
    """The trial ends after this many unusable replies in a row with the same fault.
    A switch of the reply mode (JSON, tool call or text) starts the count again."""
    prose_replies: int = 10
    """Replaces `unusable_replies` if the last reply is plain text.
    It may be lower, because the user can read such a reply."""

    # Repetition, and time

    same_refusals: int = 5
    """The trial ends when the same script is refused,
    or the same submission is rejected, this many times in a row."""
    same_scripts: int = 5
    """The trial ends when the same script runs with the same
    output this many times in a row; 0 for no limit."""
    trial_time_s: float = 900.0
    """Wall-clock seconds of the whole trial."""


# --- Steps ---


@dataclass(slots=True)
class StepLimit(TrialLimit):
    """Limits the steps of a trial.

    First comes a warning, then the nudge to answer now, then the end. The first refused
    scripts and unusable replies are *refunded*: they do not count.
    """

    names_last_fault = True

    limits: BudgetLimits
    _: KW_ONLY
    prompts: Prompts = field(default_factory=default_prompts)
    spent: int = 0
    """Steps that count."""
    refunded_scripts: int = 0
    """Scripts that cost no step, so far."""
    refunded_replies: int = 0
    """Replies that cost no step, so far."""

    def refunds_script(self, *, is_refused: bool) -> bool:
        """Return True if the step of a script does not count."""
        return is_refused and self.refunded_scripts < self.limits.script_refunds

    def refunds_reply(self, *, is_unusable: bool) -> bool:
        """Return True if a step without a script does not count."""
        return is_unusable and self.refunded_replies < self.limits.reply_refunds

    def count(self, step: TrialStep) -> None:
        done = step.summary
        if not done.refunded:
            self.spent += 1
        elif done.code:
            self.refunded_scripts += 1
        else:
            self.refunded_replies += 1

    @property
    def remaining_steps(self) -> int:
        """Steps that are left, including those after the nudge."""
        return self.limits.max_steps + self.limits.extra_steps - self.spent

    @property
    def reason(self) -> str:
        if self.remaining_steps > 0:
            return ""
        reason = f"no answer within {count_of(self.limits.max_steps, 'step')}"
        if self.limits.extra_steps:
            reason += f", and {self.limits.extra_steps} more after the nudge"
        return reason

    def warning(self, message: str) -> str:
        if self.spent == 0:
            return ""
        if self.spent == self._nudged_at:
            return self.prompts.filled("nudge", left=self.remaining_steps)
        if self.spent == self.limits.max_steps - self.limits.warn_before:
            return self.prompts.filled("warning", left=self.remaining_steps)
        return ""

    @property
    def _nudged_at(self) -> int:
        """The step after which the nudge comes. At least one step must be left for the answer."""
        if self.limits.extra_steps:
            return self.limits.max_steps
        return self.limits.max_steps - 1


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun: `1 step`, `2 steps`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# --- Time ---


LAST_SECONDS: Final = 60.0
"""The model is warned once fewer seconds than this are left."""


@dataclass(slots=True)
class TimeLimit(TrialLimit):
    """Limits the wall-clock time of a trial."""

    names_last_fault = True

    clock: TrialClock
    limit_s: float
    """Seconds that the trial may use."""
    _: KW_ONLY
    prompts: Prompts = field(default_factory=default_prompts)

    def count(self, step: TrialStep) -> None:
        """Do nothing: the clock runs by itself."""

    @property
    def remaining_s(self) -> float:
        """Seconds that the trial may still use."""
        return self.limit_s - self.clock.used_s

    @property
    def reason(self) -> str:
        return f"no answer within {self.limit_s:g} s" if self.remaining_s <= 0 else ""

    def warning(self, message: str) -> str:
        remaining_s = self.remaining_s
        if remaining_s >= LAST_SECONDS:
            return ""
        rounded_s = max(0, round(remaining_s / 10) * 10)
        return self.prompts.filled("time", seconds=rounded_s)


# --- The model's context ---


REPLY_SHARE: Final = 0.05
"""The share of the context that is reserved for a reply."""
WARNED_CONTEXT_SHARE: Final = 0.75
"""The model is warned once this share of the context is used."""


@dataclass(frozen=True, slots=True)
class TokenEstimate:
    """The tokens of a conversation. Immutable, so copies of a limit may share it.

    An endpoint counts the tokens of each request and its reply. Those of later messages
    are estimated from their characters.
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
        uncounted_chars = self.chars - self.counted_chars
        return self.counted_tokens + round(uncounted_chars / self.chars_per_token)

    def with_text(self, text: str) -> TokenEstimate:
        """Return the estimate after a text was added to the conversation."""
        return replace(self, chars=self.chars + len(text))

    def with_count(self, usage: Usage, reply: str) -> TokenEstimate:
        """Return the estimate with the endpoint's counts for the last request and its reply.

        The reply's text is not yet added to the conversation.
        """
        # The endpoint counts the declarations of tools, too, so this quotient may be too low.
        # Real texts have at least about 1 character per token.
        chars_per_token = max(self.chars / usage.prompt_tokens, 1.0)
        return TokenEstimate(
            self.chars,
            self.chars + len(reply),
            usage.prompt_tokens + usage.completion_tokens,
            chars_per_token,
        )


EMPTY_CONVERSATION: Final = TokenEstimate()


@dataclass(slots=True)
class ContextLimit(TrialLimit):
    """Limits the conversation to the size of the model's context."""

    max_tokens: int | None = None
    """The size of the context in tokens; None if unknown."""
    _: KW_ONLY
    prompts: Prompts = field(default_factory=default_prompts)
    _estimate: TokenEstimate = EMPTY_CONVERSATION

    def add(self, text: str) -> None:
        """Count a message that was added to the conversation."""
        self._estimate = self._estimate.with_text(text)

    def count(self, step: TrialStep) -> None:
        replied = step.solve_reply
        if replied.usage.prompt_tokens:
            self._estimate = self._estimate.with_count(replied.usage, replied.reply)

    @property
    def reason(self) -> str:
        if self.max_tokens is None:
            return ""
        tokens = self._estimate.tokens
        if tokens <= self.max_tokens * (1 - REPLY_SHARE):
            return ""
        reason = (
            f"no answer within the model's context of {self.max_tokens:,} tokens "
            "(--max-context-tokens)"
        )
        is_first_request = self._estimate.counted_tokens == 0
        if is_first_request:
            reason += (
                f": the first request has about {tokens:,}; "
                "lower --initial-prompt-chars"
            )
        return reason

    def warning(self, message: str) -> str:
        if self.max_tokens is None:
            return ""
        tokens = self._estimate.with_text(message).tokens
        if tokens < self.max_tokens * WARNED_CONTEXT_SHARE:
            return ""
        remaining_tokens = max(self.max_tokens - tokens, 0)
        rounded_tokens = remaining_tokens // 100 * 100
        return self.prompts.filled("context", tokens=f"{rounded_tokens:,}")
