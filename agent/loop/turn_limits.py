"""The limits of a trial that takes turns: steps, time, the model's context, and
repetition.

`TurnLoop` counts each completed step in every limit (see `TrialLimit`). It adds the
limits' warnings to the message after a step, and ends the trial when a limit gives a
reason to. The warning that asks the model to answer now is called the *nudge*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Final, TypedDict

from controlplane.agent.events import Judged
from controlplane.agent.loop.prompt_texts import Prompts, default_prompts
from controlplane.agent.loop.script_feedback import (
    fault_of,
    is_failure,
    repeated_failure_note,
)
from controlplane.agent.loop.trial_session import TrialClock
from controlplane.agent.model import TOOL_NAME, ReplyMode, Tool
from controlplane.agent.reply import FAULT_TEXTS, FENCED_FORM, PROSE
from controlplane.agent.reply import SCHEMA as ACTION_SCHEMA
from controlplane.agent.trial_limits import TrialLimit
from controlplane.agent.trial_record import TrialStep
from controlplane.sandbox import Ending


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
    """Limits the steps of a trial. The first faulty scripts and replies are refunded:
    they do not count as steps."""

    names_last_fault = True  # The reason for the trial's end also names the last fault.

    limits: BudgetLimits
    """The numbers of steps and refunds."""
    _: KW_ONLY
    prompts: Prompts = field(default_factory=default_prompts)
    """The texts sent to the model."""
    spent: int = 0
    """Steps that count."""
    refunded_scripts: int = 0
    """Scripts that cost no step, so far."""
    refunded_replies: int = 0
    """Replies that cost no step, so far."""

    # The solver asks one of these two methods before it records a step as
    # `StepDone.refunded`.

    def refunds_script(self, *, is_refused: bool) -> bool:
        """Return True if a script's step is refunded, because it was refused before it
        ran."""
        return is_refused and self.refunded_scripts < self.limits.script_refunds

    def refunds_reply(self, *, is_unusable: bool) -> bool:
        """Return True if a step without a script is refunded, because its reply was
        unusable."""
        return is_unusable and self.refunded_replies < self.limits.reply_refunds

    def count(self, step: TrialStep) -> None:
        """Count a recorded step as spent, or as a refunded script or reply."""
        done = step.summary
        if not done.refunded:
            self.spent += 1
        elif done.code:
            self.refunded_scripts += 1
        else:
            self.refunded_replies += 1

    @property
    def remaining_steps(self) -> int:
        """The number of steps that are left, including the steps after the nudge."""
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
        """Return the warning or the nudge (`answer now`), if it is due after the last
        step."""
        if self.spent == 0:
            return ""
        nudged_at = self.limits.max_steps
        if not self.limits.extra_steps:
            nudged_at -= 1  # One step must be left in which the model can answer.
        warned_at = self.limits.max_steps - self.limits.warn_before
        if self.spent == nudged_at:
            return self.prompts.filled("nudge", left=self.remaining_steps)
        if self.spent == warned_at:
            return self.prompts.filled("warning", left=self.remaining_steps)
        return ""


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun: `1 step`, `2 steps`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# --- Time ---


LAST_SECONDS: Final = 60.0
"""The model is told how many seconds are left if there are fewer than this."""


@dataclass(slots=True)
class TimeLimit(TrialLimit):
    """Limits the wall-clock time of a trial, which its clock counts."""

    names_last_fault = True  # The reason for the trial's end also names the last fault.

    clock: TrialClock
    limit_s: float
    """Seconds that the trial may use."""
    _: KW_ONLY
    prompts: Prompts = field(default_factory=default_prompts)
    """The texts sent to the model."""

    def count(self, step: TrialStep) -> None:
        """Do nothing. The clock runs by itself, and the session sets it after a
        recorded step."""

    @property
    def remaining_s(self) -> float:
        """Seconds that the trial may still use."""
        return self.limit_s - self.clock.used_s

    @property
    def reason(self) -> str:
        return f"no answer within {self.limit_s:g} s" if self.remaining_s <= 0 else ""

    def warning(self, message: str) -> str:
        """Return the warning with the seconds left, rounded to tens, if less than a
        minute is left."""
        remaining_s = self.remaining_s
        if remaining_s >= LAST_SECONDS:
            return ""
        rounded_s = max(0, round(remaining_s / 10) * 10)
        return self.prompts.filled("time", seconds=rounded_s)


# --- The model's context ---


REPLY_SHARE: Final = 0.05
"""The share of the context that is reserved for a reply. The model is not asked with
less."""
WARNED_CONTEXT_SHARE: Final = 0.75
"""The model is told how much context is left once this share of it is used."""


@dataclass(slots=True)
class ContextLimit(TrialLimit):
    """Limits the conversation to the size of the model's context, in tokens.

    An endpoint counts the tokens of each request. For messages added later, they are
    estimated from the characters.
    """

    max_tokens: int | None = None
    """The size of the context in tokens; None if unknown."""
    _: KW_ONLY
    prompts: Prompts = field(default_factory=default_prompts)
    """The texts sent to the model."""
    _chars: int = 0
    """Characters of the conversation."""
    _counted_tokens: int = 0
    """Tokens of the last request and its reply, as the endpoint counted them."""
    _counted_chars: int = 0
    """Characters of the same request and reply. Later messages are estimated."""
    _chars_per_token: float = 3.0
    """Measured at each count of the endpoint. Until the first count it is a low guess,
    so that the tokens are overestimated."""

    def add(self, text: str) -> None:
        """Count a message that was added to the conversation."""
        self._chars += len(text)

    def count(self, step: TrialStep) -> None:
        """Take the endpoint's count of the step's request and reply, if there is one.

        The reply is added to the conversation after this, so `_chars` still has the
        request alone.
        """
        replied = step.solve_reply
        usage = replied.usage
        if not usage.prompt_tokens:
            return
        # The endpoint may also count the tokens of tools, and the quotient is then too
        # low. Real texts have at least about 1 character per token.
        self._chars_per_token = max(self._chars / usage.prompt_tokens, 1.0)
        self._counted_tokens = usage.prompt_tokens + usage.completion_tokens
        self._counted_chars = self._chars + len(replied.reply)

    def tokens(self, further_text: str = "") -> int:
        """Return the estimated tokens of the conversation if `further_text` is added to
        it."""
        uncounted_chars = self._chars + len(further_text) - self._counted_chars
        return self._counted_tokens + round(uncounted_chars / self._chars_per_token)

    @property
    def reason(self) -> str:
        if self.max_tokens is None:
            return ""
        max_request_tokens = self.max_tokens * (1 - REPLY_SHARE)
        if self.tokens() <= max_request_tokens:
            return ""
        reason = (
            f"no answer within the model's context of {self.max_tokens:,} tokens "
            "(--max-context-tokens)"
        )
        is_first_request = not self._counted_tokens
        if is_first_request:
            tokens = f"{self.tokens():,}"
            reason += (
                f": the first request has about {tokens}; lower --initial-prompt-chars"
            )
        return reason

    def warning(self, message: str) -> str:
        """Return the warning with the tokens left, rounded to hundreds, if most of the
        context is used."""
        if self.max_tokens is None:
            return ""
        tokens = self.tokens(message)
        if tokens < self.max_tokens * WARNED_CONTEXT_SHARE:
            return ""
        remaining_tokens = max(self.max_tokens - tokens, 0)
        rounded_tokens = remaining_tokens // 100 * 100
        return self.prompts.filled("context", tokens=f"{rounded_tokens:,}")


# --- Repetition ---


@dataclass(frozen=True, slots=True)
class Streak:
    """Counts how many times in a row the same thing came, such as the same script.

    It is immutable: `followed_by` returns a new one. So a shallow copy of a limit can
    count a step without a change of the original (see `TrialLimit.after`).
    """

    times: int = 0
    last: object = None

    def followed_by(self, thing: object) -> Streak:
        """Return the streak after a further thing. An empty one, such as "" or (), ends
        it."""
        if not thing:
            return Streak()
        if thing == self.last:
            return Streak(self.times + 1, thing)
        return Streak(1, thing)


RUNS_BEFORE_WARNING: Final = 3
"""After this many runs of the same script with the same output, the model is told so.

