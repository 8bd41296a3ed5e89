"""The limits of a trial that takes turns: steps, time, the model's context, and repetition.

`TurnLoop` counts each completed step in every limit (see `TrialLimit`). It adds the limits'
warnings to the message after a step, and ends the trial when a limit gives a reason to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Final, TypedDict

from controlplane.agent.events import Judged, StepDone
from controlplane.agent.loop.prompt_texts import Prompts, default_prompts
from controlplane.agent.loop.script_feedback import fault_of, is_failure, repeated_failure_note
from controlplane.agent.loop.trial_session import TrialClock
from controlplane.agent.model import TOOL_NAME, ReplyMode, Tool
from controlplane.agent.reply import FAULT_TEXTS, FENCED_FORM, PROSE, SCHEMA
from controlplane.agent.trial_limits import TrialLimit
from controlplane.agent.trial_record import TrialStep
from controlplane.sandbox import Ending


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """The numbers of all limits of one trial that takes turns.

    A trial has `max_steps`, and the model gets a warning shortly before their end. Then the nudge
    asks it to answer now, within `extra_steps`.
    """

    max_steps: int = 35
    """Steps before the nudge."""
    extra_steps: int = 5
    """Steps after the nudge."""
    warn_before: int = 5
    """The warning comes this many steps before the nudge."""
    script_refunds: int = 3
    """How many scripts cost no step although they were refused before they ran."""
    reply_refunds: int = 2
    """How many unusable replies cost no step."""
    unusable_replies: int = 10
    """The trial ends after this many unusable replies in a row."""
    same_faults: int = 5
    """The trial ends after this many unusable replies in a row with the same fault, because each of
    them costs money. A switch of the reply mode starts the count again."""
    prose_replies: int = 10
    """The trial ends after this many unusable replies in a row if the last one is prose."""
    same_refusals: int = 5
    """The trial ends when the same script is refused, or the same submission is rejected, this many
    times in a row."""
    same_scripts: int = 5
    """The trial ends when the same script runs with the same output this many times in a row; 0 for
    no limit."""
    trial_time_s: float = 900.0
    """Wall-clock seconds of the whole trial."""


# --- Steps ---


@dataclass(slots=True)
class StepLimit(TrialLimit):
    """Limits the steps of a trial. The first faulty scripts and replies are refunded: they cost no
    step."""

    names_last_fault = True  # The reason for the trial's end also names the last fault.

    limits: BudgetLimits
    """The numbers of steps and refunds."""
    _: KW_ONLY
    prompts: Prompts = field(default_factory=default_prompts)
    """The texts sent to the model."""
    spent: int = 0
    """Steps that count."""
    script_refunds: int = 0
    """Scripts that were refunded so far."""
    reply_refunds: int = 0
    """Replies that were refunded so far."""

    def refunds_script(self, *, is_refused: bool) -> bool:
        """Return True if a script's step is refunded, because it was refused before it ran."""
        return is_refused and self.script_refunds < self.limits.script_refunds

    def refunds_reply(self, *, is_unusable: bool) -> bool:
        """Return True if a step without a script is refunded, because its reply was unusable."""
        return is_unusable and self.reply_refunds < self.limits.reply_refunds

    def count(self, step: TrialStep) -> None:
        """Count a step as spent, or as a refunded script or reply."""
        done = step.summary
        if not done.refunded:
            self.spent += 1
        elif done.code:
            self.script_refunds += 1
        else:
            self.reply_refunds += 1

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
        """Return the warning or the nudge, if it is due after the last counted step."""
        if self.spent == 0:
            return ""
        nudged_at = self.limits.max_steps
        if not self.limits.extra_steps:
            nudged_at -= 1  # Without extra steps, the nudge must come before the last step.
        warned_at = self.limits.max_steps - self.limits.warn_before
        if self.spent == nudged_at:
            return self.prompts.filled("nudge", left=self.remaining_steps)
        if self.spent == warned_at:
            return self.prompts.filled("warning", left=self.remaining_steps)
        return ""


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun: `(1, "step") -> "1 step"`, `(2, "step") -> "2 steps"`."""
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
        """Do nothing. The clock runs by itself, and the session sets it after a recorded step."""

    @property
    def remaining_s(self) -> float:
        """Seconds that the trial may still use."""
        return self.limit_s - self.clock.used_s

    @property
    def reason(self) -> str:
        return f"no answer within {self.limit_s:g} s" if self.remaining_s <= 0 else ""

    def warning(self, message: str) -> str:
        """Return the warning with the seconds left, rounded to tens, if less than a minute is
        left."""
        remaining_s = self.remaining_s
        if remaining_s >= LAST_SECONDS:
            return ""
        rounded_s = max(0, round(remaining_s / 10) * 10)
        return self.prompts.filled("time", seconds=rounded_s)


# --- The model's context ---


REPLY_SHARE: Final = 0.05
"""The share of the context that is reserved for a reply. The model is not asked with less."""
WARNED_CONTEXT_SHARE: Final = 0.75
"""The model is told how much context is left once this share of it is used."""


@dataclass(slots=True)
class ContextLimit(TrialLimit):
    """Limits the conversation to the size of the model's context, in tokens.

    An endpoint counts the tokens of each request. Messages that were added since the last count are
    estimated from their characters.
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
    """Characters of the last request and its reply."""
    _chars_per_token: float = 3.0
    """Measured at each count of the endpoint. Before the first count it is a low estimate; prose
    has more."""

    def add(self, text: str) -> None:
        """Count a message that was added to the conversation."""
        self._chars += len(text)

    def count(self, step: TrialStep) -> None:
        """Take the endpoint's count of the step's request and reply, if there is one."""
        replied = step.solve_reply
        usage = replied.usage
        if not usage.prompt_tokens:
            return
        self._chars_per_token = max(self._chars / usage.prompt_tokens, 1.0)
        self._counted_tokens = usage.prompt_tokens + usage.completion_tokens
        self._counted_chars = self._chars + len(replied.reply)  # The reply is added after this.

    def tokens(self, further_text: str = "") -> int:
        """Return the estimated tokens of the conversation if `further_text` is added to it."""
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
            reason += f": the first request has about {tokens}; lower --initial-prompt-chars"
        return reason

    def warning(self, message: str) -> str:
        """Return the warning with the tokens left, rounded to hundreds, if most of the context is
        used."""
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

    A streak is immutable: counting returns a new one. So a limit can count a step in a shallow copy
    of itself (`TrialLimit.after`) without changing the original.
    """

    times: int = 0
    last: object = None

    def followed_by(self, thing: object) -> Streak:
        """Return the streak after a further thing. An empty thing, such as "" or (), ends the
        streak."""
        if not thing:
            return Streak()
        if thing == self.last:
            return Streak(self.times + 1, thing)
        return Streak(1, thing)


REPEATED_RUNS: Final = 3
"""After this many runs of the same script with the same output, the model is told so.

