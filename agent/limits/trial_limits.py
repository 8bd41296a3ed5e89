"""The limits of one trial: what each counts, when it warns and refuses, and why it ends the trial.

| limit | what is counted | setting |
|---|---|---|
| `calls` | calls to the environment | `--max-calls` |
| `submissions` | answers that the gates judge | |
| `cost` | dollars for replies of models | `--trial-cost` |
| `steps` | steps in which the model was asked | `--max-steps` |
| `time` | wall-clock seconds | `--trial-time` |
| `context` | tokens of the conversation | `--max-context-tokens` |
| `repetition` | turns in a row in which the model did the same in vain | |
| `unusable` | replies in a row without an action, such as a script | |

A new limit is a number in `TrialLimits`, a class here, and its line in `UsedLimits`. The last two are
for solvers that take turns with a model: `TurnLoop` (`agent/loop/turns.py`) has them.
"""

from __future__ import annotations

import copy
import itertools
import math
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, Self, TypeAlias, TypeVar

from controlplane.agent.events import Judged, ModelReplied, StepDone
from controlplane.agent.limits.spending import PRICE_REMEDY, UNPRICED, SpendingMeter
from controlplane.agent.model import ReplyMode, Usage
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.unusable_reply import (
    FAULT_TEXTS,
    FENCED_FORM,
    PROSE,
    Fault,
)
from controlplane.sandbox import Ending
from controlplane.sandbox.interface import Plain, bounds

# The numbers of all limits. The settings of a run are their only source.


@dataclass(frozen=True, slots=True)
class TrialLimits:
    """The numbers of all limits of one trial."""

    max_calls: int = 5_000
    """Calls to the environment. Honest trials make a few hundred."""
    max_submissions: int = bounds.MOST_SUBMISSIONS
    """Answers that the gates judge."""
    max_cost_usd: float | None = None
    """Dollars for replies of models; None for no limit."""
    time_s: float = math.inf
    """Wall-clock seconds, over all attempts at the trial."""
    context_tokens: int | None = None
    """Tokens of a request and its reply, as the user has set them; None for no limit."""

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


DEFAULT_LIMITS: Final = TrialLimits()
"""The limits of a run whose settings name no others."""


# What a limit of a trial does: it counts steps, warns the model, refuses, and ends the trial.
#
# For example, the limit of steps warns the model that 4 steps are left. Later it ends the trial for
# the reason `no answer within 12 steps`.

FillPrompt: TypeAlias = Callable[..., str]
"""Returns a prompt's text with its holes filled: `fill("nudge", left=5)`."""


_AnyLimit = TypeVar("_AnyLimit", bound="Limit")


class Limit(ABC):
    """One limit of a trial, and how much of it is used.

    A step counts when it is complete. But the message to the model about the step is written
    before, and has the limit's warning. With 12 steps, in the 8th one:

        limit.after(step).warning(fill)    "4 steps are left", for the message
        limit.count(step)                  the step is complete: 8 steps are used
        limit.reason                       "": the trial goes on

    A resumed trial also counts the steps of its record. Their messages are written already.
    """

    __slots__ = ()

    names_last_fault: ClassVar[bool] = False
    """True if the caller adds to the `reason` what went wrong last in the trial:
    `no answer within 35 steps: the last submission was sent back by gate 3 (paths)`."""

    submits_left_answer: ClassVar[bool] = True
    """True if the trial, before this limit ends it, submits an answer that a script has only kept
    in its data, for the next script to submit. There is no next script."""

    @abstractmethod
    def count(self, step: TrialStep) -> None:
        """Count what a completed step used. The summary of the step is in `step.done`."""

    @property
    @abstractmethod
    def reason(self) -> str:
        """Why the trial ends: `no answer within 35 steps`; empty below the limit."""

    def warning(self, fill: FillPrompt) -> str:
        """Return the warning for the model, `4 steps are left`; usually empty."""
        return ""

    def call_refusal(
        self, step: TrialStep, operation: str, arguments: Mapping[str, Plain]
    ) -> str:
        """Return why the current step may not make this call; empty if it may."""
        return ""

    def after(self, step: TrialStep) -> Self:
        """Return a copy of this limit that has counted a step; the limit itself has not."""
        limit = copy.copy(self)
        limit.count(step)
        return limit


_WARNED_SHARE_OF_AMOUNT: Final = 0.8
"""The model may be told how much is left once this share is used."""