With the default limit, the trial ends after two more."""


@dataclass(slots=True)
class RepetitionLimit(TrialLimit):
    """Limits how many times in a row a model may repeat something that leads nowhere.

    It counts four streaks. A gate is a check of a submitted answer.

    | streak | steps in a row with the same | steps that do not matter |
    |---|---|---|
    | failures | error of the script | none |
    | refusals | code, refused before it ran | none |
    | runs | code and output | those without a script or with a submission |
    | rejections | submission, sent back by a gate | those without a submission |
    """

    max_same: int
    """Max refusals of the same script, and rejections of the same submission."""
    max_runs: int = 0
    """Max runs of the same script with the same output; 0 for no limit."""
    _failures: Streak = field(default_factory=Streak)
    _refusals: Streak = field(default_factory=Streak)
    _runs: Streak = field(default_factory=Streak)
    _rejections: Streak = field(default_factory=Streak)
    _sent_back_by: str = ""
    """The gates that sent the last submission back, by name; empty if none did."""
    _warning: str = ""
    """The warning for the model about the last step; empty without one."""

    def count(self, step: TrialStep) -> None:
        """Count the script and the last submission of a step, and set the warning about
        them."""
        done = step.summary

        # 1. How the script ended. An empty text ends the streak.
        error = ""
        if done.code and is_failure(done.ending):
            error = fault_of(done.ending, done.error)
        self._failures = self._failures.followed_by(error)

        refused_code = ""
        if done.ending in (Ending.SYNTAX, Ending.REFUSED):
            refused_code = done.code
        self._refusals = self._refusals.followed_by(refused_code)

        # 2. What it did.
        if step.submissions:
            self._count_submission(step.submissions[-1])
        elif done.code:
            self._runs = self._runs.followed_by((done.code, done.output + done.error))

        # 3. The warning. A script that fails twice will fail again, so its warning comes at once.
        # A script that succeeds may wait for a change, so its warning comes later.
        self._warning = ""
        has_run = bool(done.code) and not step.submissions
        if self.is_same_failure:
            self._warning = repeated_failure_note(done.ending, done.error)
        elif has_run and self._runs.times == RUNS_BEFORE_WARNING:
            self._warning = (
                f"<note>\nThis script ran {RUNS_BEFORE_WARNING} times in a row with the same "
                "output: do something else.\n</note>\n"
            )

    def _count_submission(self, judged: Judged) -> None:
        """Count a submission, and keep the names of the gates that sent it back."""
        rejected: tuple[
            object, ...
        ] = ()  # Empty for an accepted submission: it ends the streak.
        if not judged.accepted:
            rejected = (judged.answer, judged.outcome, judged.refs, judged.message)
        self._rejections = self._rejections.followed_by(rejected)

        names: list[str] = []
        for verdict in judged.rejections:
            if verdict.gate:
                names.append(f"gate {verdict.gate} ({verdict.name})")
            else:
                names.append(verdict.name)
        self._sent_back_by = ", ".join(names)

    def warning(self, message: str) -> str:
        """Return the warning about a script that repeated the one before."""
        return self._warning

    @property
    def is_repeating(self) -> bool:
        """True if one of the four streaks has two or more steps."""
        streaks = (self._failures, self._refusals, self._runs, self._rejections)
        return any(streak.times > 1 for streak in streaks)

    @property
    def is_same_failure(self) -> bool:
        """True if the last script failed with the same error as the script before."""
        return self._failures.times > 1

    @property
    def last_fault(self) -> str:
        """The gates that sent the last submission back, in words."""
        if not self._sent_back_by:
            return "nothing was submitted"
        return f"the last submission was sent back by {self._sent_back_by}"

    @property
    def reason(self) -> str:
        if self._refusals.times >= self.max_same:
            in_a_row = f"{self._refusals.times} times in a row"
            return f"the model wrote the same script {in_a_row}, each time refused before it ran"
        limits_runs = self.max_runs > 0
        if limits_runs and self._runs.times >= self.max_runs:
            in_a_row = f"{self._runs.times} times in a row"
            return f"the model ran the same script {in_a_row}, each time with the same output"
        if self._rejections.times >= self.max_same:
            in_a_row = f"{self._rejections.times} times in a row"
            by = self._sent_back_by
            return f"the model submitted the same answer {in_a_row}, each time sent back by {by}"
        return ""


# --- Unusable replies ---


class RequestForm(TypedDict, total=False):
    """The arguments of a request that set the form of the reply: JSON, a tool call, or
    text."""

    schema: Mapping[str, object] | None
    tools: tuple[Tool, ...]
    tool_choice: str
    min_temperature: float


_SCRIPT_TOOL: Final = Tool(
    name=TOOL_NAME, description="Run one Python script.", parameters=ACTION_SCHEMA
)


def request_form(mode: ReplyMode | None) -> RequestForm:
    """Return the request arguments for a reply mode. With None, the endpoint chooses
    the mode."""
    match mode:
        case ReplyMode.TOOL:
            return {
                "schema": ACTION_SCHEMA,
                "tools": (_SCRIPT_TOOL,),
                "tool_choice": TOOL_NAME,
            }
        case ReplyMode.JSON:
            return {"schema": {}}
        case ReplyMode.TEXT:
            return {"schema": None}
        case _:
            # An endpoint that chooses the mode takes the schema if it can.
            return {"schema": ACTION_SCHEMA}


_MODES: Final = (ReplyMode.SCHEMA, ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT)
"""The reply modes (how the model is asked for an action) in the order in which they are
tried."""
FAULTS_BEFORE_SWITCH: Final = 3
"""The reply mode is switched after this many replies in a row with the same fault."""
BROKEN_SCRIPTS_BEFORE_FENCE: Final = 2
"""The model is asked for a fence (```python) instead of JSON after this many scripts in
a row with a syntax error."""


@dataclass(slots=True)
class UnusableReplies(TrialLimit):
    """Limits the unusable replies in a row, and chooses the form of the next request.

    A reply is unusable if it has no action, such as a script. Its fault is the reason:
    it was empty, say. The form changes if the same fault, or a syntax error in the
    script, comes several times in a row.
    """

    limits: BudgetLimits = field(default_factory=BudgetLimits)
    may_switch: bool = True
    """True if the form may change; False if the user chose one."""

    # The form of the next request

    mode: ReplyMode | None = None
    """The reply mode; None for the endpoint's own choice."""
    is_fenced: bool = False
    """True if scripts are asked for in ```python fences, because JSON strings broke
    them."""
    _warning: str = ""
    """The note for the model that the form has just changed; empty if it has not."""

    # The replies so far

    _reply_count: int = 0
    """All replies of the trial."""
    _fault_counts: Mapping[str, int] = field(default_factory=dict)
    """How often each fault came since the last usable reply: `{"was empty": 2}`.

    It is never changed, only replaced, because a copy of the limit shares it."""
    _same_fault: Streak = field(default_factory=Streak)
    """The last replies with the same fault, since the last switch of the reply mode."""
    _is_last_prose: bool = False
    """True if the last reply was plain text."""
    _broken_scripts: int = 0
    """How many scripts in a row had a syntax error, up to the last one."""

    @property
    def form(self) -> RequestForm:
        """The form of the next request."""
        return request_form(self.mode)

    def count(self, step: TrialStep) -> None:
        """Count the reply of a step, and change the form of the next request if
        needed."""
        summary = step.summary
        reply_mode = step.solve_reply.reply_mode
        self._reply_count += 1
        self._warning = ""

        if summary.code:
            has_syntax_error = summary.ending == Ending.SYNTAX
            self._broken_scripts = self._broken_scripts + 1 if has_syntax_error else 0
            self._ask_for_fence_if_broken(reply_mode)

        self._count_fault(summary.fault)
        if self.may_switch and self._same_fault.times >= FAULTS_BEFORE_SWITCH:
            self._switch_mode(reply_mode)

    def _count_fault(self, fault: str) -> None:
        """Count the fault of a reply; empty for a usable reply."""
        self._same_fault = self._same_fault.followed_by(fault)
        self._is_last_prose = fault in PROSE
        if not fault:
            self._fault_counts = {}
            return
        fault_text = FAULT_TEXTS.get(fault, "was unusable")
        times = self._fault_counts.get(fault_text, 0) + 1
        self._fault_counts = {**self._fault_counts, fault_text: times}

    def _ask_for_fence_if_broken(self, reply_mode: str) -> None:
        """Ask for scripts in fences if the last scripts had syntax errors.

        In JSON strings, unescaped quotation marks and newlines break scripts. Fences
        need no escapes. `reply_mode` is that of the last reply; empty if unknown.
        """
        needs_escapes = reply_mode not in ("", ReplyMode.TEXT)
        is_due = self._broken_scripts == BROKEN_SCRIPTS_BEFORE_FENCE
        if self.may_switch and needs_escapes and is_due:
            self.mode = ReplyMode.TEXT
            self.is_fenced = True
            self._warning = f"<note>\nFrom here on reply with {FENCED_FORM}.\n</note>\n"

    def _switch_mode(self, reply_mode: str) -> None:
        """Switch to the reply mode after that of the last reply, if there is one."""
        if reply_mode not in _MODES or reply_mode == _MODES[-1]:
            return
        next_index = _MODES.index(ReplyMode(reply_mode)) + 1
        self.mode = _MODES[next_index]
        self._same_fault = Streak()

    def warning(self, message: str) -> str:
        """Return the note that asks for a fence, if the last step caused it; else
        empty."""
        return self._warning

    @property
    def _unusable_count(self) -> int:
        """Unusable replies since the last usable one."""
        return sum(self._fault_counts.values())

    @property
    def last_fault(self) -> str:
        """The faults since the last usable reply, in words; empty if there are none.

        the last reply was empty
        every reply was a refusal
        each of the last 3 replies was unusable: 2 was empty, 1 was a refusal
        """
        unusable_count = self._unusable_count
        if not unusable_count:
            return ""
        if unusable_count == self._reply_count:
            replies = "every reply"
        elif unusable_count == 1:
            replies = "the last reply"
        else:
            replies = f"each of the last {unusable_count} replies"

        if len(self._fault_counts) == 1:
            (predicate,) = self._fault_counts  # such as "was empty"
            return f"{replies} {predicate}"
        most_frequent_first = Counter(self._fault_counts).most_common()
        counts = [f"{times} {predicate}" for predicate, times in most_frequent_first]
        return f"{replies} was unusable: {', '.join(counts)}"

    @property
    def reason(self) -> str:
        if not self._fault_counts:
            return ""  # The last reply was usable.
        # 1. Unusable replies with any faults. Plain text has its own limit.
        max_replies = self.limits.unusable_replies
        if self._is_last_prose:
            max_replies = self.limits.prose_replies
        has_too_many = self._unusable_count >= max_replies

        # 2. Replies with one fault, since the last switch of the reply mode.
        has_same_fault_too_often = self._same_fault.times >= self.limits.same_faults
        return self.last_fault if has_too_many or has_same_fault_too_often else ""
