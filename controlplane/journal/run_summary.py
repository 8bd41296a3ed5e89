"""Totals of a run and of each trial, folded from their events one by one, for displays, tables and the exit code."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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
)
from controlplane.agent.model import Capabilities
from controlplane.errors import BudgetExhausted, Unreachable
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
        """Add the replies that `other` sums up."""
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
        """The share of the requests' tokens that the provider's cache held; None without requests."""
        if not self.prompt_tokens:
            return None
        return self.cached_tokens / self.prompt_tokens


def total(spent: Iterable[Spent]) -> Spent:
    """Return the sum of several sums."""
    whole = Spent()
    for part in spent:
        whole.add(part)
    return whole


# States of trials, beside those of `OVER_WORST_FIRST`.
WAITING: Final = "waiting"
"""Not begun."""
RUNNING: Final = "running"
OPEN: Final = "open"
"""Begun, and left open or cut off: the run can resume it."""
FAILED: Final = "failed"
"""It could not be started."""
TRIAL_BROKE: Final = "the trial broke: "
BENCHMARK_BROKE: Final = "the benchmark broke: "
"""The words before an error of somebody's solver or benchmark, in the reason why a trial has no answer."""
OVER_WORST_FIRST: Final = (FAILED, "unanswered", "fallback", "answered")
"""The states of a trial that is over. `fallback`: the product gave an answer for the solver, which had none."""


def family_of(task_id: str) -> str:
    """Return a task's family: its id without a number behind the last point; the whole id if it has none."""
    name, point, number = task_id.rpartition(".")
    if point and number.isdecimal():
        return name
    return task_id


NOTHING: Final[Mapping[str, Any]] = {}
"""The empty mapping that all trials share, since a run may have a hundred thousand. It is replaced, never changed."""

MOST_SHOWN_CALLS: Final = 20
"""The latest calls of a trial that a display shows."""
MOST_CALL_CHARS: Final = 80
"""Characters of the words for one call."""


class CallKey(NamedTuple):
    """Identifies a call that was stopped before it was made."""

    stopped_by: str
    """`check` for the benchmark's pre-call check, or `provenance`."""
    operation: str
    path: str
    """The argument `path`; empty without one."""
    arguments: str
    """All arguments as JSON."""


def call_key(event: CallStopped) -> CallKey:
    """Return the key of a call that was stopped."""
    return _key_of_call(event.by, event.operation, event.arguments)


def approval_key(event: CallApproval) -> CallKey:
    """Return the key of a call about which the user was asked."""
    return _key_of_call("provenance", event.operation, event.arguments)


def _key_of_call(stopped_by: str, operation: str, arguments: Mapping[str, Any]) -> CallKey:
    path = str(arguments.get("path", ""))
    return CallKey(stopped_by, operation, path, json.dumps(arguments, sort_keys=True))


