"""The turn loop that every solver drives: a conversation, what ends it, and the model, asked with retries.

A trial ends with its budget, its model's context, repetition, or unusable replies in a row. Transient failures are
retried within a step's time limit and a run's budget of retries. A pause that the endpoint names holds for every trial
of the run. Outage time is excluded from the trial's limit.
"""

from __future__ import annotations

import random
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Final, TypedDict, Unpack

from controlplane.agent.events import Conversation, ModelReplied, StepDone
from controlplane.agent.loop.initial_prompt import Prompts, default_prompts
from controlplane.agent.loop.script_feedback import is_failure, repeated_failure_note
from controlplane.agent.loop.trial_session import LeftOpen, TrialSession
from controlplane.agent.model import (
    DEADLINE,
    TOOL_NAME,
    Abandoned,
    BadReply,
    Message,
    Model,
    ModelError,
    OutOfTime,
    Reply,
    ReplyMode,
    RetriesExhausted,
    Tool,
    Usage,
)
from controlplane.agent.reply import FAULT_TEXTS, PROSE, SCHEMA
from controlplane.agent.retry import (
    FailedAttempt,
    RetryBudget,
    RetryPolicy,
    RunBudget,
    call_with_retry,
    named_pause_s,
)
from controlplane.agent.spending import Spending
from controlplane.agent.trial_record import TrialStep
from controlplane.sandbox import ALL_LAYERS, Ending, Layer, Limits, StepResult
from controlplane.sandbox.interface import bounds


@dataclass(frozen=True, slots=True)
class BudgetLimits:
    """The limits of one trial. Defaults are the design's."""

    max_steps: int = 35
    """Steps before the nudge."""
    extra_steps: int = 5
    """Steps after the nudge."""
    warn_before: int = 5
    """Steps before the end at which the warning comes."""
    script_refunds: int = 3
    """Scripts with a syntax error or a refusal of the language layer that cost no step."""
    reply_refunds: int = 2
    """Unusable replies that cost no step."""
    unusable_replies: int = 10
    """Unusable replies in a row, after which the trial ends."""
    prose_replies: int = 10
    """Unusable replies in a row, after which the trial ends if the last one is prose."""
    same_refusals: int = 5
    """Times in a row that the same script may be refused, or the same submission sent back; then the trial ends."""
    same_scripts: int = 5
    """Times in a row that the same script may run with the same output; then the trial ends. 0: without a limit."""
    trial_time_s: float = 900.0
    """Wall-clock seconds of the whole trial."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The part of its limits that one trial has spent, at the end of a step."""

    limits: BudgetLimits
    spent: int = 0
    script_refunds: int = 0
    reply_refunds: int = 0

    @property
    def left(self) -> int:
        """Steps left, those after the nudge included."""
        return self.limits.max_steps + self.limits.extra_steps - self.spent

    @property
    def exhausted(self) -> str:
        """The reason why no step is left, or an empty string."""
        if self.left > 0:
            return ""
        reason = f"no answer within {count_of(self.limits.max_steps, 'step')}"
        if self.limits.extra_steps:
            reason += f", and {self.limits.extra_steps} more after the nudge"
        return reason

    def after_script(self, *, is_refused: bool) -> Budget:
        """Return the budget after one more step with a script; one that was refused before it ran is refunded, if a
        refund is left."""
        if is_refused and self.script_refunds < self.limits.script_refunds:
            return replace(self, script_refunds=self.script_refunds + 1)
        return replace(self, spent=self.spent + 1)

    def after_reply(self, *, is_unusable: bool) -> Budget:
        """Return the budget after one more step without a script; an unusable reply is refunded, if a refund is
        left."""
        if is_unusable and self.reply_refunds < self.limits.reply_refunds:
            return replace(self, reply_refunds=self.reply_refunds + 1)
        return replace(self, spent=self.spent + 1)

    def after(self, done: StepDone) -> Budget:
        """Return the budget after a step that is whole."""
        if done.code:
            return self.after_script(is_refused=done.refunded)
        return self.after_reply(is_unusable=done.refunded)

    def notice(self) -> str:
        """Return the name of the prompt to add to the next message: `warning`, `nudge`, or an empty string."""
        nudged_at = self.limits.max_steps
        if not self.limits.extra_steps:
            nudged_at -= 1  # There is no step after the last one to be nudged in.
        if self.spent == nudged_at and self.spent > 0:
            return "nudge"
        if self.spent == self.limits.max_steps - self.limits.warn_before and self.spent > 0:
            return "warning"
        return ""


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is 1."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(slots=True)
class ContextMeter:
    """The size of one trial's conversation compared with its model's context."""

    limit: int | None = None
    """Tokens of the context; None if they are unknown."""
    _: KW_ONLY
    prompts: Prompts = field(default_factory=default_prompts)
    """The texts sent to the model."""
    _chars: int = 0
    _tokens: int = 0
    """Tokens of the last request and its reply, as the endpoint counted them."""
    _counted_chars: int = 0
    """Characters of the conversation at that time."""
    _chars_per_token: float = 3.0
    """An estimate until the endpoint has counted a request; documents have more."""

    def add(self, text: str) -> None:
        """Count a message of the conversation."""
        self._chars += len(text)

    def after_request(self, usage: Usage, reply: str) -> ContextMeter:
        """Return the meter with the endpoint's count of the conversation so far, to which `reply` is added next."""
        if not usage.prompt_tokens:
            return replace(self)
        return replace(
            self,
            _chars_per_token=max(self._chars / usage.prompt_tokens, 1.0),
            _tokens=usage.prompt_tokens + usage.completion_tokens,
            _counted_chars=self._chars + len(reply),
        )

    def tokens(self, further: str = "") -> int:
        """Return the tokens of the conversation with a `further` message; partly estimated."""
        return self._tokens + round(
            (self._chars + len(further) - self._counted_chars) / self._chars_per_token
        )

    @property
    def exhausted(self) -> str:
        """The reason why the model cannot be asked again, or an empty string: a reply takes 5 % of the context."""
        if self.limit is None or self.tokens() <= self.limit * 0.95:
            return ""
        msg = (
            f"no answer within the model's context of {self.limit:,} tokens (--max-context-tokens)"
        )
        if not self._tokens:
            msg += f": the first request has about {self.tokens():,}; lower --initial-prompt-chars"
        return msg

    def notice(self, message: str) -> tuple[str, ...]:
        """Return the texts to add to the next `message` if a quarter of the context is left, or less."""
        if self.limit is None or self.tokens(message) < self.limit * 0.75:
            return ()
        left = max(self.limit - self.tokens(message), 0)
        return (self.prompts.filled("context", tokens=f"{left // 100 * 100:,}"),)


