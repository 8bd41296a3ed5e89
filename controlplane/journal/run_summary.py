"""Totals of a run and of each trial, folded from their events one by one, for displays, tables and the exit code."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, TypeAlias

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
)
from controlplane.agent.model import Capabilities
from controlplane.gates.submission import RULE_FAILED
from controlplane.journal import run_events


@dataclass(slots=True)
class Spent:
    """Sums over the replies of a trial or a run."""

    replies: int = 0
    tokens: int = 0
    """Tokens of requests and replies."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    """Tokens of requests that the provider's cache held."""
    known_usd: float = 0.0
    """Cost of the replies with a known price."""
    unpriced: int = 0
    """Replies of unknown price."""
    dearest_usd: float = 0.0
    """Cost of the most expensive reply."""
    most_tokens: int = 0
    """Tokens of the longest request with its reply."""
    is_estimated: bool = False
    """The tokens of a reply are estimated."""

    @classmethod
    def on(cls, replied: ModelReplied) -> Spent:
        """Return what one reply cost."""
        usage, tokens, usd = replied.usage, replied.tokens, replied.known_cost_usd
        sums = 1, tokens, usage.prompt_tokens, usage.cached_tokens, usd or 0.0, int(usd is None)
        return cls(*sums, usd or 0.0, tokens, usage.estimated)

    def add(self, other: Spent) -> None:
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
        return None if self.unpriced else self.known_usd

    @property
    def cached_share(self) -> float | None:
        """The share of the requests' tokens that the provider's cache held; None without requests."""
        return self.cached_tokens / self.prompt_tokens if self.prompt_tokens else None


def total(spent: Iterable[Spent]) -> Spent:
    whole = Spent()
    for part in spent:
        whole.add(part)
    return whole


WAITING: Final = "waiting"
RUNNING: Final = "running"
OPEN: Final = "open"
FAILED: Final = "failed"
TRIAL_BROKE: Final = "the trial broke: "
BENCHMARK_BROKE: Final = "the benchmark broke: "
"""The words before an error of somebody's solver or benchmark, in the reason why a trial has no answer."""
OVER_WORST_FIRST: Final = (FAILED, "unanswered", "fallback", "answered")
"""The states of a trial that is over."""


def family_of(task_id: str) -> str:
    """Return a task's family: its id without a number behind the last point; the whole id if it has none."""
    name, point, number = task_id.rpartition(".")
    return name if point and number.isdecimal() else task_id


NOTHING: Final[Mapping[str, Any]] = {}
"""One for all trials that have none of a kind, since a run may have a hundred thousand."""


class Objections(NamedTuple):
    """Keys of the gates and rules that objected to one submission; nothing rejected an accepted one."""

    rejected: tuple[str, ...]
    overridden: tuple[str, ...]


