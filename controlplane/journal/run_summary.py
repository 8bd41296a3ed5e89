"""Totals of a run and of each of its trials, for displays, tables and the exit code.

`RunSummary.fold` adds one event of the journal at a time.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final, NamedTuple

from controlplane.agent.events import (
    AnswerSent,
    CallApproval,
    CallEvent,
    CallOutput,
    CallStopped,
    EndpointLearned,
    ModelAsked,
    ModelReplied,
    Noticed,
    StepDone,
    TrialStarted,
    VerdictRecord,
)
from controlplane.agent.model import Capabilities
from controlplane.errors import BudgetExhausted, Unreachable
from controlplane.gates.submission import RULE_FAILED
from controlplane.journal import run_events


@dataclass(slots=True)
class Spent:
    """What the model replies of a trial or a run cost in total."""

    replies: int = 0
    tokens: int = 0
    """Tokens of requests and replies."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    """Tokens of requests that the provider read from its cache."""
    known_usd: float = 0.0
    """Cost of the replies with a known price."""
    unpriced: int = 0
    """Replies of unknown price."""
    dearest_usd: float = 0.0
    """Cost of the most expensive reply."""
    most_tokens: int = 0
    """Tokens of the longest request with its reply."""
    is_estimated: bool = False
    """True if the tokens of at least one reply are an estimate."""

    @classmethod
    def on(cls, replied: ModelReplied) -> Spent:
        """Return what one reply cost."""
        usage = replied.usage
        cost_usd = replied.known_cost_usd
        return cls(
            replies=1,
            tokens=replied.tokens,
            prompt_tokens=usage.prompt_tokens,
            cached_tokens=usage.cached_tokens,
            known_usd=cost_usd or 0.0,
            unpriced=1 if cost_usd is None else 0,
            dearest_usd=cost_usd or 0.0,
            most_tokens=replied.tokens,
            is_estimated=usage.estimated,
        )

    def add(self, other: Spent) -> None:
        """Add the totals of `other` to these."""
        self.replies += other.replies
        self.tokens += other.tokens
        self.prompt_tokens += other.prompt_tokens
        self.cached_tokens += other.cached_tokens
        self.known_usd += other.known_usd
        self.unpriced += other.unpriced
        self.dearest_usd = max(self.dearest_usd, other.dearest_usd)
        self.most_tokens = max(self.most_tokens, other.most_tokens)
        self.is_estimated = self.is_estimated or other.is_estimated

    @property
    def cost_usd(self) -> float | None:
        """Cost of all replies; None if the price of one is unknown."""
        if self.unpriced:
            return None
        return self.known_usd

    @property
    def cached_share(self) -> float | None:
        """Cached tokens as a share of all request tokens; None if there were no
        requests."""
        if not self.prompt_tokens:
            return None
        return self.cached_tokens / self.prompt_tokens


def total(spent: Iterable[Spent]) -> Spent:
    """Return the sum of several totals."""
    whole = Spent()
    for part in spent:
        whole.add(part)
    return whole


# States of a trial. Those of a trial that is over are in `OVER_WORST_FIRST`.
WAITING: Final = "waiting"
"""It has not begun."""
RUNNING: Final = "running"
OPEN: Final = "open"
"""It has begun, and was left open or interrupted. A resumed run continues it."""
FAILED: Final = "failed"
"""It could not be started."""
TRIAL_BROKE: Final = "the trial broke: "
"""The beginning of a trial's `reason` if its solver raised an error, and so gave no
answer."""
BENCHMARK_BROKE: Final = "the benchmark broke: "
"""The same if code of the benchmark raised an error."""
OVER_WORST_FIRST: Final = (FAILED, "unanswered", "fallback", "answered")
"""The states of a trial that is over. `fallback`: the solver gave no answer, so the
product sent one."""


def family_of(task_id: str) -> str:
    """Return a task's family: its id without a final number, such as `plan` for
    `plan.3`."""
    name, point, number = task_id.rpartition(".")
    if point and number.isdecimal():
        return name
    return task_id


NOTHING: Final[Mapping[str, Any]] = {}
"""An empty mapping that all trials share to save memory. It is replaced, never
modified."""

MOST_SHOWN_CALLS: Final = 20
"""A display shows this many of a trial's latest calls."""
MOST_CALL_CHARS: Final = 80
"""The length to which `call_text` cuts the text for one call."""