@dataclass(slots=True)
class AmountLimit(Limit):
    """A limit of something that steps have several of, such as calls.

    Its `reason` and `warning` say what: `no answer within 100 calls`, `20 calls are left`.
    """

    names_last_fault = True  # The end also says what was wrong with the last answer.

    most: float
    """The largest amount; infinite for no limit."""
    used: int = 0
    """The amount of all completed steps."""
    _used_before: int = 0
    """The amount of all completed steps except the last one."""

    @abstractmethod
    def amount_of(self, step: TrialStep) -> int:
        """Return how much a step has used so far.

        It is asked about completed steps, which have their summary in `step.done`, such as the
        script in `step.done.code`, and by `is_used_up_in` about one that runs: it has none.
        """

    def count(self, step: TrialStep) -> None:
        """Add what a completed step used."""
        self._used_before = self.used
        self.used += self.amount_of(step)

    @property
    def is_warning_due(self) -> bool:
        """True once: after the step that has reached 80 % of the limit, but not all of it."""
        warned_at = self.most * _WARNED_SHARE_OF_AMOUNT
        return self._used_before < warned_at <= self.used < self.most

    def is_used_up_in(self, step: TrialStep) -> bool:
        """Return True if nothing is left to the current step, which is not counted yet."""
        return self.used + self.amount_of(step) >= self.most


# The limit of the calls that a trial makes to its environment (`--max-calls`).
#
# | calls made, with `--max-calls 100` | what happens |
# |---|---|
# | 80 or more, at the end of a step | the model is told once: `This trial may make 20 more calls.` |
# | 100, within a step | further calls are refused |
# | 100, at the end of a step | the trial ends: `no answer within 100 calls (--max-calls)` |


@dataclass(slots=True)
class _CallLimit(AmountLimit):
    """Counts the calls of a trial."""

    def amount_of(self, step: TrialStep) -> int:
        """Return the number of calls that the solver has sent.

        Inner calls, those of a function of the benchmark, do not count, because the solver cannot
        know how many there are.
        """
        count = 0
        for call in step.calls:
            is_of_solver = call.outer is None
            if is_of_solver and call.was_sent:
                count += 1
        return count

    @property
    def reason(self) -> str:
        """Why the trial ends; empty while it has calls left."""
        if self.used < self.most:
            return ""
        return f"no answer within {self.most:,} calls (--max-calls)"

    def warning(self, fill: FillPrompt) -> str:
        """Return how many calls are left, if that is due."""
        if not self.is_warning_due:
            return ""
        remaining = self.most - self.used
        return f"<budget>\nThis trial may make {remaining:,} more calls.\n</budget>\n"

    def call_refusal(
        self, step: TrialStep, operation: str, arguments: Mapping[str, Plain]
    ) -> str:
        """Return why the current step may make no further call; empty if it may."""
        # To save time, the calls are only counted if they might be too many.
        may_be_used_up = self.used + len(step.calls) >= self.most
        if not may_be_used_up or not self.is_used_up_in(step):
            return ""
        return (
            f"a trial makes at most {self.most:,} calls (--max-calls), "
            "and they are used up: answer in this script"
        )


# The limit of the submissions of a trial: the answers that its gates judge.
#
# The gates send a wrong answer back with objections, and the solver may try again. With no
# limit, it could guess until an answer passes.


@dataclass(slots=True)
class SubmissionLimit(AmountLimit):
    """The number of submissions that the gates judge in a trial.

    Since an accepted one usually ends the trial, messages say of all of them that they were
    sent back.
    """

    most: float = DEFAULT_LIMITS.max_submissions

    def amount_of(self, step: TrialStep) -> int:
        """Return the number of submissions."""
        return len(step.submissions)

    @property
    def reason(self) -> str:
        """Why the trial ends; empty while it may submit once more."""
        if self.used < self.most:
            return ""
        return f"{self.most} submissions were sent back"

    def refusal(self, step: TrialStep) -> str:
        """Return why the current step may submit nothing more; empty if it may."""
        if not self.is_used_up_in(step):
            return ""
        return (
            f"{self.most} submissions of this trial were sent back: "
            "no further one is judged."
        )