@dataclass(slots=True)
class TrialSummary:
    """One trial so far."""

    trial_id: str
    task_id: str = ""
    number: int | None = None
    """The number of its world among those of its task, from 0; None if the journal does not say."""
    repeat: int = 0
    """Counts the tries in the same world, from 0."""
    instruction: str = ""
    """The task's text; empty until the trial starts."""
    state: str = WAITING
    """waiting, running, answered, fallback, unanswered, open (left open, or not ended), failed (to start)."""
    step: int = 0
    steps_done: int = 0
    doing: str = ""
    """Its current activity: reading, thinking, running, a call, a pause, answering."""
    output: str = ""
    """The end of what the call that is under way has printed; empty if that is not known."""
    calls: int = 0
    """The number of calls so far."""
    last_calls: tuple[str, ...] = ()
    """The latest calls, in a few words each."""
    outcome: str = ""
    answer: str = ""
    refs: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    """Gates and rules that rejected the submission which the fallback repeats."""
    score: float | None = None
    """From 0 to 1; None while it is sealed or missing, never 0 then."""
    details: tuple[str, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=lambda: NOTHING)
    """Further figures of its grader, by name."""
    reason: str = ""
    out_of_budget: bool = False
    """It ended because it, or its run, had used up a limit."""
    started_ms: int = 0
    earlier_ms: float = 0.0
    """Duration of the attempts that were left open."""
    elapsed_ms: float = 0.0
    spent: Spent = field(default_factory=Spent)
    by_role: defaultdict[str, Spent] = field(default_factory=lambda: defaultdict(Spent))
    """Tokens and cost of the replies in each role."""
    submissions: list[Objections] = field(default_factory=list)
    """The objections to each judged submission, in order."""
    stopped: dict[tuple[str, str, str, str], str] = field(default_factory=dict)
    """What became of the calls that were stopped, by what did it (`check` or `provenance`), operation, path and all
    arguments."""
    broken: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """By key, the errors of rules that raised an exception, with file and line."""

    @property
    def rejections(self) -> Counter[str]:
        """Rejections by gate or rule, under its key."""
        return Counter(key for submission in self.submissions for key in submission.rejected)

    @property
    def overridden(self) -> Counter[str]:
        """Answers sent in spite of an objection, by the rule's key."""
        return Counter(
            key for one in self.submissions if not one.rejected for key in one.overridden
        )

    def count_call(self, event: CallEvent) -> None:
        """Count a call, unless an earlier event counted it."""
        if event.was_announced:
            return
        texts = (value for value in event.arguments.values() if isinstance(value, str))
        subject, args = event.arguments.get("path") or next(texts, ""), event.arguments.get("args")
        words = " ".join(str(arg) for arg in args) if isinstance(args, list) else ""
        self.step, self.doing = event.step, f"{event.operation} {subject} {words}".strip()[:80]
        self.calls += 1
        self.last_calls = (*self.last_calls[-19:], self.doing)

    @property
    def task(self) -> str:
        """The task, or the trial if its task is unknown."""
        return self.task_id or self.trial_id

    @property
    def world(self) -> tuple[str, int]:
        """Task and number, which identify its world under a seed."""
        return self.task, self.number or 0

    @property
    def family(self) -> str:
        """The family of its task."""
        return family_of(self.task)

    @property
    def why(self) -> str:
        """Why it has no answer of its own, and the grader's lines; empty if there is nothing to say."""
        return "; ".join(filter(None, (self.reason, *self.details)))

    @property
    def is_over(self) -> bool:
        """Nothing is left to do for it."""
        return self.state in OVER_WORST_FIRST

    @property
    def is_broken(self) -> bool:
        """An error of the solver's or the benchmark's code left it without an answer of its own."""
        return self.state == "fallback" and self.reason.startswith((TRIAL_BROKE, BENCHMARK_BROKE))

    @property
    def own_score(self) -> float | None:
        """Its score; None also for a trial that was cut off and that its platform ended, which shows no result."""
        return self.score if self.is_over else None

    def stop(self, state: str, reason: str) -> None:
        """Set the state of a trial on which nobody works, for now or for good."""
        self.state, self.reason, self.doing = state, reason, ""
        self.output = ""