class CallKey(NamedTuple):
    """Identifies a call that was stopped before it was made. The same call may be tried
    again."""

    stopped_by: str
    """What stopped it: `check` (the benchmark judges calls before they are made) or
    `provenance` (an argument comes from a text that is not trusted)."""
    operation: str
    path: str
    """The argument `path`; empty without one."""
    arguments: str
    """All arguments as JSON."""


def call_key(event: CallStopped) -> CallKey:
    """Return the key of a call that was stopped."""
    return _key_of_call(event.by, event.operation, event.arguments)


def approval_key(event: CallApproval) -> CallKey:
    """Return the key of a call about which the user was asked, since provenance stopped
    it."""
    return _key_of_call("provenance", event.operation, event.arguments)


def _key_of_call(
    stopped_by: str, operation: str, arguments: Mapping[str, Any]
) -> CallKey:
    path = str(arguments.get("path", ""))
    return CallKey(stopped_by, operation, path, json.dumps(arguments, sort_keys=True))


def call_text(event: CallEvent) -> str:
    """Return a short text for a call: `read` with the path `/a/b.md` -> `"read
    /a/b.md"`.

    It consists of the operation, the path (or the first text among the arguments), and
    the `args` of a program.
    """
    arguments = event.arguments
    subject = arguments.get("path")
    if not subject:
        texts = [value for value in arguments.values() if isinstance(value, str)]
        subject = texts[0] if texts else ""
    program_args = arguments.get("args")
    words = ""
    if isinstance(program_args, list):
        words = " ".join(str(arg) for arg in program_args)
    return f"{event.operation} {subject} {words}".strip()[:MOST_CALL_CHARS]


class Objections(NamedTuple):
    """The gates and rules that objected to one submission, by their keys."""

    rejected: tuple[str, ...]
    """The keys of those that rejected it; empty if it was accepted."""
    overridden: tuple[str, ...]
    """The keys of those whose objection the model overrode, by submitting again."""

    def concerns(self, key: str) -> bool:
        """Return True if the gate or rule with this key objected."""
        return key in self.rejected or key in self.overridden


