"""The limits of a trial that takes turns: its steps, its time and the model's context.

`LoopLimits` has all limits of such a trial.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Final

from controlplane.agent.loop.prompt_texts import Prompts, default_prompts
from controlplane.agent.loop.trial_context import TrialClock
from controlplane.agent.trial_limits import TrialLimit
from controlplane.agent.trial_record import TrialStep


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """The numbers of all limits of one trial that takes turns."""

    # The steps: first a warning, then the nudge, then the end.

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
    """The trial ends after this many unusable replies in a row with the same fault. A
    switch of the reply mode (JSON, tool call or text) starts the count again."""
    prose_replies: int = 10
    """Replaces `unusable_replies` if the last reply is plain text. It may be lower,
    because the user can read such a reply."""

    # Repetition, and time

    same_refusals: int = 5
    """The trial ends when the same script is refused, or the same submission is
    rejected, this many times in a row."""
    same_scripts: int = 5
    """The trial ends when the same script runs with the same output this many times in
    a row; 0 for no limit."""
    trial_time_s: float = 900.0
    """Wall-clock seconds of the whole trial."""


# --- Steps ---


@dataclass(slots=True)
class StepLimit(TrialLimit):
    """Limits the steps of a trial.

    First comes a warning, then the nudge to answer now, then the end. The first faulty
    scripts and replies are refunded: they do not count.
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
        """The step after which the nudge comes. One more step must follow it."""
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


@dataclass(slots=True)
class ContextLimit(TrialLimit):
    """Limits the conversation to the size of the model's context, in tokens.

    An endpoint counts the tokens of each request. Those of later messages are estimated
    from their characters.
    """

    max_tokens: int | None = None
    """The size of the context in tokens; None if unknown."""
    _: KW_ONLY
    prompts: Prompts = field(default_factory=default_prompts)
    _chars: int = 0
    """Characters of the conversation."""
    _counted_tokens: int = 0
    """Tokens of the last request and its reply, as the endpoint counted them."""
    _counted_chars: int = 0
    """Characters of the same request and reply."""
    _chars_per_token: float = 3.0
    """Until the endpoint's first count this is a low guess, to be safe."""

    def add(self, text: str) -> None:
        """Count a message that was added to the conversation."""
        self._chars += len(text)

    def count(self, step: TrialStep) -> None:
        """Take over the endpoint's count of a step, whose reply is not yet added."""
        replied = step.solve_reply
        usage = replied.usage
        if not usage.prompt_tokens:
            return
        # The endpoint may count tools, too, which makes this quotient too low. Real
        # texts have at least about 1 character per token.
        self._chars_per_token = max(self._chars / usage.prompt_tokens, 1.0)
        self._counted_tokens = usage.prompt_tokens + usage.completion_tokens
        self._counted_chars = self._chars + len(replied.reply)

    def tokens(self, further_text: str = "") -> int:
        """Return the estimated tokens of the conversation and of a further text."""
        uncounted_chars = self._chars + len(further_text) - self._counted_chars
        return self._counted_tokens + round(uncounted_chars / self._chars_per_token)

    @property
    def reason(self) -> str:
        if self.max_tokens is None:
            return ""
        tokens = self.tokens()
        if tokens <= self.max_tokens * (1 - REPLY_SHARE):
            return ""
        reason = (
            f"no answer within the model's context of {self.max_tokens:,} tokens "
            "(--max-context-tokens)"
        )
        is_first_request = not self._counted_tokens
        if is_first_request:
            reason += (
                f": the first request has about {tokens:,}; "
                "lower --initial-prompt-chars"
            )
        return reason

    def warning(self, message: str) -> str:
        if self.max_tokens is None:
            return ""
        tokens = self.tokens(message)
        if tokens < self.max_tokens * WARNED_CONTEXT_SHARE:
            return ""
        remaining_tokens = max(self.max_tokens - tokens, 0)
        rounded_tokens = remaining_tokens // 100 * 100
        return self.prompts.filled("context", tokens=f"{rounded_tokens:,}")