@dataclass(slots=True)
class RunSummary:
    """A run so far. Totals are kept as they grow, so that reading them costs the same for any number of trials."""

    opened: run_events.RunOpened | None = None
    run_id: str = ""
    trials: dict[str, TrialSummary] = field(default_factory=dict)
    notices: list[str] = field(default_factory=list)
    earlier_notices: int = 0
    """Number of notices before the latest resumption."""
    retries: int = 0
    """Requests repeated after a transient failure."""
    rejections: Counter[str] = field(default_factory=Counter)
    """Rejections by gate or rule, over all trials."""
    overridden: Counter[str] = field(default_factory=Counter)
    """Answers sent in spite of an objection, by rule, over all trials."""
    spent: Spent = field(default_factory=Spent)
    by_role: defaultdict[str, Spent] = field(default_factory=lambda: defaultdict(Spent))
    """Tokens and cost of the replies in each role, over all trials."""
    cached: int = 0
    """Replies that came from the cache."""
    learned: dict[tuple[str, str], Capabilities] = field(default_factory=dict)
    """Capabilities learned of endpoints, by address and model."""
    submitted: bool = False
    state: str = ""
    """The benchmark's latest state of the run: running, pending, evaluated."""
    run_score: float | None = None
    closed: str = ""
    """How the last process closed the run: finished, interrupted, failed; empty until then."""
    error: str = ""
    """The error that ended that process's work, in its words."""
    exit_code: int = 0
    """The exit code of that process."""
    began_ms: int = 0
    """Start of the run, or of its latest resumption."""
    last_ms: int = 0

    def fold(self, event: run_events.JournalEvent) -> None:
        self.last_ms = max(self.last_ms, event.at_ms)
        if isinstance(event, CallEvent) and event.trial_id in self.trials:  # most events
            self.trials[event.trial_id].count_call(event)
            return
        match event:
            case run_events.RunOpened():
                self.opened = event
            case run_events.RunStarted():
                self.run_id, self.began_ms = event.run_id, event.at_ms
                for trial in event.trials:
                    self.trials[trial.trial_id] = TrialSummary(
                        trial.trial_id, trial.task_id, trial.number, trial.repeat
                    )
            case run_events.RunSubmitted() | run_events.RunPolled():
                self.submitted = True
                if self.state != "evaluated":  # later events never withdraw an evaluation
                    self.state, self.run_score = event.state, _score_of(event.score)
            case run_events.RunNotice():
                self.notices.append(event.text)
            case run_events.RunClosed():
                self.mark_stopped()
                self.closed, self.error, self.exit_code = event.how, event.error, event.exit_code
            case run_events.RunResumed():
                self.mark_stopped()
                if event.model and self.opened is not None:
                    self.opened = self.opened.with_model(event.model, event.model_settings)
                self.closed, self.error, self.began_ms = "", "", event.at_ms
                self.earlier_notices = len(self.notices)
            case _:
                trial_id = getattr(event, "trial_id", None)
                if trial_id is not None:
                    if trial_id not in self.trials:
                        self.trials[trial_id] = TrialSummary(trial_id)
                    self._fold_trial(self.trials[trial_id], event)

    def mark_stopped(self) -> None:
        """Note that the process that worked on the run is gone."""
        for trial in self.running:
            trial.stop(OPEN, "cut off")

    def _fold_trial(self, trial: TrialSummary, event: run_events.JournalEvent) -> None:
        match event:
            case TrialStarted():
                trial.task_id, trial.state, trial.reason = event.task_id, RUNNING, ""
                trial.started_ms, trial.instruction = event.at_ms, event.instruction
                trial.doing = "reading"
                trial.output = ""
                if event.begins_anew:
                    trial.step = trial.steps_done = 0
                    trial.outcome = trial.answer = ""
                    trial.refs = ()
            case ModelAsked():
                trial.doing = "thinking"
            case EndpointLearned():
                self.learned[event.capabilities.endpoint, event.capabilities.model] = (
                    event.capabilities
                )
            case ModelReplied():
                trial.step, trial.doing = event.step, "running"
                for spent in (
                    trial.spent,
                    trial.by_role[event.role],
                    self.spent,
                    self.by_role[event.role],
                ):
                    spent.add(Spent.on(event))
                self.cached += event.cached
            case CallStopped():
                trial.stopped[call_key(event)] = event.then
            case CallApproval():
                trial.stopped[approval_key(event)] = event.answer
            case CallOutput():
                trial.output = event.text
            case CallEvent():
                trial.count_call(event)
            case StepDone():
                trial.step = trial.steps_done = event.step
                self._count_rejections(trial, event)
            case AnswerSent():
                trial.outcome, trial.answer, trial.refs = event.outcome, event.message, event.refs
                trial.failed = event.failed
                trial.doing = "answering"
            case run_events.Scored() if event.score is not None or trial.score is None:
                trial.score, trial.details, trial.metrics = (
                    _score_of(event.score),
                    event.details,
                    event.metrics,
                )
            case Noticed():
                self.notices.append(event.text)
                if event.retry:
                    self.retries += 1
                    trial.doing = event.text
            case run_events.TrialEnded():
                trial.elapsed_ms, trial.out_of_budget = (
                    trial.earlier_ms + event.elapsed_ms,
                    event.out_of_budget,
                )
                trial.step = (
                    trial.steps_done
                )  # A replay does not show a step without the model's reply.
                trial.stop(event.how, event.reason)
            case run_events.TrialFailed():
                # A trial that could not be ended still has to be: it stays open.
                state = FAILED if event.phase == "start" else OPEN
                trial.stop(state, f"could not {event.phase}: {event.error}")
            case run_events.TrialLeftOpen():
                if trial.state == RUNNING:
                    trial.earlier_ms += max(0, event.at_ms - trial.started_ms)
                trial.stop(OPEN, event.reason)
            case _:
                pass

    def _count_rejections(self, trial: TrialSummary, event: StepDone) -> None:
        for judged in event.verdicts:
            sent_back = [verdict.key for verdict in judged.rejections]
            overruled = [verdict.key for verdict in judged.overridden]
            trial.submissions.append(Objections(tuple(sent_back), tuple(overruled)))
            self.rejections.update(sent_back)
            for verdict in judged.verdicts:
                if verdict.result == "not_applicable" and verdict.reason.startswith(RULE_FAILED):
                    if verdict.key not in trial.broken:
                        self.notices.append(f"{verdict.key}: {verdict.reason}")
                    trial.broken = {**trial.broken, verdict.key: verdict.reason}
            if judged.accepted:
                self.overridden.update(overruled)

    @property
    def ended(self) -> str:
        """How the last process ended: `finished`, `interrupted`, `limit reached`, `paused` (the model or the platform
        could not be reached, or the disk was full), `failed`; empty until it closed the run."""
        if self.closed != "failed":
            return self.closed
        return {4: "limit reached", 3: "paused"}.get(self.exit_code, "failed")

    @property
    def running(self) -> list[TrialSummary]:
        """The running trials, in the order of their start."""
        running = (trial for trial in list(self.trials.values()) if trial.state == RUNNING)
        return sorted(running, key=lambda trial: trial.started_ms)

    @property
    def wall_ms(self) -> int:
        """Time from its start, or its latest resumption, to its last event."""
        return max(self.last_ms - self.began_ms, 0) if self.began_ms else 0

    @property
    def cost_per_trial_usd(self) -> float | None:
        """Mean cost of the trials that are over; None if it is unknown."""
        usd = self.spent.cost_usd
        return usd / self.over if usd is not None and self.over else None

    @property
    def cost_per_right_usd(self) -> float | None:
        """Cost of the run per trial with the full score; None if it is unknown, or no trial has that score."""
        right, usd = sum(score >= 1.0 for score in self.scores), self.spent.cost_usd
        return usd / right if usd is not None and right else None

    def count(self, *states: str) -> int:
        return sum(trial.state in states for trial in list(self.trials.values()))

    @property
    def over(self) -> int:
        return self.count(*OVER_WORST_FIRST)

    def time_left_s(self, now_ms: int) -> float | None:
        """Estimate the remaining seconds of the run; None until a trial has ended, and while no trial runs.

        The expected time of a trial is the total time of ended and running trials, divided by the number of ended
        trials: quick trials end first, so the mean of the ended trials alone would be too low.
        """
        ended = [
            trial.elapsed_ms / 1000 for trial in list(self.trials.values()) if trial.elapsed_ms
        ]
        ages = [max(now_ms - trial.started_ms, 0) / 1000 for trial in self.running]
        if not ended or not ages:
            return None
        mean_s = (sum(ended) + sum(ages)) / len(ended)
        of_running_s = [max(mean_s - age, 0.5 * age) for age in ages]
        dealt_s = (sum(of_running_s) + mean_s * self.count(WAITING)) / len(ages)
        return max(dealt_s, max(of_running_s))

    @property
    def left(self) -> int:
        return len(self.trials) - self.over

    @property
    def scores(self) -> list[float]:
        return [
            trial.own_score for trial in list(self.trials.values()) if trial.own_score is not None
        ]

    @property
    def mean_score(self) -> float | None:
        """The mean of the known scores; None while there are none."""
        return _mean(self.scores)

    @property
    def metrics(self) -> dict[str, float]:
        """The means of the graders' further figures, by name."""
        given = defaultdict[str, list[float | None]](list)
        for trial in list(self.trials.values()):
            for name, value in trial.metrics.items() if trial.is_over else ():
                given[name].append(value)
        return {
            name: mean
            for name, values in sorted(given.items())
            if (mean := _mean(values)) is not None
        }

    @property
    def score(self) -> float | None:
        """The benchmark's own score of the run; the mean of its trials if it gave none."""
        return self.mean_score if self.run_score is None else self.run_score

    @property
    def call_ends(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """By what stopped them, `check` or `provenance`, and by what became of them, the number of calls, and the mean
        score of their trials."""
        scores = defaultdict[str, defaultdict[str, list[float | None]]](lambda: defaultdict(list))
        for trial in list(self.trials.values()):
            for (by, *_), then in trial.stopped.items():
                scores[by][then].append(trial.own_score)
        return {
            by: {
                then: {"calls": len(ends), "mean_score": _mean(ends)}
                for then, ends in sorted(own.items())
            }
            for by, own in scores.items()
        }

    @property
    def worst_first(self) -> list[TrialSummary]:
        """The trials, worst first: faults by score, open or running, sealed, perfect, waiting. Among equal scores,
        trials that failed or gave up come first, then those with more rejections."""
        places = {
            state: place for place, state in enumerate((*OVER_WORST_FIRST, OPEN, RUNNING, WAITING))
        }
        return sorted(
            self.trials.values(),
            key=lambda trial: (
                _rank(trial),
                trial.score if trial.score is not None else -1.0,
                places[trial.state],
                -trial.rejections.total(),
                trial.task_id,
            ),
        )


CallKey: TypeAlias = tuple[str, str, str, str]
"""What stopped a call, its operation, path and all arguments."""


def call_key(event: CallStopped) -> CallKey:
    """Return the key of a call that was stopped."""
    return _key_of_call(event.by, event.operation, event.arguments)


def approval_key(event: CallApproval) -> CallKey:
    """Return the key of a call about which the user was asked."""
    return _key_of_call("provenance", event.operation, event.arguments)


def _key_of_call(by: str, operation: str, arguments: Mapping[str, Any]) -> CallKey:
    path = str(arguments.get("path", ""))
    return by, operation, path, json.dumps(arguments, sort_keys=True)


def _score_of(recorded: float | None) -> float | None:
    """Return a score; within 1e-9 of the full score it is the full score, which a sum of parts can miss by a bit."""
    return 1.0 if recorded is not None and abs(recorded - 1.0) < 1e-9 else recorded


def _mean(scores: Iterable[float | None]) -> float | None:
    numbers = [score for score in scores if score is not None]
    return sum(numbers) / len(numbers) if numbers else None


def _rank(trial: TrialSummary) -> int:
    if trial.score is not None:
        return 0 if trial.score < 1 else 3
    if not trial.is_over:
        return 4 if trial.state == WAITING else 1
    return 2 if trial.state == "answered" else 0