def call_text(event: CallEvent) -> str:
    """Return a call in a few words: `read` with the path `/a/b.md` -> `"read /a/b.md"`.

    The words are the operation, the path or else the first text among the arguments, and the `args` of a program.
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
    """Keys of the gates and rules that objected to one submission; nothing rejected an accepted one."""

    rejected: tuple[str, ...]
    """Those for which it was sent back."""
    overridden: tuple[str, ...]
    """Those over whose objection the model insisted."""

    def concerns(self, key: str) -> bool:
        """Say whether the gate or rule of this key objected, with or without effect."""
        return key in self.rejected or key in self.overridden


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
    reason: str = ""
    """Why it has no answer of its own, or why it is open; empty if there is nothing to say."""
    out_of_budget: bool = False
    """It ended because it, or its run, had used up a limit."""

    # What it does.
    step: int = 0
    """The number of the step that is under way or was the last, from 1."""
    steps_done: int = 0
    """The number of the last whole step."""
    doing: str = ""
    """Its current activity: reading, thinking, running, a call, a pause, answering."""
    output: str = ""
    """The end of what the call that is under way has printed; empty if that is not known."""
    calls: int = 0
    """The number of calls so far."""
    last_calls: tuple[str, ...] = ()
    """The latest calls, in a few words each."""
    started_ms: int = 0
    """The start of its latest attempt, in milliseconds since 1970."""
    earlier_ms: float = 0.0
    """Duration of the attempts that were left open."""
    elapsed_ms: float = 0.0
    """Duration of all attempts; 0 until the trial ended."""
    spent: Spent = field(default_factory=Spent)
    """Tokens and cost of its replies."""
    by_role: defaultdict[str, Spent] = field(default_factory=lambda: defaultdict(Spent))
    """Tokens and cost of the replies in each role."""

    # Its answer, and what was made of it.
    outcome: str = ""
    """The class of its answer, such as `OUTCOME_OK`; empty without an answer."""
    answer: str = ""
    """The text of the answer that was sent."""
    refs: tuple[str, ...] = ()
    """The paths that the answer cites."""
    failed: tuple[str, ...] = ()
    """Gates and rules that rejected the submission which the fallback repeats."""
    score: float | None = None
    """From 0 to 1; None while it is sealed or missing, never 0 then."""
    details: tuple[str, ...] = ()
    """The grader's lines about the score."""
    metrics: Mapping[str, float] = field(default_factory=lambda: NOTHING)
    """Further figures of its grader, by name."""
    submissions: list[Objections] = field(default_factory=list)
    """The objections to each judged submission, in order."""
    stopped: dict[CallKey, str] = field(default_factory=dict)
    """What became of each call that was stopped before it was made, such as the user's answer to a question."""
    broken: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """By key, the errors of rules that raised an exception, with file and line."""

    @property
    def rejections(self) -> Counter[str]:
        """Rejections by gate or rule, under its key."""
        counts = Counter[str]()
        for submission in self.submissions:
            counts.update(submission.rejected)
        return counts

    @property
    def overridden(self) -> Counter[str]:
        """Answers sent in spite of an objection, by the rule's key."""
        counts = Counter[str]()
        for submission in self.submissions:
            is_accepted = not submission.rejected
            if is_accepted:
                counts.update(submission.overridden)
        return counts

    def count_call(self, event: CallEvent) -> None:
        """Count a call, unless an earlier event counted it."""
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
        self.state = state
        self.reason = reason
        self.doing = ""
        self.output = ""