@dataclass(slots=True)
class _Row:
    """How often the same thing came in a row. Nothing interrupts the row."""

    times: int = 0
    _last: object = None

    def times_with(self, thing: object) -> int:
        """Return how often a thing has come in a row if it comes once more."""
        if not thing:
            return 0
        return self.times + 1 if thing == self._last else 1

    def count(self, thing: object) -> int:
        """Count a thing; return how often it came."""
        self.times = self.times_with(thing)
        self._last = thing
        return self.times


REPEATED_RUNS: Final = 3
"""Runs of the same script with the same output after which the model is told so, two before the trial ends."""


@dataclass(slots=True)
class Repetition:
    """Counts, at most once a step, how often in a row the same script was refused or ran without new output, and the
    same submission was sent back."""

    most: int
    most_runs: int = 0
    """Max runs of the same script with the same output; 0: without a limit."""
    _refusals: _Row = field(default_factory=_Row)
    _runs: _Row = field(default_factory=_Row)
    _submissions: _Row = field(default_factory=_Row)
    _sent_back_by: str = ""

    def count_step(self, done: StepDone) -> None:
        """Take a step into account. A step without a submission does not interrupt a row of submissions."""
        was_refused = done.ending in (Ending.SYNTAX, Ending.REFUSED)
        self._refusals.count(done.code if was_refused else "")
        if done.code and not done.verdicts:
            self._runs.count((done.code, done.output + done.error))
        if not done.verdicts:
            return
        last = done.verdicts[-1]
        submission: tuple[object, ...] = ()
        if not last.accepted:
            submission = (last.answer, last.outcome, last.refs, last.message)
        self._submissions.count(submission)
        names: list[str] = []
        for verdict in last.rejections:
            name = verdict.name
            if verdict.gate:
                name = f"gate {verdict.gate} ({verdict.name})"
            names.append(name)
        self._sent_back_by = ", ".join(names)

    def warning(self, code: str, result: StepResult) -> tuple[str, ...]:
        """Return what to tell the model if it goes round in circles by running a script again.

        A script that failed is told of at its first repetition, since nothing else will come of it;
        one that ran may wait for a change.
        """
        times = self._runs.times_with((code, result.output + result.error))
        if is_failure(result) and times > 1:
            return (repeated_failure_note(result),)
        if times != REPEATED_RUNS:
            return ()
        return (
            f"<note>\nThis script ran {REPEATED_RUNS} times in a row with the same output: "
            "do something else.\n</note>\n",
        )

    @property
    def last_word(self) -> str:
        """The gates that sent the latest submission back, in words."""
        if not self._sent_back_by:
            return "nothing was submitted"
        return f"the last submission was sent back by {self._sent_back_by}"

    @property
    def reason(self) -> str:
        """The reason why the trial is given up, or an empty string."""
        refusals, runs, submissions = (
            self._refusals.times,
            self._runs.times,
            self._submissions.times,
        )
        if refusals >= self.most:
            return f"the model wrote the same script {refusals} times in a row, each time refused before it ran"
        if 0 < self.most_runs <= runs:
            return f"the model ran the same script {runs} times in a row, each time with the same output"
        if submissions >= self.most:
            row = f"{submissions} times in a row"
            return f"the model submitted the same answer {row}, each time sent back by {self._sent_back_by}"
        return ""