@dataclass(slots=True)
class TrialSummary:
    """The totals and the current state of one trial."""

    trial_id: str
    task_id: str = ""
    number: int | None = None
    """The number of its world among those of its task, from 0; None if the journal does
    not say."""
    repeat: int = 0
    """Counts the tries in the same world, from 0."""
    instruction: str = ""
    """The task's text; empty until the trial starts."""
    state: str = WAITING
    """waiting, running, open (begun, and to be continued), or over: answered,
    unanswered, failed (to start), fallback (the product answered)."""
    reason: str = ""
    """Why its solver gave no answer, or why it is open; empty otherwise."""
    out_of_budget: bool = False
    """True if it ended because it, or its run, had used up a limit."""

    # Its work
    step: int = 0
    """The number of the current or last step, from 1."""
    steps_done: int = 0
    """The number of the last complete step."""
    doing: str = ""
    """Its current activity: reading, thinking, running, a call, a pause, answering."""
    output: str = ""
    """The end of the current call's output; empty if it is not known."""
    calls: int = 0
    """The number of calls so far."""
    last_calls: tuple[str, ...] = ()
    """The latest calls, each as `call_text` shows it: `read /a/b.md`."""
    started_ms: int = 0
    """The start of its latest attempt, in milliseconds since 1970."""
    earlier_ms: float = 0.0
    """Duration of the earlier attempts, which were left open."""
    elapsed_ms: float = 0.0
    """Duration of all attempts, the last one included; 0 until the trial has ended."""
    spent: Spent = field(default_factory=Spent)
    """Tokens and cost of its replies."""
    by_role: defaultdict[str, Spent] = field(default_factory=lambda: defaultdict(Spent))
    """Tokens and cost of the replies in each role."""

    # Its answer and score
    outcome: str = ""
    """The class of its answer, such as `OUTCOME_OK`; empty without an answer."""
    answer: str = ""
    """The text of the answer that was sent."""
    refs: tuple[str, ...] = ()
    """The paths that the answer cites."""
    failed: tuple[str, ...] = ()
    """The gates and rules that rejected the answer. Only a fallback answer can have
    been rejected: it may repeat the last submission."""
    score: float | None = None
    """The grader's score, 0 to 1; None if there is none, or it is sealed (not told
    yet)."""
    details: tuple[str, ...] = ()
    """The grader's lines about the score."""
    metrics: Mapping[str, float] = field(default_factory=lambda: NOTHING)
    """Further figures of its grader, by name."""
    submissions: list[Objections] = field(default_factory=list)
    """The objections to each judged submission, in order."""
    stopped: dict[CallKey, str] = field(default_factory=dict)
    """Each call that was stopped before it was made, with what happened to it next,
    such as `repeated and sent` or the user's answer."""
    broken: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """The errors of rules that raised an exception, with file and line, by the rule's
    key."""

    @property
    def rejections(self) -> Counter[str]:
        """The number of rejections by each gate or rule, by its key."""
        counts = Counter[str]()
        for submission in self.submissions:
            counts.update(submission.rejected)
        return counts

    @property
    def overridden(self) -> Counter[str]:
        """The number of answers sent despite an objection, by the key of the gate or
        rule."""
        counts = Counter[str]()
        for submission in self.submissions:
            is_accepted = not submission.rejected
            if is_accepted:
                counts.update(submission.overridden)
        return counts

    def count_call(self, event: CallEvent) -> None:
        """Count a call, unless it was counted when an earlier event announced it."""
        if event.was_announced:
            return
        self.step = event.step
        self.doing = call_text(event)
        self.calls += 1
        self.last_calls = (*self.last_calls, self.doing)[-MOST_SHOWN_CALLS:]

    @property
    def task(self) -> str:
        """The task, or the trial if its task is unknown."""
        return self.task_id or self.trial_id

    @property
    def world(self) -> tuple[str, int]:
        """Task and number. With the run's seed, they identify the trial's world."""
        return self.task, self.number or 0

    @property
    def family(self) -> str:
        """The family of its task."""
        return family_of(self.task)

    @property
    def why(self) -> str:
        """Its `reason` and the grader's `details`; empty if there are none."""
        return "; ".join(filter(None, (self.reason, *self.details)))

    @property
    def is_over(self) -> bool:
        """True if nothing is left to do for it."""
        return self.state in OVER_WORST_FIRST

    @property
    def is_broken(self) -> bool:
        """True if its solver gave no answer because code of the solver or the benchmark
        failed."""
        return self.state == "fallback" and self.reason.startswith(
            (TRIAL_BROKE, BENCHMARK_BROKE)
        )

    @property
    def own_score(self) -> float | None:
        """Its score if it is over, else None.

        A benchmark may also score a trial that was interrupted; that score tells
        nothing about the solver.
        """
        return self.score if self.is_over else None

    def stop(self, state: str, reason: str) -> None:
        """Set the state and its reason, and clear the current activity."""
        self.state = state
        self.reason = reason
        self.doing = ""
        self.output = ""