@dataclass(slots=True)
class RunSummary:
    """A run so far. Totals are kept as they grow, so that reading them costs the same for any number of trials."""

    opened: run_events.RunOpened | None = None
    """Its first event, with the model that the latest resumption named; None if nothing was written yet."""
    run_id: str = ""
    """Its id at the benchmark."""
    trials: dict[str, TrialSummary] = field(default_factory=dict)
    """Its trials by their ids, in the order in which the benchmark allotted them."""
    notices: list[str] = field(default_factory=list)
    """Lines for the user."""
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
    """It was handed in to the benchmark."""
    state: str = ""
    """The benchmark's latest state of the run: running, pending, evaluated."""
    run_score: float | None = None
    """The benchmark's own score of the run; None if it gave none."""
    closed: str = ""
    """How the last process closed the run: finished, interrupted, failed; empty until then."""
    error: str = ""
    """The error that ended that process's work, in its words."""
    exit_code: int = 0
    """The exit code of that process."""
    began_ms: int = 0
    """Start of the run, or of its latest resumption."""
    last_ms: int = 0
    """The latest event."""

    def fold(self, event: run_events.JournalEvent) -> None:
        """Take the next event into account."""
        self.last_ms = max(self.last_ms, event.at_ms)
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
        """Take an event about the run as a whole into account."""
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
                if self.state != "evaluated":  # later events never withdraw an evaluation
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
                # A process that was killed closed nothing.
                self.mark_stopped()
                if event.model and self.opened is not None:
                    self.opened = self.opened.with_model(event.model, event.model_settings)
                self.closed = ""
                self.error = ""
                self.began_ms = event.at_ms
                self.earlier_notices = len(self.notices)
            case _:
                pass  # Totals need nothing of it.

    def mark_stopped(self) -> None:
        """Note that the process that worked on the run is gone."""
        for trial in self.running:
            trial.stop(OPEN, "cut off")

    def _fold_trial(self, trial: TrialSummary, event: run_events.JournalEvent) -> None:
        """Take an event of a trial into account, unless it is a call."""
        match event:
            case TrialStarted():
                _fold_start(trial, event)
            case ModelAsked():
                trial.doing = "thinking"
            case EndpointLearned():
                # It is recorded with the trial that learned it, and holds for the run.
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
            case run_events.TrialEnded() | run_events.TrialFailed() | run_events.TrialLeftOpen():
                _fold_end(trial, event)
            case _:
                pass  # Totals need nothing of it.

    def _count_reply(self, trial: TrialSummary, event: ModelReplied) -> None:
        """Add the tokens and cost of a reply to all sums."""
        spent = Spent.on(event)
        trial.spent.add(spent)
        trial.by_role[event.role].add(spent)
        self.spent.add(spent)
        self.by_role[event.role].add(spent)
        if event.cached:
            self.cached += 1

    def _count_verdicts(self, trial: TrialSummary, event: StepDone) -> None:
        """Count what gates and rules objected to in a step, and tell the user of rules that raised an exception."""
        for judged in event.verdicts:
            rejected = tuple(verdict.key for verdict in judged.rejections)
            overridden = tuple(verdict.key for verdict in judged.overridden)
            trial.submissions.append(Objections(rejected, overridden))
            self.rejections.update(rejected)
            if judged.accepted:
                self.overridden.update(overridden)
            for verdict in judged.verdicts:
                if verdict.result == "not_applicable" and verdict.reason.startswith(RULE_FAILED):
                    if verdict.key not in trial.broken:
                        self.notices.append(f"{verdict.key}: {verdict.reason}")
                    trial.broken = {**trial.broken, verdict.key: verdict.reason}

    @property
    def ended(self) -> str:
        """How the last process ended: `finished`, `interrupted`, `limit reached`, `paused` (the model or the platform
        could not be reached, or the disk was full), `failed`; empty until it closed the run."""
        if self.closed != "failed":
            return self.closed
        if self.exit_code == BudgetExhausted.exit_code:
            return "limit reached"
        if self.exit_code == Unreachable.exit_code:  # also that of a journal that cannot be written
            return "paused"
        return "failed"

    @property
    def running(self) -> list[TrialSummary]:
        """The running trials, in the order of their start."""
        running = [trial for trial in self._trials_now() if trial.state == RUNNING]
        return sorted(running, key=lambda trial: trial.started_ms)

    def _trials_now(self) -> list[TrialSummary]:
        """Return the trials in a list of its own: another thread may add one while a display goes through them."""
        return list(self.trials.values())

    @property
    def wall_ms(self) -> int:
        """Time from its start, or its latest resumption, to its last event."""
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
        """Cost of the run per trial with the full score; None if it is unknown, or no trial has that score."""
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
        """The number of trials for which nothing is left to do."""
        return self.count(*OVER_WORST_FIRST)

    def time_left_s(self, now_ms: int) -> float | None:
        """Estimate the remaining seconds of the run; None until a trial has ended, and while no trial runs.

        The expected time of a trial is the total time of ended and running trials, divided by the number of ended
        trials: quick trials end first, so the mean of the ended trials alone would be too low.
        """
        ended_s = [trial.elapsed_ms / 1000 for trial in self._trials_now() if trial.elapsed_ms]
        ages_s = [max(now_ms - trial.started_ms, 0) / 1000 for trial in self.running]
        if not ended_s or not ages_s:
            return None
        expected_s = (sum(ended_s) + sum(ages_s)) / len(ended_s)

        # A trial that is older than expected is assumed to need half of its age again.
        remaining_s = [max(expected_s - age_s, 0.5 * age_s) for age_s in ages_s]
        # As many trials run at once as run now, and the waiting ones are shared out evenly.
        work_s = sum(remaining_s) + expected_s * self.count(WAITING)
        return max(work_s / len(ages_s), max(remaining_s))

    @property
    def left(self) -> int:
        """The number of trials for which something is left to do."""
        return len(self.trials) - self.over

    @property
    def scores(self) -> list[float]:
        """The known scores of the trials that are over."""
        own_scores = [trial.own_score for trial in self._trials_now()]
        return [score for score in own_scores if score is not None]

    @property
    def mean_score(self) -> float | None:
        """The mean of the known scores; None while there are none."""
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
        """The benchmark's own score of the run; the mean of its trials if it gave none."""
        if self.run_score is not None:
            return self.run_score
        return self.mean_score

    @property
    def call_ends(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """What became of the calls that were stopped before they were made, with the mean score of their trials.

        By what stopped them, then by what became of them, such as
        `{"check": {"repeated and sent": {"calls": 3, "mean_score": 0.67}}, "provenance": {…}}`.
        """
        scores: dict[str, dict[str, list[float | None]]] = {}
        for trial in self._trials_now():
            for call, ending in trial.stopped.items():
                scores_by_ending = scores.setdefault(call.stopped_by, {})
                scores_by_ending.setdefault(ending, []).append(trial.own_score)

        call_ends: dict[str, dict[str, dict[str, float | None]]] = {}
        for stopped_by, scores_by_ending in scores.items():
            figures_by_ending: dict[str, dict[str, float | None]] = {}
            for ending, own_scores in sorted(scores_by_ending.items()):
                figures_by_ending[ending] = {
                    "calls": len(own_scores),
                    "mean_score": _mean(own_scores),
                }
            call_ends[stopped_by] = figures_by_ending
        return call_ends

    @property
    def worst_first(self) -> list[TrialSummary]:
        """The trials, worst first: faults by score, open or running, sealed, perfect, waiting. Among equal scores,
        trials that failed or gave up come first, then those with more rejections."""
        return sorted(self.trials.values(), key=_badness)


def _badness(trial: TrialSummary) -> tuple[int, float, int, int, str]:
    """Return the key that sorts trials from the worst to the best."""
    return (
        _rank(trial),
        trial.score if trial.score is not None else -1.0,
        (*OVER_WORST_FIRST, OPEN, RUNNING, WAITING).index(trial.state),
        -trial.rejections.total(),
        trial.task_id,
    )


def _rank(trial: TrialSummary) -> int:
    """Return 0 for a fault, 1 for open or running, 2 for answered without a score, 3 for perfect, 4 for waiting."""
    if trial.score is not None:
        return 0 if trial.score < 1 else 3
    if trial.state == WAITING:
        return 4
    if not trial.is_over:
        return 1
    return 2 if trial.state == "answered" else 0


def _fold_start(trial: TrialSummary, event: TrialStarted) -> None:
    """Note that an attempt at a trial began: its first, or one that resumes it or begins anew."""
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
    """Note a trial's score. A later event without a score does not withdraw an earlier score."""
    if event.score is None and trial.score is not None:
        return
    trial.score = _score_of(event.score)
    trial.details = event.details
    trial.metrics = event.metrics


def _fold_end(
    trial: TrialSummary,
    event: run_events.TrialEnded | run_events.TrialFailed | run_events.TrialLeftOpen,
) -> None:
    """Note that nobody works on a trial any more, for now or for good."""
    match event:
        case run_events.TrialEnded():
            trial.elapsed_ms = trial.earlier_ms + event.elapsed_ms
            trial.out_of_budget = event.out_of_budget
            # A step after the last whole one has no reply of the model, so that a replay does not show it.
            trial.step = trial.steps_done
            trial.stop(event.how, event.reason)
        case run_events.TrialFailed():
            # A trial that could not be ended still has to be: it stays open.
            state = FAILED if event.phase == "start" else OPEN
            trial.stop(state, f"could not {event.phase}: {event.error}")
        case run_events.TrialLeftOpen():
            if trial.state == RUNNING:
                trial.earlier_ms += max(0, event.at_ms - trial.started_ms)
            trial.stop(OPEN, event.reason)


def _score_of(recorded: float | None) -> float | None:
    """Return a score; within 1e-9 of the full score it is the full score, which a sum of parts can miss by a bit."""
    if recorded is not None and abs(recorded - 1.0) < 1e-9:
        return 1.0
    return recorded


def _mean(scores: Iterable[float | None]) -> float | None:
    """Return the mean of the scores that are known; None if there are none."""
    known_scores = [score for score in scores if score is not None]
    if not known_scores:
        return None
    return sum(known_scores) / len(known_scores)