class Form(TypedDict, total=False):
    """The arguments of `Model.complete` that ask for an action in some form."""

    schema: Mapping[str, object] | None
    tools: tuple[Tool, ...]
    tool_choice: str


_FORMS: Final[Mapping[ReplyMode | None, Form]] = {
    None: {"schema": SCHEMA},
    ReplyMode.TOOL: {
        "schema": SCHEMA,
        "tools": (Tool(name=TOOL_NAME, description="Run one Python script.", parameters=SCHEMA),),
        "tool_choice": TOOL_NAME,
    },
    ReplyMode.JSON: {"schema": {}},
    ReplyMode.TEXT: {"schema": None},
}


@dataclass(slots=True)
class UnusableStreak:
    """The unusable replies since the last usable one."""

    switches: bool = True
    """True if the reply mode may change; False if the user chose one."""
    limits: BudgetLimits = field(default_factory=BudgetLimits)
    mode: ReplyMode | None = None
    """The mode to ask in; None for the endpoint's own choice."""
    _replies: int = 0
    _faults: Counter[str] = field(default_factory=Counter)
    """The faults in the streak, counted by their descriptions."""
    _same: _Row = field(default_factory=_Row)
    _is_prose: bool = False

    @property
    def form(self) -> Form:
        """The form of the next request."""
        return _FORMS[self.mode]

    @property
    def reason(self) -> str:
        """The reason why the trial is given up after too many unusable replies, or an empty string."""
        most = self.limits.prose_replies if self._is_prose else self.limits.unusable_replies
        return self.cause if self._faults.total() >= most else ""

    @property
    def cause(self) -> str:
        """The fault of the latest replies, or an empty string if the last one was usable."""
        row = self._faults.total()
        if not row:
            return ""
        last = "the last reply" if row == 1 else f"each of the last {row} replies"
        which = "every reply" if row == self._replies else last
        if len(self._faults) == 1:
            return f"{which} {next(iter(self._faults))}"
        causes = ", ".join(f"{times} {text}" for text, times in self._faults.most_common())
        return f"{which} was unusable: {causes}"

    def count_reply(self, fault: str, asked_in: str) -> str:
        """Count a reply: its fault, empty for a usable one, and the mode that it was asked in, empty if it has none.

        Return the mode to use from here on if it changes after three replies with the same fault, else an empty string.
        """
        self._replies += 1
        same = self._same.count(fault)
        self._is_prose = fault in PROSE
        if not fault:
            self._faults.clear()
            return ""
        self._faults[FAULT_TEXTS.get(fault, "was unusable")] += 1
        ladder = [ReplyMode.SCHEMA, ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT]
        if not self.switches or same < 3 or asked_in not in ladder[:-1]:
            return ""
        self.mode, self._same = ladder[ladder.index(ReplyMode(asked_in)) + 1], _Row()
        return str(self.mode)


BAD_REPLIES: Final = 5
"""Malformed replies after which a step gives up."""