# The limit of the dollars that a trial spends on its models (`--trial-cost`).
#
# What a reply costs is known only once it is there. So the next one is expected to cost as much as
# the dearest so far. The model is asked only if all that was spent, plus this, is within the limit:
#
#     --trial-cost 1    spent $0.70, the dearest reply $0.20    the model is asked: 0.90 is within 1
#     --trial-cost 1    spent $0.90, the dearest reply $0.20    the trial ends: 1.10 is not


@dataclass(slots=True)
class _CostLimit(Limit):
    """The dollars that a trial may spend on replies of models (`--trial-cost`).

    All paid replies count, even those that could not be used.
    """

    # A script may leave an answer in its data without submitting it. Other limits submit this
    # answer when they end the trial. This one does not: a model may read each submission, which
    # would cost more.
    submits_left_answer = False

    max_usd: float | None = None
    """None for no limit."""
    has_unpriced_reply: bool = False
    """True if the price of a reply is unknown."""
    _cost: SpendingMeter = field(init=False)
    """The dollars of all replies."""

    def __post_init__(self) -> None:
        self._cost = SpendingMeter(self.max_usd)

    def count(self, step: TrialStep) -> None:
        """Do nothing: the cost of a step is that of its replies, which `count_reply` counts."""

    def count_reply(self, replied: ModelReplied) -> None:
        """Count a reply, either new or recorded."""
        if self.max_usd is None:
            return
        cost_usd = replied.known_cost_usd
        if cost_usd is None:
            self.has_unpriced_reply = True
        else:
            self._cost.add(cost_usd)

    @property
    def reason(self) -> str:
        """Why the trial ends; empty while it can pay one more request."""
        if self.has_unpriced_reply:
            return f"{UNPRICED}, so --trial-cost cannot be kept; {PRICE_REMEDY}"
        refusal = self._cost.refusal(request_count=1)
        if refusal:
            return f"the trial {refusal} (--trial-cost)"
        return ""


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

    limits: TrialLimits
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
            return summary.was_refused and self.can_refund_script
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
class StepLimit(Limit):
    """Limits the steps of a trial, each of which asks the model once."""

    names_last_fault = True  # The reason for the end also says what was wrong last.
    limits: TrialLimits
    """The numbers of steps, extra steps and refunds."""
    spent: int = 0
    """The steps so far that count."""
    refunds: Refunds = field(init=False)
    """The steps so far that do not count, and whether there may be more."""

    def __post_init__(self) -> None:
        self.refunds = Refunds(self.limits)

    def count(self, step: TrialStep) -> None:
        """Count a step after its end, if the solver's model was asked in it."""
        if step.solver_reply is None:
            return
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

    def warning(self, fill: FillPrompt) -> str:
        """Return the warning or the nudge if it is due after the last step; else empty."""
        if self.spent == 0:
            return ""  # Even a trial with a single step is not warned now.
        # Without extra steps, the nudge comes one step earlier, to leave a step for the answer.
        steps_before_nudge = self.limits.max_steps
        if self.limits.extra_steps == 0:
            steps_before_nudge -= 1
        if self.spent == steps_before_nudge:
            return fill("nudge", left=self.remaining_steps)
        if self.spent == self.limits.max_steps - self.limits.warn_before:
            return fill("warning", left=self.remaining_steps)
        return ""


# The clock of a trial: how much of its time it has used, over all its attempts.
#
# A trial with 600 seconds that was killed after 200 has 400 left when it is resumed.