By default that is two runs before the trial ends."""


@dataclass(slots=True)
class RepetitionLimit(TrialLimit):
    """Limits how many times in a row a model may repeat something that leads nowhere.

    It counts the same script being refused, the same script running with the same output, and the
    same submission being sent back. Each counts at most once in a step.
    """

    max_same: int
    """Max refusals of the same script, and of the same submission."""
    max_runs: int = 0
    """Max runs of the same script with the same output; 0 for no limit."""
    _refused_scripts: Streak = field(default_factory=Streak)
    """Scripts that were refused before they ran, by their code."""
    _runs: Streak = field(default_factory=Streak)
    """Scripts that submitted nothing, by their code and output."""
    _failed_scripts: Streak = field(default_factory=Streak)
    """Scripts that failed, by their error, with or without a submission."""
    _submissions: Streak = field(default_factory=Streak)
    """Submissions that were sent back, by their content. A step without a submission does not end
    this streak."""
    _sent_back_by: str = ""
    """The gates and rules that sent the last submission back; empty without one."""
    _warning: str = ""
    """The warning for the model about the last step; empty without one."""

    def count(self, step: TrialStep) -> None:
        """Count the script and the last submission of a step, and set the warning about them."""
        done = step.summary

        error = ""
        if done.code and is_failure(done.ending):
            error = fault_of(done.ending, done.error)
        self._failed_scripts = self._failed_scripts.followed_by(error)

        refused_code = ""
        if done.ending in (Ending.SYNTAX, Ending.REFUSED):
            refused_code = done.code
        self._refused_scripts = self._refused_scripts.followed_by(refused_code)

        self._warning = ""
        if step.submissions:
            self._count_submission(step.submissions[-1])
            if self.is_same_failure:
                self._warning = repeated_failure_note(done.ending, done.error)
        elif done.code:
            self._count_run(done)

    def _count_submission(self, judged: Judged) -> None:
        """Count a submission, and keep the names of the gates and rules that sent it back."""
        submission: tuple[object, ...] = ()
        if not judged.accepted:
            submission = (judged.answer, judged.outcome, judged.refs, judged.message)
        self._submissions = self._submissions.followed_by(submission)

        names: list[str] = []
        for verdict in judged.rejections:
            if verdict.gate:
                names.append(f"gate {verdict.gate} ({verdict.name})")
            else:
                names.append(verdict.name)
        self._sent_back_by = ", ".join(names)

    def _count_run(self, done: StepDone) -> None:
        """Count a script that submitted nothing, and set the warning about it.

        The warning about a failed script comes at its first repetition, because it will fail again.
        A script that succeeds may be waiting for a change, so its warning comes later.
        """
        self._runs = self._runs.followed_by((done.code, done.output + done.error))
        if self.is_same_failure:
            self._warning = repeated_failure_note(done.ending, done.error)
        elif self._runs.times == REPEATED_RUNS:
            self._warning = (
                f"<note>\nThis script ran {REPEATED_RUNS} times in a row with the same output: "
                "do something else.\n</note>\n"
            )

    def warning(self, message: str) -> str:
        """Return the warning about a script that repeated the one before."""
        return self._warning

    @property
    def is_repeating(self) -> bool:
        """True if the last step repeated a run, a failure, a refusal or a submission of the step
        before."""
        streaks = (self._runs, self._refused_scripts, self._submissions, self._failed_scripts)
        return max(streak.times for streak in streaks) > 1

    @property
    def is_same_failure(self) -> bool:
        """True if the last script failed with the same error as the script before."""
        return self._failed_scripts.times > 1

    @property
    def last_fault(self) -> str:
        """The gates that sent the last submission back, in words."""
        if not self._sent_back_by:
            return "nothing was submitted"
        return f"the last submission was sent back by {self._sent_back_by}"

    @property
    def reason(self) -> str:
        if self._refused_scripts.times >= self.max_same:
            in_a_row = f"{self._refused_scripts.times} times in a row"
            return f"the model wrote the same script {in_a_row}, each time refused before it ran"
        if 0 < self.max_runs <= self._runs.times:
            in_a_row = f"{self._runs.times} times in a row"
            return f"the model ran the same script {in_a_row}, each time with the same output"
        if self._submissions.times >= self.max_same:
            in_a_row = f"{self._submissions.times} times in a row"
            by = self._sent_back_by
            return f"the model submitted the same answer {in_a_row}, each time sent back by {by}"
        return ""


# --- Unusable replies ---


class RequestForm(TypedDict, total=False):
    """The arguments of `Model.complete` that set the form of the model's action."""

    schema: Mapping[str, object] | None
    tools: tuple[Tool, ...]
    tool_choice: str
    min_temperature: float