@dataclass(frozen=True, slots=True)
class ModelRetry:
    """Limits on a step's wait for a model that fails transiently."""

    wait_s: float = 300.0
    """Seconds from the first request to giving up."""
    longest_pause_s: float = 30.0
    """Seconds of the longest pause between two attempts, if the endpoint names none."""
    stop: threading.Event = field(default_factory=threading.Event)
    """Set when the reply is no longer wanted."""
    budget: RetryBudget = field(default_factory=lambda: RetryBudget(1000))
    """The run's retries."""
    spending: Spending = field(default_factory=Spending)
    """The run's other limits: once one is reached, nothing is asked again."""

    def ask(self, ask: Callable[[], Reply], on_retry: Callable[[str], None]) -> Reply:
        """Return what `ask` returns. Raises the last `ModelError` if it is not retryable or the limits are reached, and
        `LeftOpen` if a limit of the run is."""
        attempts = 1
        bad_replies = 0

        def pause(failed: FailedAttempt) -> bool:
            nonlocal attempts, bad_replies
            bad_replies += isinstance(failed.error, BadReply)
            if bad_replies >= BAD_REPLIES:
                return True
            if not self.budget.use_retry():
                msg = f"{failed.error}; the run has used up its {self.budget.bound} retries (--model-retries)"
                raise RetriesExhausted(msg, retryable=True, affects_all=True) from None
            attempts += 1
            on_retry(f"{failed.error}; asking again in {failed.pause_s:.1f} s (try {attempts})")
            return self._wait(failed.pause_s)

        try:
            reply = call_with_retry(
                lambda: self._ask_when_allowed(ask),
                RetryPolicy(self.wait_s, 1.0, self.longest_pause_s),
                is_transient=lambda error: (
                    isinstance(error, ModelError) and error.retryable and not self.stop.is_set()
                ),
                pause=pause,
                asked_pause_s=self._named_pause_s,
            )
        except (Abandoned, RetriesExhausted):
            raise
        except ModelError as error:
            if not error.retryable:
                raise
            if self.stop.is_set():
                raise Abandoned(str(error)) from None
            if bad_replies >= BAD_REPLIES:
                msg = f"{error}; given up after {bad_replies} such replies"
                raise ModelError(msg, affects_all=error.affects_all) from None
            msg = f"{error}; given up at try {attempts}: a step waits {self.wait_s:g} s (--model-patience)"
            raise ModelError(msg, retryable=True, affects_all=error.affects_all) from None
        self.budget.give_back()
        return reply

    def _named_pause_s(self, error: Exception) -> float | None:
        named_s = named_pause_s(error)
        if named_s is None:
            return None
        self.budget.pause(named_s)
        return named_s + random.uniform(0, 0.5)  # trials that wait for the same moment are spread

    def _wait(self, seconds: float) -> bool:
        """Wait, at most until the run's time is over; return True if stopped. Raises `LeftOpen`."""
        if self.stop.wait(min(seconds, self.spending.seconds_left)):
            return True
        if self.spending.used_up:
            raise LeftOpen(self.spending.used_up)
        return False

    def _ask_when_allowed(self, ask: Callable[[], Reply]) -> Reply:
        while (paused_s := self.budget.paused_s()) > 0:
            if self._wait(paused_s):
                msg = "stopped while the model endpoint had asked to wait"
                raise Abandoned(msg)
        return ask()


@dataclass(frozen=True, slots=True)
class PatientModel:
    """One model, as one trial uses it."""

    model: Model
    session: TrialSession
    retry: ModelRetry
    limit_s: float
    """Seconds that the trial may use."""

    def solve(self, conversation: Sequence[Message], **form: Unpack[Form]) -> ModelReplied:
        """Return the reply to the trial's conversation, which the journal holds already. Raises `ModelError`."""
        return self.session.ask(
            lambda: self.complete(conversation, "solve", **form), conversation, is_conversation=True
        )

    def complete(self, messages: Sequence[Message], role: str, **form: Unpack[Form]) -> Reply:
        """Return a reply that is not recorded yet. Raises `ModelError`."""

        clock = self.session.clock
        remaining_s = self.limit_s - clock.used_s
        request_times: list[float] = []

        def ask() -> Reply:
            request_times.append(time.perf_counter())
            DEADLINE.set(time.monotonic() + remaining_s)  # without the time of the attempts before
            return self.model.complete(messages, role, **form)

        started = time.perf_counter()
        reply = self.retry.ask(ask, lambda text: self.session.notice(text, retry=True))
        clock.exclude(
            request_times[-1] - started
        )  # An outage of the model is not the trial's time.
        return reply


@dataclass(frozen=True, slots=True)
class LoopSettings:
    """Settings that every trial of a run shares."""

    budget: BudgetLimits = field(default_factory=BudgetLimits)
    initial_prompt_chars: int = 120_000
    """Max characters of documents and listings in the initial prompt."""
    limits: Limits = field(default_factory=Limits)
    isolation: frozenset[Layer] = ALL_LAYERS
    context_tokens: int | None = None
    """Tokens of the model's context; None if they are unknown."""
    patience_s: float = 300.0
    """Seconds that a step waits for a model that fails transiently."""
    switches_reply_mode: bool = True
    """After the same fault three times in a row, the model is asked in another reply mode."""
    prompts: Prompts = field(default_factory=default_prompts)
    """The texts sent to the model."""