@dataclass(slots=True)
class TrialClock:
    """Counts the time that a trial has used, over all its attempts.

    A trial may use 600 s. Its first attempt begins at the moment 1,000:

        at 1,050    exclude(30)           its model was down for 30 s; `deadline` is now 1,630
        at 1,100    used_s                70, and the process is killed
        at 5,000    continue_from(70)     the trial is resumed; `deadline` is 5,530

    All moments are those of `time.monotonic`, in seconds. The clock only counts. Its deadline ends:

    - a trial between two steps: `TurnLoop.run` (`agent/loop/turns.py`)
    - a request to a model, and what waits for it: `TrialSession.ask` (`agent/loop/trial_session.py`)
    - a running script and its calls: `TrialState.step_wall_s` (`sandbox/parent/conversation.py`), which
      gets what is left of the trial
    - a call of an MCP server: `controlplane/mcp/tool_server.py`
    - an environment that tries again: `controlplane/lifecycle/trial_lifecycle.py`
    - what hangs in spite of these: the watch of `controlplane/lifecycle/run_lifecycle.py`
    """

    limit_s: float = math.inf
    """Seconds that the trial may use."""
    call_ends_at: float = math.inf
    """The moment at which a call of the running script has to end, because the script's own
    time is over. Infinite between such calls."""
    _counts_from: float = field(default_factory=time.monotonic)
    """The used time counts from this moment: the start, moved by time that does not count."""

    @property
    def used_s(self) -> float:
        """Seconds that the trial has used."""
        return time.monotonic() - self._counts_from

    @property
    def deadline(self) -> float:
        """The moment at which the trial's time ends. Its models have to reply before it."""
        return self._counts_from + self.limit_s

    def remaining_s(self) -> float:
        """Return the seconds that the trial may still use; fewer than 0 if it has overrun its time."""
        return self.limit_s - self.used_s

    def end_calls_at(self, moment: float) -> None:
        """Set the moment at which a call of the running script has to end.

        The sandbox calls this before a call of a script, with the end of the script's time,
        and after it, with infinity.
        """
        self.call_ends_at = moment

    def exclude(self, seconds: float) -> None:
        """Leave seconds in which the trial only waited out of the used time."""
        self._counts_from += seconds

    def continue_from(self, used_s: float) -> None:
        """Set the used time to what it was at the end of a recorded step."""
        self._counts_from = time.monotonic() - used_s


# The limit of the wall-clock time of a trial: `no answer within 900 s`.
#
# The model is warned in the last minute.

_LAST_SECONDS: Final = 60.0
"""The model is warned once fewer seconds than this are left."""


@dataclass(slots=True)
class _TimeLimit(Limit):
    """Limits the wall-clock time of a trial."""

    # What was wrong with the last reply or answer is told after the reason for the end.
    names_last_fault = True
    # If the last script left an answer without submitting it, it is not submitted when the time
    # ends. At which step that is depends on the computer's speed, and so the answer would, too.
    submits_left_answer = False

    clock: TrialClock
    """Has the time that the trial has used, and its limit."""

    def count(self, step: TrialStep) -> None:
        """Do nothing: the clock runs by itself."""

    @property
    def reason(self) -> str:
        """Why the trial ends; empty while time is left."""
        if self.clock.remaining_s() > 0:
            return ""
        return f"no answer within {self.clock.limit_s:g} s"

    def warning(self, fill: FillPrompt) -> str:
        """Return the warning with the seconds that are left; empty before the last minute."""
        remaining_s = self.clock.remaining_s()
        if remaining_s >= _LAST_SECONDS:
            return ""
        rounded_s = max(0, round(remaining_s / 10) * 10)
        return fill("time", seconds=rounded_s)


# Estimates how many tokens a conversation has.
#
# An endpoint counts the tokens of each request and its reply. Those of later messages are
# estimated from their characters.


@dataclass(frozen=True, slots=True)
class _TokenEstimate:
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

    def with_text(self, text: str) -> _TokenEstimate:
        """Return the estimate after a text was added to the conversation."""
        return replace(self, chars=self.chars + len(text))

    def with_count(self, usage: Usage, reply: str) -> _TokenEstimate:
        """Return the estimate with the endpoint's counts for the last request and its reply.

        The reply's text is not yet added to the conversation.
        """
        # `prompt_tokens` also counts the declarations of tools, whose characters are not in
        # `chars`. So the quotient may be far too low, such as 0.4. No real text has much less
        # than 1 character per token.
        chars_per_token = max(self.chars / usage.prompt_tokens, 1.0)
        return _TokenEstimate(
            chars=self.chars,
            counted_chars=self.chars + len(reply),
            counted_tokens=usage.prompt_tokens + usage.completion_tokens,
            chars_per_token=chars_per_token,
        )


_EMPTY_CONVERSATION: Final = _TokenEstimate()


# The limit of a conversation: the size of the model's context, in tokens.
#
# A model can read only so many tokens at once, and each request sends the whole conversation.
# With a context of 32,000 tokens, the model is warned from 24,000 on, and the trial ends after
# 30,400, because its next reply would hardly fit.

_REPLY_SHARE: Final = 0.05  # the share of the context that is kept for a reply
_WARNED_SHARE: Final = 0.75  # The model is warned once this share is used.


