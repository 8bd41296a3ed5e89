"""The settings of a solver that every trial of a run shares.

For example, a trial takes at most 35 steps, and a first message has at most 120,000
characters of documents.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from controlplane.agent.events import StepDone
from controlplane.agent.limits.call_limit import TrialLimit
from controlplane.agent.loop.prompt_files import Prompts, default_prompts
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.unusable_reply import Fault
from controlplane.sandbox import ALL_LAYERS, Ending, Layer, Limits

# The numbers of all limits of a trial in which a model takes turns.
#
# In each turn, the model is asked once, and its reply is carried out as one *step*.


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """The numbers of all limits of one trial."""

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
    If the model is asked in another form (JSON, tool call or text), the count starts again."""
    prose_replies: int = 10
    """Replaces `unusable_replies` if the last reply is plain text. It is lower for a
    question of a user, who can read such a reply as an answer."""

    # Repetition

    same_refusals: int = 5
    """The trial ends when the same script is refused,
    or the same submission is rejected, this many times in a row."""
    same_scripts: int = 5
    """The trial ends when the same script runs with the same
    output this many times in a row; 0 for no limit."""


# How the script of a step ended: it finished, failed, or was refused before it ran.
#
# | the script | `ending` | `was_refused` | `failure_of` |
# |---|---|---|---|
# | `print(4)` | `finished` | False | |
# | `row["fee"]` | `raised` | False | `KeyError: 'fee'` |
# | `print(4` | `syntax` | True | `line 1, column 6: '(' was never closed: print(4` |
# | `from math import *` | `refused` | True | `line 1, column 1: "*" imports are not allowed.` |


def was_refused(ending: str) -> bool:
    """Return True if the script was refused before it ran."""
    return ending in (Ending.SYNTAX, Ending.REFUSED)


def failure_of(script: StepDone) -> str:
    """Return the last line of a script's error; empty without a script, or if it finished.

    If it was stopped without an error, this is the ending: `killed`.
    """
    if not script.code or script.ending == Ending.FINISHED:
        return ""
    lines = script.error.strip().splitlines()
    return lines[-1].strip() if lines else script.ending


# The refunds of a trial: those of its steps that do not count towards the limit of steps.
#
# A step counts if it has run a script. Another one may be *refunded*, a few times in a trial:
#
# | the reply of the model | setting |
# |---|---|
# | a script that was refused before it ran, for example for its syntax | `script_refunds`: 3 |
# | an unusable reply: it had no script | `reply_refunds`: 2 |
# | a refusal to do what is asked | none: that is a reply, too |


@dataclass(frozen=True, slots=True)
class Refunds:
    """The refunded steps of a trial so far, and whether there may be more.

    The solver decides, while a step is under way, if it is refunded. It says so in the step's
    summary: `StepDone(refunded=True)`.
    """

    limits: BudgetLimits
    """The greatest numbers of refunds."""
    scripts: int = 0
    """Steps that were refunded because their scripts were refused."""
    replies: int = 0
    """Steps that were refunded because their replies were unusable."""

    @property
    def can_refund_script(self) -> bool:
        """True if one more step may be refunded because its script was refused."""
        return self.scripts < self.limits.script_refunds

    @property
    def can_refund_reply(self) -> bool:
        """True if one more step may be refunded because its reply was unusable."""
        return self.replies < self.limits.reply_refunds

    def may_refund(self, summary: StepDone) -> bool:
        """Return True if a step with this summary, in which a script was due, may be refunded."""
        if summary.code:
            return was_refused(summary.ending) and self.can_refund_script
        has_declined = summary.fault == Fault.REFUSED
        return not has_declined and self.can_refund_reply

    def with_refunded(self, summary: StepDone) -> Refunds:
        """Return the refunds with one more step, which was refunded."""
        has_script = bool(summary.code)
        if has_script:
            return replace(self, scripts=self.scripts + 1)
        return replace(self, replies=self.replies + 1)


# The limit of a trial's steps: a warning, then the nudge to answer now, then the end.
#
# A few steps that ran nothing are *refunded*: they do not count. With 35 steps and 5 extra ones:
#
#     after step 30   the warning: 10 steps are left
#     after step 35   the nudge, a message to answer now: 5 steps are left
#     after step 40   the end


@dataclass(slots=True)
class StepLimit(TrialLimit):
    """Limits the steps of a trial, each of which asks the model once."""

    names_last_fault = True  # The reason for the end also says what was wrong last.
    limits: BudgetLimits
    """The numbers of steps, extra steps and refunds."""
    prompts: Prompts = field(default_factory=default_prompts)
    spent: int = 0
    """The steps so far that count."""
    refunds: Refunds = field(init=False)
    """The steps so far that do not count, and whether there may be more."""

    def __post_init__(self) -> None:
        self.refunds = Refunds(self.limits)

    def count(self, step: TrialStep) -> None:
        """Count a step after its end."""
        if step.summary.refunded:
            self.refunds = self.refunds.with_refunded(step.summary)
        else:
            self.spent += 1

    @property
    def remaining_steps(self) -> int:
        """Steps that are left, including those after the nudge."""
        return self.limits.max_steps + self.limits.extra_steps - self.spent

    @property
    def reason(self) -> str:
        """Why the trial ends; empty while steps are left."""
        if self.remaining_steps > 0:
            return ""
        max_steps = self.limits.max_steps
        noun = "step" if max_steps == 1 else "steps"
        reason = f"no answer within {max_steps} {noun}"
        if self.limits.extra_steps:
            reason += f", and {self.limits.extra_steps} more after the nudge"
        return reason

    @property
    def warning(self) -> str:
        """The warning or the nudge if it is due after the last step; else empty."""
        if self.spent == 0:
            return ""  # Even a trial with a single step is not warned now.
        # Without extra steps, the nudge comes one step earlier, to leave a step for the answer.
        steps_before_nudge = self.limits.max_steps
        if self.limits.extra_steps == 0:
            steps_before_nudge -= 1
        if self.spent == steps_before_nudge:
            return self.prompts.filled("nudge", left=self.remaining_steps)
        if self.spent == self.limits.max_steps - self.limits.warn_before:
            return self.prompts.filled("warning", left=self.remaining_steps)
        return ""


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """Settings that every trial of a run shares."""

    budget: BudgetLimits = field(default_factory=BudgetLimits)
    """The limits of one trial: steps, time and repetitions."""
    initial_prompt_chars: int = 120_000
    """Max characters of documents and listings in the initial prompt."""
    limits: Limits = field(default_factory=Limits)
    """What one script may use: its time, its memory and its output."""
    isolation: frozenset[Layer] = ALL_LAYERS
    """The layers that keep scripts apart from the machine, such as a process without rights."""
    context_tokens: int | None = None
    """Tokens of the model's context; None if they are unknown."""
    switches_reply_mode: bool = True
    """True if the model may be asked in another reply mode (JSON,
    tool call or text) after three replies with the same fault."""
    replies_in_fences: bool = False
    """True if the model is asked for scripts in ```python fences instead of JSON, from
    the start. It is not asked in another reply mode then."""
    prompts: Prompts = field(default_factory=default_prompts)
    """The texts sent to the model."""