LAST_SECONDS: Final = 60.0
"""Seconds before the end of a trial from which on the model is told how many are left."""


class TurnLoop(ABC):
    """One trial's turns. A solver defines how it takes a turn; this class keeps the conversation and the limits."""

    def __init__(
        self,
        model: Model,
        session: TrialSession,
        settings: LoopSettings,
        run_budget: RunBudget,
        *,
        switches_reply_mode: bool = False,
    ) -> None:
        self.session = session
        self.settings = settings
        self.prompts = settings.prompts
        self.budget = Budget(settings.budget)
        retry = ModelRetry(
            settings.patience_s,
            stop=session.stop,
            budget=run_budget.retries,
            spending=run_budget.spending,
        )
        self.model = PatientModel(model, session, retry, self.time_limit_s)
        self.streak = UnusableStreak(switches_reply_mode, settings.budget)
        self.repetition = Repetition(settings.budget.same_refusals, settings.budget.same_scripts)
        self.context = ContextMeter(settings.context_tokens, prompts=settings.prompts)
        self.conversation: Conversation = []

    @abstractmethod
    def take_turn(self) -> None:
        """Take one turn: ask the model, carry out its reply, record the step, and take it into account."""

    @abstractmethod
    def add_to_conversation(self, step: TrialStep) -> None:
        """Add what was said in a step that is whole to the conversation."""

    def take_step(self, step: TrialStep) -> None:
        """Take a step that is whole into account: one that was just lived, or a recorded one."""
        done = step.done
        assert done is not None
        replied = step.solve_reply
        self.context = self.context.after_request(replied.usage, replied.reply)
        self.budget = self.budget.after(done)
        self.streak.count_reply(done.fault, replied.reply_mode)
        self.repetition.count_step(done)
        self.add_to_conversation(step)

    @property
    def time_limit_s(self) -> float:
        """Seconds that the trial may use: those of its task, or of the run."""
        return self.session.trial.time_limit_s or self.settings.budget.trial_time_s

    @property
    def seconds_left(self) -> float:
        """Seconds that the trial may still use."""
        return self.time_limit_s - self.session.clock.used_s

    def run(self) -> str:
        """Take turns until the trial is answered, or return why no further turn is taken.

        Raises `ModelError` if no model answers, and `LeftOpen` if the trial was told to stop.
        """
        session = self.session
        while not (session.is_over or self.out_of):
            session.leave_if_stopped()
            try:
                self.take_turn()
            except OutOfTime as error:
                return f"no answer within {self.time_limit_s:g} s: {error}"
        return "" if session.is_over else self.out_of

    @property
    def out_of(self) -> str:
        """The reason why the trial takes no further turn, or an empty string."""
        exhausted = self.session.exit.spent or self.budget.exhausted
        if not exhausted and self.seconds_left <= 0:
            exhausted = f"no answer within {self.time_limit_s:g} s"
        if exhausted:
            exhausted += f": {self.streak.cause or self.repetition.last_word}"
        return self.repetition.reason or self.streak.reason or exhausted or self.context.exhausted

    def say(self, message: Message) -> None:
        """Add a message to the conversation."""
        self.conversation.append(message)
        self.context.add(message["content"])
        for call in message.get("tool_calls", ()):
            self.context.add(call.arguments)

    def budget_notices(self, budget: Budget) -> tuple[str, ...]:
        """Return notices for the model on the `budget` after a turn, usually none; on time in the last minute."""
        notices = []
        name = budget.notice()
        if name:
            notices.append(self.prompts.filled(name, left=budget.left))
        seconds = self.seconds_left
        if seconds < LAST_SECONDS:
            notices.append(self.prompts.filled("time", seconds=max(0, round(seconds / 10) * 10)))
        return tuple(notices)


def notes_block(notes: Sequence[str]) -> tuple[str, ...]:
    """Return the block of notes on calls and changes: each note once, and the number of notes left out."""
    unique = list(dict.fromkeys(notes))
    if rest := len(unique[bounds.SHOWN_ROWS :]):
        unique[bounds.SHOWN_ROWS :] = [f"… and {rest} more notes."]
    return ("<notes>\n" + "\n".join(unique) + "\n</notes>\n",) if unique else ()