@dataclass(slots=True)
class ContextLimit(Limit):
    """Limits the conversation to the size of the model's context."""

    max_tokens: float = math.inf
    """The size of the context in tokens; infinite without a limit."""
    _estimate: _TokenEstimate = _EMPTY_CONVERSATION
    """The tokens of the conversation so far."""

    def add(self, text: str) -> None:
        """Estimate the tokens of a text that was added to the conversation."""
        self._estimate = self._estimate.with_text(text)

    def count(self, step: TrialStep) -> None:
        """Replace the estimate by the endpoint's own count of a step's request and reply."""
        replied = step.solver_reply
        if replied is not None and replied.usage.prompt_tokens:
            self._estimate = self._estimate.with_count(replied.usage, replied.reply)

    @property
    def reason(self) -> str:
        """Why the trial ends; empty while the next request and its reply fit."""
        tokens = self._estimate.tokens
        usable_tokens = self.max_tokens * (1 - _REPLY_SHARE)
        if tokens <= usable_tokens:
            return ""
        reason = f"no answer within the model's context of {self.max_tokens:,} tokens"
        reason += " (--max-context-tokens)"
        if self._estimate.counted_tokens == 0:  # It is the first request.
            reason += f": the first request has about {tokens:,}; lower --initial-prompt-chars"
        return reason

    def warning(self, fill: FillPrompt) -> str:
        """Return the warning with the number of tokens that are left; empty while it is not due."""
        tokens = self._estimate.tokens
        if tokens < self.max_tokens * _WARNED_SHARE:
            return ""
        remaining_tokens = max(self.max_tokens - tokens, 0) // 100 * 100  # rounded
        return fill("context", tokens=f"{remaining_tokens:,}")

    def after_message(self, step: TrialStep, feedback: Sequence[str]) -> ContextLimit:
        """Return a copy with a step, its reply, and the next message to the model, in pieces."""
        limit = self.after(step)  # a copy that has counted the step
        limit.add("".join((step.solve_reply.reply, *feedback)))
        return limit


# Repetition and unusable replies: two limits of a trial whose model gets nowhere.
#
# Both change how the model is asked before they end the trial: with a higher temperature, in
# another form, or without its last reply. A trial ends for the `reason`
#
#     the model wrote the same script 5 times in a row, each time refused before it ran

# How many times in a row the same thing came, such as a script or an error.
#
# A model that sends the same script five times in a row is stuck, so its trial ends.


@dataclass(frozen=True, slots=True)
class _RepetitionCount:
    """The last thing, and how many times in a row it came.

    "a", "a" -> _RepetitionCount(2, "a")
    "a", "a", "b" -> _RepetitionCount(1, "b")
    """

    times: int = 0
    """How many times in a row the last thing came."""
    last: object = None
    """What came last; None before anything came."""

    def followed_by(self, thing: object) -> _RepetitionCount:
        """Return the count after one more thing: one more, or 1 for another thing.

        An empty thing, such as an empty fault, ends the count.
        """
        if not thing:
            return _NO_REPETITION
        if thing == self.last:
            return _RepetitionCount(self.times + 1, thing)
        return _RepetitionCount(1, thing)

    @property
    def is_repetition(self) -> bool:
        """True if the last thing came at least twice in a row."""
        return self.times > 1

    @property
    def in_a_row(self) -> str:
        """The count in words: `5 times in a row`."""
        return f"{self.times} times in a row"


_NO_REPETITION: Final = _RepetitionCount()
"""The count before anything came, and after its end."""


# The form of a model's next reply, which depends on the faults of the last ones.


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """The form of a reply: its reply mode, and how the script is written in it."""

    mode: ReplyMode | None = None
    """How the model writes its action; None if the endpoint chooses."""
    is_fenced: bool = False
    """True if scripts are asked for in ```python fences."""


DEFAULT_FORM: Final = ReplyForm()


# The reply modes in the order in which a model is asked in them, until it succeeds in one.
#
# A *reply mode* is a way to write an action, such as a script to run: JSON that fits a schema, the
# arguments of a tool call, any JSON, or text. Each is easier for a model than the one before:
#
#     mode_after("schema")   -> ReplyMode.TOOL
#     mode_after("text")     -> None: there is no easier one


def _mode_after(mode: str) -> ReplyMode | None:
    """Return the reply mode to try after this one: `tool` after `schema`, None after the last.

    The mode is that of a recorded reply. If it is unknown or empty, no other is tried.
    """
    for tried_mode, next_mode in itertools.pairwise(ReplyMode):
        if mode == tried_mode:
            return next_mode
    return None