_REQUEST_FORMS: Final[Mapping[ReplyMode | None, RequestForm]] = {
    None: {"schema": SCHEMA},
    ReplyMode.TOOL: {
        "schema": SCHEMA,
        "tools": (Tool(name=TOOL_NAME, description="Run one Python script.", parameters=SCHEMA),),
        "tool_choice": TOOL_NAME,
    },
    ReplyMode.JSON: {"schema": {}},
    ReplyMode.TEXT: {"schema": None},
}
"""The request arguments for each reply mode. With None, the endpoint chooses the mode.

`SCHEMA` has no entry: it is the strictest mode, and a switch only goes to a less strict one."""
_MODES: Final = (ReplyMode.SCHEMA, ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT)
"""The reply modes in the order in which they are tried, from the strictest."""
BROKEN_SCRIPTS: Final = 2
"""After this many scripts in a row with a syntax error, the model is asked for a fence instead of
JSON."""
SAME_FAULTS: Final = 3
"""After this many replies in a row with the same fault, the model is asked in the next reply
mode."""


@dataclass(slots=True)
class UnusableReplies(TrialLimit):
    """Limits the unusable replies in a row, and chooses the form of the next request.

    A reply is unusable if it has no action; `StepDone.fault` is the reason. The form changes if the
    same fault comes several times in a row, or if several scripts in a row have syntax errors.
    """

    limits: BudgetLimits = field(default_factory=BudgetLimits)
    switches: bool = True
    """True if the form may change; False if the user chose one."""
    mode: ReplyMode | None = None
    """The reply mode of the next request; None for the endpoint's own choice."""
    is_fenced: bool = False
    """True if the model is asked for scripts in fences, because JSON strings broke its scripts."""
    _reply_count: int = 0
    """All replies of the trial."""
    _fault_counts: Mapping[str, int] = field(default_factory=dict)
    """The faults since the last usable reply, such as `{"was empty": 2}`. Immutable, like a
    `Streak`."""
    _same_fault: Streak = field(default_factory=Streak)
    """Replies with the same fault since the last switch of the reply mode."""
    _is_prose: bool = False
    """True if the last reply was prose."""
    _broken_scripts: int = 0
    """Scripts in a row with a syntax error."""
    _warning: str = ""
    """The note for the model about a new form; empty if the form stays."""

    @property
    def form(self) -> RequestForm:
        """The form of the next request."""
        return _REQUEST_FORMS[self.mode]

    def count(self, step: TrialStep) -> None:
        """Count the reply of a step, and change the form of the next request if needed."""
        self._reply_count += 1
        self._warning = ""
        if step.summary.code:
            self._count_script(step)

        fault = step.summary.fault
        self._same_fault = self._same_fault.followed_by(fault)
        self._is_prose = fault in PROSE
        if not fault:
            self._fault_counts = {}
            return
        fault_text = FAULT_TEXTS.get(fault, "was unusable")
        times = self._fault_counts.get(fault_text, 0) + 1
        self._fault_counts = {**self._fault_counts, fault_text: times}
        if self.switches and self._same_fault.times >= SAME_FAULTS:
            self._switch_mode(step.solve_reply.reply_mode)

    def _count_script(self, step: TrialStep) -> None:
        """Ask for scripts in fences after several syntax errors in a row.

        In JSON strings, unescaped quotation marks and newlines cut scripts off. Fences need no
        escapes.
        """
        if step.summary.ending == Ending.SYNTAX:
            self._broken_scripts += 1
        else:
            self._broken_scripts = 0
        is_in_json = step.solve_reply.reply_mode not in ("", ReplyMode.TEXT)
        if self.switches and is_in_json and self._broken_scripts == BROKEN_SCRIPTS:
            self.mode = ReplyMode.TEXT
            self.is_fenced = True
            self._warning = f"<note>\nFrom here on reply with {FENCED_FORM}.\n</note>\n"

    def _switch_mode(self, reply_mode: str) -> None:
        """Switch to the reply mode after that of the last reply, if there is one."""
        if reply_mode not in _MODES or reply_mode == _MODES[-1]:
            return
        next_place = _MODES.index(ReplyMode(reply_mode)) + 1
        self.mode = _MODES[next_place]
        self._same_fault = Streak()

    def warning(self, message: str) -> str:
        """Return the new form of replies, if it has just changed to fences."""
        return self._warning

    @property
    def _unusable_count(self) -> int:
        """Unusable replies since the last usable one."""
        return sum(self._fault_counts.values())

    @property
    def last_fault(self) -> str:
        """The fault of the latest replies, in words; empty if the last one was usable.

        `each of the last 3 replies was unusable: 2 was empty, 1 was a refusal`
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

        fault_texts = list(self._fault_counts)
        if len(fault_texts) == 1:
            return f"{replies} {fault_texts[0]}"
        most_frequent_first = Counter(self._fault_counts).most_common()
        counts = [f"{times} {fault_text}" for fault_text, times in most_frequent_first]
        return f"{replies} was unusable: {', '.join(counts)}"

    @property
    def reason(self) -> str:
        max_replies = self.limits.unusable_replies
        if self._is_prose:
            max_replies = self.limits.prose_replies
        is_stuck = bool(self._fault_counts) and self._same_fault.times >= self.limits.same_faults
        if self._unusable_count < max_replies and not is_stuck:
            return ""
        return self.last_fault