@dataclass(slots=True)
class RunSummary:
    """The totals and the current state of a run.

    `fold` updates the totals with each event of the journal.
    """

    opened: run_events.RunOpened | None = None
    """Its first event, which has the journal's id (`opened.run`) and the settings; None
    before that event. If another model resumes the run, this has that model's
    settings."""
    run_id: str = ""
    """Its id at the benchmark; empty until it begins there."""
    trials: dict[str, TrialSummary] = field(default_factory=dict)
    """Its trials by their ids, in the benchmark's order."""
    notices: list[str] = field(default_factory=list)
    """Notices for the user, one line each."""
    earlier_notices: int = 0
    """How many of these came before the latest resumption."""
    retries: int = 0
    """Requests repeated after a transient failure."""
    rejections: Counter[str] = field(default_factory=Counter)
    """Rejections by each gate or rule, over all trials."""
    overridden: Counter[str] = field(default_factory=Counter)
    """Answers sent despite an objection, by gate or rule, over all trials."""
    spent: Spent = field(default_factory=Spent)
    by_role: defaultdict[str, Spent] = field(default_factory=lambda: defaultdict(Spent))
    """Tokens and cost of the replies in each role, over all trials."""
    cached: int = 0
    """Replies that came from the cache."""
    learned: dict[tuple[str, str], Capabilities] = field(default_factory=dict)
    """What endpoints turned out to be capable of, by their address and model."""

    # At the benchmark
    submitted: bool = False
    """True once it was submitted to the benchmark."""
    state: str = ""
    """The benchmark's latest word on the submitted run: running, pending, evaluated."""
    run_score: float | None = None
    """The benchmark's own score of the run; None if it gave none."""

    # The last process that worked on the run
    closed: str = ""
    """How that process ended: finished, interrupted, failed. Empty while it works, or
    if it was killed. `ended` is more precise about `failed`."""
    error: str = ""
    """The error message with which that process ended; empty without an error."""
    exit_code: int = 0
    """The exit code of that process."""
    began_ms: int = 0
    """Start of the run, or of its latest resumption."""
    last_ms: int = 0
    """The time of the latest event."""

    def note_time(self, at_ms: int) -> None:
        """Note the time of an event that the totals do not need otherwise."""
        self.last_ms = max(self.last_ms, at_ms)

    def fold(self, event: run_events.JournalEvent) -> None:
        """Add the next event of the journal to the totals."""
        self.note_time(event.at_ms)
        trial_id: str | None = getattr(event, "trial_id", None)
        if trial_id is None:
            self._fold_run(event)
            return
        trial = self.trials.get(trial_id)
        if trial is None:
            trial = TrialSummary(trial_id)
            self.trials[trial_id] = trial
        if isinstance(event, CallEvent):  # Most events are calls.
            trial.count_call(event)
        else:
            self._fold_trial(trial, event)

    def _fold_run(self, event: run_events.JournalEvent) -> None:
        """Add an event about the run as a whole."""
        match event:
            case run_events.RunOpened():
                self.opened = event
            case run_events.RunStarted():
                self.run_id = event.run_id
                self.began_ms = event.at_ms
                for trial in event.trials:
                    self.trials[trial.trial_id] = TrialSummary(
                        trial.trial_id, trial.task_id, trial.number, trial.repeat
                    )
            case run_events.RunSubmitted() | run_events.RunPolled():
                self.submitted = True
                if self.state != "evaluated":  # An evaluation is final.
                    self.state = event.state
                    self.run_score = _score_of(event.score)
            case run_events.RunNotice():
                self.notices.append(event.text)
            case run_events.RunClosed():
                self.mark_stopped()
                self.closed = event.how
                self.error = event.error
                self.exit_code = event.exit_code
            case run_events.RunResumed():
                # If the process before was killed, no event says that it stopped.
                self.mark_stopped()
                if event.model and self.opened is not None:
                    self.opened = self.opened.with_model(
                        event.model, event.model_settings
                    )
                self.closed = ""
                self.error = ""
                self.began_ms = event.at_ms
                self.earlier_notices = len(self.notices)
            case _:
                pass  # The totals do not use this event.

    def mark_stopped(self) -> None:
        """Mark running trials as open, because the process that worked on them is
        gone."""
        for trial in self.running:
            trial.stop(OPEN, "cut off")

    def _fold_trial(self, trial: TrialSummary, event: run_events.JournalEvent) -> None:
        """Add an event of a trial other than a call."""
        match event:
            case TrialStarted():
                _fold_start(trial, event)
            case ModelAsked():
                trial.doing = "thinking"
            case EndpointLearned():
                # What one trial has learned about an endpoint serves all trials.
                learned = event.capabilities
                self.learned[learned.endpoint, learned.model] = learned
            case ModelReplied():
                trial.step = event.step
                trial.doing = "running"
                self._count_reply(trial, event)
            case CallStopped():
                trial.stopped[call_key(event)] = event.then
            case CallApproval():
                trial.stopped[approval_key(event)] = event.answer
            case CallOutput():
                trial.output = event.text
            case StepDone():
                trial.step = event.step
                trial.steps_done = event.step
                self._count_verdicts(trial, event)
            case AnswerSent():
                trial.outcome = event.outcome
                trial.answer = event.message
                trial.refs = event.refs
                trial.failed = event.failed
                trial.doing = "answering"
            case run_events.Scored():
                _fold_score(trial, event)
            case Noticed():
                self.notices.append(event.text)
                if event.retry:
                    self.retries += 1
                    trial.doing = event.text
            case (
                run_events.TrialEnded()
                | run_events.TrialFailed()
                | run_events.TrialLeftOpen()
            ):
                _fold_end(trial, event)
            case _:
                pass  # The totals do not use this event.

    def _count_reply(self, trial: TrialSummary, event: ModelReplied) -> None:
        """Add the tokens and cost of a reply to the totals of the trial and the run."""
        spent = Spent.on(event)
        trial.spent.add(spent)
        trial.by_role[event.role].add(spent)
        self.spent.add(spent)
        self.by_role[event.role].add(spent)
        if event.cached:
            self.cached += 1

    def _count_verdicts(self, trial: TrialSummary, event: StepDone) -> None:
        """Count the objections of gates and rules in a step.

        A rule that raised an exception becomes a notice, once per trial.
        """
        for judged in event.verdicts:
            rejected = tuple(verdict.key for verdict in judged.rejections)
            overridden = tuple(verdict.key for verdict in judged.overridden)
            trial.submissions.append(Objections(rejected, overridden))
            self.rejections.update(rejected)
            if judged.accepted:
                self.overridden.update(overridden)
            for verdict in judged.verdicts:
                if _has_raised(verdict):
                    self._note_broken_rule(trial, verdict)

    def _note_broken_rule(self, trial: TrialSummary, verdict: VerdictRecord) -> None:
        """Record the error of a rule that has raised an exception."""
        if verdict.key not in trial.broken:
            self.notices.append(f"{verdict.key}: {verdict.reason}")
        # The mapping may be `NOTHING`, which other trials share, so it is replaced.
        trial.broken = {**trial.broken, verdict.key: verdict.reason}

    @property
    def ended(self) -> str:
        """How the last process ended; empty until it has closed the run.

        One of `finished`, `interrupted`, `limit reached`, `failed` and `paused`. It is
        paused if the model or the benchmark cannot be reached, or the disk is full.
        """
        if self.closed != "failed":
            return self.closed
        if self.exit_code == BudgetExhausted.exit_code:
            return "limit reached"
        if (
            self.exit_code == Unreachable.exit_code
        ):  # `JournalUnwritable` has the same exit code.
            return "paused"
        return "failed"

    @property
    def running(self) -> list[TrialSummary]:
        """The running trials, in the order of their start."""
        running = [trial for trial in self._trials_now() if trial.state == RUNNING]
        return sorted(running, key=lambda trial: trial.started_ms)

    def _trials_now(self) -> list[TrialSummary]:
        """Return a copy of the list of trials, since another thread may add a trial
        meanwhile."""
        return list(self.trials.values())

    @property
    def wall_ms(self) -> int:
        """Milliseconds from its start, or its latest resumption, to its last event."""
        if not self.began_ms:
            return 0
        return max(self.last_ms - self.began_ms, 0)

    @property
    def cost_per_trial_usd(self) -> float | None:
        """Mean cost of the trials that are over; None if it is unknown."""
        cost_usd = self.spent.cost_usd
        if cost_usd is None or not self.over:
            return None
        return cost_usd / self.over

    @property
    def cost_per_right_usd(self) -> float | None:
        """Cost of the run divided by the number of trials with the full score.

        None if the cost is unknown, or no trial has the full score.
        """
        cost_usd = self.spent.cost_usd
        full_scores = [score for score in self.scores if score >= 1.0]
        if cost_usd is None or not full_scores:
            return None
        return cost_usd / len(full_scores)

    def count(self, *states: str) -> int:
        """Return the number of trials in these states."""
        return sum(1 for trial in self._trials_now() if trial.state in states)

    @property
    def over(self) -> int:
        """The number of trials that are over."""
        return self.count(*OVER_WORST_FIRST)

    def time_left_s(self, now_ms: int) -> float | None:
        """Return an estimate of the remaining seconds; None before a trial has ended or
        if none runs.

        Example: two trials ended after 50 and 70 s, two have run for 20 s each, and two
        wait.

        - A trial is expected to take (50 + 70 + 20 + 20) / 2 = 80 s.
        - Left are 60 s of each running trial, and 80 s of each that waits: 280 s.
        - Two trials run at a time, so these take 140 s.
        """
        ended_s = [
            trial.elapsed_ms / 1000 for trial in self._trials_now() if trial.elapsed_ms
        ]
        running_s = [max(now_ms - trial.started_ms, 0) / 1000 for trial in self.running]
        if not ended_s or not running_s:
            return None

        # The mean of the ended trials alone would be too low, since short trials end
        # first.
        expected_s = (sum(ended_s) + sum(running_s)) / len(ended_s)

        # A trial that has run longer than expected is assumed to need half as long
        # again.
        remaining_s = [max(expected_s - age_s, 0.5 * age_s) for age_s in running_s]
        work_s = sum(remaining_s) + expected_s * self.count(WAITING)
        trials_at_a_time = len(running_s)
        return max(work_s / trials_at_a_time, max(remaining_s))

    @property
    def left(self) -> int:
        """The number of trials that are not over."""
        return len(self.trials) - self.over

    @property
    def scores(self) -> list[float]:
        """The known scores of the trials that are over."""
        own_scores = [trial.own_score for trial in self._trials_now()]
        return [score for score in own_scores if score is not None]

    @property
    def mean_score(self) -> float | None:
        """The mean of the known scores; None if there are none."""
        return _mean(self.scores)

    @property
    def metrics(self) -> dict[str, float]:
        """The means of the graders' further figures, by name."""
        values_by_name = defaultdict[str, list[float | None]](list)
        for trial in self._trials_now():
            if trial.is_over:
                for name, value in trial.metrics.items():
                    values_by_name[name].append(value)
        means: dict[str, float] = {}
        for name, values in sorted(values_by_name.items()):
            mean = _mean(values)
            if mean is not None:
                means[name] = mean
        return means

    @property
    def score(self) -> float | None:
        """The benchmark's own score of the run or, without one, the mean of its
        trials."""
        if self.run_score is not None:
            return self.run_score
        return self.mean_score

    @property
    def call_ends(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """Counts of the calls that were stopped, and the mean score of their trials.

        The outer key is what stopped them, and the inner key what happened next, as in
        `{"check": {"repeated and sent": {"calls": 3, "mean_score": 0.67}},
        "provenance": {…}}`.
        """
        # 1. Collect the scores: {"check": {"repeated and sent": [1.0, 0.0, 1.0]}}
        scores: dict[str, dict[str, list[float | None]]] = {}
        for trial in self._trials_now():
            for call, what_next in trial.stopped.items():
                scores_by_what_next = scores.setdefault(call.stopped_by, {})
                scores_by_what_next.setdefault(what_next, []).append(trial.own_score)

        # 2. Compute the count and mean of each list.
        call_ends: dict[str, dict[str, dict[str, float | None]]] = {}
        for stopped_by, scores_by_what_next in scores.items():
            call_ends[stopped_by] = {}
            for what_next, own_scores in sorted(scores_by_what_next.items()):
                call_ends[stopped_by][what_next] = {
                    "calls": len(own_scores),
                    "mean_score": _mean(own_scores),
                }
        return call_ends

    @property
    def worst_first(self) -> list[TrialSummary]:
        """The trials, worst first, in the order of `_Group`.

        In a group, they are sorted by score. Among equal scores, failed and unanswered
        trials come first, then those with more rejections.
        """
        return sorted(self.trials.values(), key=_worst_first_key)


_STATES_WORST_FIRST: Final = (*OVER_WORST_FIRST, OPEN, RUNNING, WAITING)


def _worst_first_key(trial: TrialSummary) -> tuple[int, float, int, int, str]:
    """Return the sort key of a trial: the worst trial has the smallest key."""
    score = trial.score
    if score is None:
        score = (
            -1.0
        )  # below every score, so that trials without one come first in their group
    return (
        _group_of(trial),
        score,
        _STATES_WORST_FIRST.index(trial.state),
        -trial.rejections.total(),
        trial.task_id,
    )


class _Group(IntEnum):
    """The groups of trials in `worst_first`, in this order."""

    FAULT = 0
    """A score below 1, or no answer of the solver."""
    OPEN_OR_RUNNING = 1
    SEALED = 2
    """The solver has answered, and the benchmark has not told the score yet."""
    PERFECT = 3
    WAITING = 4


def _group_of(trial: TrialSummary) -> _Group:
    """Return the group of a trial in `worst_first`."""
    if trial.score is not None:
        return _Group.FAULT if trial.score < 1 else _Group.PERFECT
    if trial.state == WAITING:
        return _Group.WAITING
    if not trial.is_over:
        return _Group.OPEN_OR_RUNNING
    return _Group.SEALED if trial.state == "answered" else _Group.FAULT


def _has_raised(verdict: VerdictRecord) -> bool:
    """Return True if a rule raised an exception instead of judging. Its reason says
    so."""
    return verdict.result == "not_applicable" and verdict.reason.startswith(RULE_FAILED)


def _fold_start(trial: TrialSummary, event: TrialStarted) -> None:
    """Record the start of an attempt: the first one, one that resumes, or one from
    scratch."""
    trial.task_id = event.task_id
    trial.instruction = event.instruction
    trial.state = RUNNING
    trial.reason = ""
    trial.started_ms = event.at_ms
    trial.doing = "reading"
    trial.output = ""
    if event.begins_anew:
        trial.step = 0
        trial.steps_done = 0
        trial.outcome = ""
        trial.answer = ""
        trial.refs = ()


def _fold_score(trial: TrialSummary, event: run_events.Scored) -> None:
    """Record a trial's score. A later event without a score does not delete it."""
    if event.score is None and trial.score is not None:
        return
    trial.score = _score_of(event.score)
    trial.details = event.details
    trial.metrics = event.metrics


def _fold_end(
    trial: TrialSummary,
    event: run_events.TrialEnded | run_events.TrialFailed | run_events.TrialLeftOpen,
) -> None:
    """Record that work on a trial has ended, or stopped until the run is resumed."""
    match event:
        case run_events.TrialEnded():
            trial.elapsed_ms = trial.earlier_ms + event.elapsed_ms
            trial.out_of_budget = event.out_of_budget
            # An incomplete step has no reply of the model, and a replay does not show
            # it.
            trial.step = trial.steps_done
            trial.stop(event.how, event.reason)
        case run_events.TrialFailed():
            # A trial that the benchmark could not end stays open, so that a resumed run
            # ends it.
            state = FAILED if event.phase == "start" else OPEN
            trial.stop(state, f"could not {event.phase}: {event.error}")
        case run_events.TrialLeftOpen():
            if trial.state == RUNNING:
                trial.earlier_ms += max(0, event.at_ms - trial.started_ms)
            trial.stop(OPEN, event.reason)


def _score_of(recorded: float | None) -> float | None:
    """Return a score, rounded to 1.0 if it is within 1e-9 of it.

    A grader that adds up parts may miss the full score by a rounding error.
    """
    if recorded is not None and abs(recorded - 1.0) < 1e-9:
        return 1.0
    return recorded


def _mean(scores: Iterable[float | None]) -> float | None:
    """Return the mean of the scores that are known; None if there are none."""
    known_scores = [score for score in scores if score is not None]
    if not known_scores:
        return None
    return sum(known_scores) / len(known_scores)