# The limit of repetition: how many times in a row a model may do the same thing in vain.
#
# | what comes again | in vain, because | the trial ends after |
# |---|---|---|
# | a script | it is refused before it runs, for its syntax | `max_same` |
# | a script | it prints the same each time | `max_runs` |
# | a submission (an answer) | the gates, rules for answers, reject it | `max_same` |
#
# Before that, a note about a script tells the model to do something else. After five steps with these scripts, one a
# line, the counts of scripts are:
#
#     script                failures   refusals   runs
#     a: KeyError: 'fee'    1          0          1
#     b: KeyError: 'fee'    2          0          1
#     c: prints 3           0          0          1
#     c: prints 3           0          0          2
#     d: wrong syntax       1          1          1     refused, which is a failure, too

_RUNS_BEFORE_WARNING: Final = 3
"""A script may poll (read until something changes), so a few equal runs are fine."""

_SAME_FAILURE_NOTE: Final = (
    "<note>\nThis script failed like the one before: {failure}\n"
    "Change the line that failed, or find the answer in another way.\n</note>\n"
)
_SAME_OUTPUT_NOTE: Final = (
    f"<note>\nThis script ran {_RUNS_BEFORE_WARNING} times in a row with the same "
    "output: do something else.\n</note>\n"
)


@dataclass(slots=True)
class RepetitionLimit(Limit):
    """Ends a trial whose model does the same thing in vain, again and again.

    Before that, a solver by scripts changes its requests: see `is_repeating` and `is_same_failure`.
    """

    max_same: int
    """Max refusals of the same script, and rejections of the same submission."""
    max_runs: int = 0
    """Max runs of the same script with the same output; 0 for no limit."""
    _failures: _RepetitionCount = _NO_REPETITION
    """Scripts that failed with the same error. One that did not fail ends the count. Different
    scripts that fail alike change the next request, but do not end the trial."""
    _refusals: _RepetitionCount = _NO_REPETITION
    """Scripts with the same code that were refused before they ran. Any other ends the count."""
    _runs: _RepetitionCount = _NO_REPETITION
    """Scripts with the same code and the same output. A script that submits an answer,
    or a step without a script, leaves the count as it is."""
    _rejections: _RepetitionCount = _NO_REPETITION
    """Rejections of the same submission with the same message."""
    _last_submission: Judged | None = None
    """The last submission, accepted or rejected; None if there was none."""
    _note: str = ""
    """The note for the model after the last step; empty if it repeated nothing."""

    def count(self, step: TrialStep) -> None:
        """Count the step's script and its last submission."""
        script = step.summary  # Its `code` is empty if the step has no script.
        failure = script.failure
        self._failures = self._failures.followed_by(failure)
        refused_code = script.code if script.was_refused else ""
        self._refusals = self._refusals.followed_by(refused_code)
        counts_as_run = bool(script.code) and not step.submissions
        if counts_as_run:
            run = (script.code, script.output + script.error)
            self._runs = self._runs.followed_by(run)

        self._note = ""
        if self._failures.is_repetition:  # at least the second time in a row
            self._note = _SAME_FAILURE_NOTE.format(failure=failure)
        elif counts_as_run and self._runs.times == _RUNS_BEFORE_WARNING:
            self._note = _SAME_OUTPUT_NOTE
        if step.submissions:
            self._count_submission(step.submissions[-1])

    def _count_submission(self, judged: Judged) -> None:
        """Count a submission. An accepted one ends the count of rejections."""
        self._last_submission = judged
        rejected: object = None
        if not judged.accepted:
            rejected = (judged.answer, judged.outcome, judged.refs, judged.message)
        self._rejections = self._rejections.followed_by(rejected)

    def warning(self, fill: FillPrompt) -> str:
        """Return the note about the script of the last step; empty if it repeated nothing."""
        return self._note

    @property
    def is_repeating(self) -> bool:
        """True if an error, a script or a submission has come twice in a row.

        A solver by scripts then asks at a higher temperature, so that the model writes something else.
        """
        counts = (self._failures, self._refusals, self._runs, self._rejections)
        return any(count.is_repetition for count in counts)

    @property
    def is_same_failure(self) -> bool:
        """True if the last two scripts failed with the same error.

        A solver by scripts leaves out the last reply from then on, so that the model does not copy it.
        """
        return self._failures.is_repetition

    @property
    def reason(self) -> str:
        """Why the trial ends: `the model wrote the same script 5 times in a row, ...`."""
        if self._refusals.times >= self.max_same:
            return (
                f"the model wrote the same script {self._refusals.in_a_row}, "
                "each time refused before it ran"
            )
        if self.max_runs and self._runs.times >= self.max_runs:
            return (
                f"the model ran the same script {self._runs.in_a_row}, "
                "each time with the same output"
            )
        if self._rejections.times >= self.max_same:
            return (
                f"the model submitted the same answer {self._rejections.in_a_row}, "
                f"each time sent back by {self._rejected_by}"
            )
        return ""

    @property
    def last_fault(self) -> str:
        """What became of the last submission, in words."""
        if self._last_submission is None:
            return "nothing was submitted"
        if self._last_submission.accepted:
            # If it had been taken, the trial would be over.
            return "the environment did not take the last submission"
        return f"the last submission was sent back by {self._rejected_by}"

    @property
    def _rejected_by(self) -> str:
        """The gates and rules that rejected the last submission: `gate 3 (paths), travel/dates`.

        Empty without one.
        """
        if self._last_submission is None:
            return ""
        names: list[str] = []
        for verdict in self._last_submission.rejections:
            if verdict.gate:
                names.append(f"gate {verdict.gate} ({verdict.name})")
            else:
                names.append(verdict.name)
        return ", ".join(names)


# The limit of unusable replies: those without an action, such as a script.
#
# The *fault* of a reply says why it is unusable: it is empty, or plain text. A trial ends after
#
# - `unusable_replies`, 10 of them in a row (`prose_replies` if the last one is plain text)
# - `same_faults`, 5 of them in a row with the same fault
#
# Before that, the model is asked in another form. A form is a *reply mode* (JSON by a schema, a tool
# call, any JSON, or text), and whether the script has to be in a *fence* (```). A model that fails in
# one form may succeed in another:
#
#     the last replies                                     the next one is asked for
#     twice JSON, whose script has a syntax error          as text, with the script in a fence
#     three times no JSON                                  as a tool call, the next reply mode
#
# In the next reply mode, the second count begins anew, and the first goes on.

_BROKEN_SCRIPTS_BEFORE_FENCE: Final = 2
_FENCE_NOTE: Final = f"<note>\nFrom here on reply with {FENCED_FORM}.\n</note>\n"
FENCED_TEXT: Final = ReplyForm(ReplyMode.TEXT, is_fenced=True)

_FAULTS_BEFORE_NEXT_MODE: Final = 3


@dataclass(slots=True)
class UnusableReplies(Limit):
    """Ends a trial after too many unusable replies, and chooses the form of the next one."""

    limits: TrialLimits = field(default_factory=TrialLimits)
    """The numbers of unusable replies that end a trial."""
    may_change_form: bool = True
    """False if the user chose the form in which the model is asked."""
    form: ReplyForm = DEFAULT_FORM
    """The form of the next reply."""
    note_to_model: str = ""
    """Asks for a script in a fence, if the last reply caused that; else empty."""
    notice_to_user: str = ""
    """Says that the last reply has changed the reply mode, and why; else empty."""
    _same_fault: _RepetitionCount = _NO_REPETITION
    """Unusable replies with the same fault, in one mode. A usable reply ends the count."""
    _broken_scripts: _RepetitionCount = _NO_REPETITION
    """Scripts with a syntax error. A script without one ends the count."""
    _faults: tuple[str, ...] = ()
    """All faults since the last usable reply, in all modes."""
    _any_was_usable: bool = False
    """True if any reply of the trial was usable."""

    def count(self, step: TrialStep) -> None:
        """Count the fault of a step's reply. It is empty if the reply was usable."""
        summary = step.summary
        if summary.fault:
            self._faults = (*self._faults, summary.fault)
        else:
            self._faults = ()
            self._any_was_usable = True

        # `followed_by` sets a count to 0 if it gets an empty fault, or False.
        self._same_fault = self._same_fault.followed_by(summary.fault)
        if summary.code:
            is_broken = summary.ending == Ending.SYNTAX
            self._broken_scripts = self._broken_scripts.followed_by(is_broken)
        self.note_to_model = ""
        self.notice_to_user = ""
        if self.may_change_form:
            self._choose_form(step.solve_reply.reply_mode)

    def _choose_form(self, reply_mode: str) -> None:
        """Choose an easier form for the next reply, if replies in this one keep failing.

        `reply_mode` is the mode in which the last reply was asked for, which is another than the
        form's if the endpoint lacks that one. It is empty if the model offers no choice.
        """
        is_json = reply_mode not in ("", ReplyMode.TEXT)  # A tool call has JSON, too.
        are_broken = self._broken_scripts.times >= _BROKEN_SCRIPTS_BEFORE_FENCE
        next_mode = _mode_after(reply_mode)
        if is_json and are_broken and not self.form.is_fenced:
            # Scripts in JSON strings are broken, perhaps by wrong escapes. Text needs none. If the
            # model was asked for a fence already, in vain, it is not asked again.
            form = FENCED_TEXT
            reason = "scripts in JSON strings were no Python"
            self.note_to_model = _FENCE_NOTE
        elif self._same_fault.times >= _FAULTS_BEFORE_NEXT_MODE and next_mode:
            # The same fault comes again and again. Each mode is easier than the one before.
            form = replace(self.form, mode=next_mode)
            reason = "the same fault three times in a row"
            self._same_fault = _NO_REPETITION  # It may come as often in that mode.
        else:
            return
        if form.mode != self.form.mode:
            self.notice_to_user = (
                f"{reason}; asking in reply mode {form.mode} from here on"
            )
        self.form = form

    def warning(self, fill: FillPrompt) -> str:
        """Return the note that asks for scripts between ```, if this form was just chosen; else empty."""
        return self.note_to_model

    @property
    def reason(self) -> str:
        """Why the trial ends: `every reply was empty`; empty below the limits."""
        if not self._faults:
            return ""
        max_replies = self.limits.unusable_replies
        if self._faults[-1] in PROSE:
            # The last reply is plain text. A user who asked a question can read it.
            max_replies = self.limits.prose_replies

        # The count of the same fault gets to 5 only in a mode that is not changed after 3: the last
        # mode, or one that the user has chosen.
        is_same = self._same_fault.times >= self.limits.same_faults
        if is_same or len(self._faults) >= max_replies:
            return self.last_fault
        return ""

    @property
    def last_fault(self) -> str:
        """What was wrong with the last replies; empty if the last one was usable.

        the last reply was empty
        each of the last 3 replies was unusable: 2 was empty, 1 was a refusal
        every reply was a refusal         (even if there was only one)
        """
        if not self._faults:
            return ""
        if not self._any_was_usable:
            replies = "every reply"
        elif len(self._faults) == 1:
            replies = "the last reply"
        else:
            replies = f"each of the last {len(self._faults)} replies"

        # Each text is written for one reply ("the reply was empty"), and is not put into the plural.
        texts = Counter(
            FAULT_TEXTS.get(fault, "was unusable") for fault in self._faults
        )
        if len(texts) == 1:
            (text,) = texts
            return f"{replies} {text}"
        counts = [f"{times} {text}" for text, times in texts.most_common()]
        return f"{replies} was unusable: {', '.join(counts)}"


# All limits of a trial, and what is used of each.


class UsedLimits:
    """The limits of one trial, which count its completed steps. A new limit has its line here."""

    def __init__(self, limits: TrialLimits, clock: TrialClock) -> None:
        self.all_but_context: list[Limit] = []
        """They warn first. Their warnings then take room in the model's context. The first one
        that is used up ends the trial, so those with a general reason, such as `no answer within
        35 steps`, come late."""
        self.submissions = self._added(SubmissionLimit(limits.max_submissions))
        self.calls = self._added(_CallLimit(limits.max_calls))
        self.cost = self._added(_CostLimit(limits.max_cost_usd))
        self.steps = self._added(StepLimit(limits))
        self.time = self._added(_TimeLimit(clock))
        self.context = ContextLimit(limits.context_tokens or math.inf)

    def _added(self, limit: _AnyLimit) -> _AnyLimit:
        """Add a limit to those that count, warn, refuse and end, and return it."""
        self.all_but_context.append(limit)
        return limit

    def count(self, step: TrialStep) -> None:
        """Count a completed step, new or recorded."""
        for limit in (*self.all_but_context, self.context):
            limit.count(step)

    def call_refusal(
        self, step: TrialStep, operation: str, arguments: Mapping[str, Plain]
    ) -> str:
        """Return why a limit refuses the current step's next call; empty if none does."""
        for limit in self.all_but_context:
            refusal = limit.call_refusal(step, operation, arguments)
            if refusal:
                return refusal
        return ""
