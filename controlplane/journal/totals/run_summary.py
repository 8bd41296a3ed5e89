"""The totals of a run, for displays, tables and the exit code, and how each event adds to them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from fractions import Fraction
from typing import Final

from controlplane.agent.events import (
    AnswerSent,
    CallApproval,
    CallEvent,
    CallOutput,
    CallStopped,
    EndpointLearned,
    Judged,
    ModelAsked,
    ModelReplied,
    Noticed,
    StepDone,
    TrialStarted,
)
from controlplane.agent.model import Capabilities
from controlplane.errors import BudgetExhausted, Unreachable
from controlplane.gates.verdicts import RULE_FAILED
from controlplane.journal.run_events import (
    JournalEvent,
    RunClosed,
    RunNotice,
    RunOpened,
    RunPolled,
    RunResumed,
    RunStarted,
    RunSubmitted,
    Scored,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
)
from controlplane.journal.totals.trial_summary import (
    FAILED,
    OPEN,
    OVER_WORST_FIRST,
    RUNNING,
    WAITING,
    Objections,
    Spent,
    TrialSummary,
    call_key,
    own_scores_of,
    scores_by_task,
)
from controlplane.score_scale import (
    ANY_NUMBER,
    ROUNDING,
    UNIT_SCALE,
    ScoreScale,
    exact,
    exact_mean_over_tasks,
    mean_over_tasks,
)


@dataclass(slots=True)
class RunProcess:
    """The last process that worked on a run. Each resumption of the run is a new one."""

    began_ms: int = 0
    """Its start; 0 if it is not known."""
    last_ms: int = 0
    """The time of the latest event of the run."""
    closed: str = ""
    """How it ended, as it recorded itself: finished, interrupted, failed. Empty while it works,
    or if it was killed. `ended` says more precisely what failed, by the exit code."""
    error: str = ""
    """The error message with which it ended; empty without an error."""
    exit_code: int = 0
    """The exit code of the last process that has ended."""

    def note_time(self, at_ms: int) -> None:
        """Note the time of an event of the run."""
        self.last_ms = max(self.last_ms, at_ms)

    def end(self, how: str, error: str, exit_code: int) -> None:
        """Note how the process has ended."""
        self.closed = how
        self.error = error
        self.exit_code = exit_code

    def begin_anew(self, at_ms: int) -> None:
        """Note that another process has resumed the run."""
        self.began_ms = at_ms
        self.closed = ""
        self.error = ""

    @property
    def wall_ms(self) -> int:
        """Milliseconds from its start to the latest event."""
        if not self.began_ms:
            return 0
        return max(self.last_ms - self.began_ms, 0)

    @property
    def ended(self) -> str:
        """How it ended; empty until it has closed the run.

        One of `finished`, `interrupted`, `limit reached`, `failed` and `paused`. A run is
        paused if the model or the benchmark cannot be reached, or the disk is full.
        """
        if self.closed != "failed":
            return self.closed
        if self.exit_code == BudgetExhausted.exit_code:
            return "limit reached"
        # `JournalUnwritable`, the error of a full disk, has the same exit code.
        if self.exit_code == Unreachable.exit_code:
            return "paused"
        return "failed"


# The trials of a run: how many are over, and their scores.

# The order in which displays show the trials of a run: the worst first.


_STATES_WORST_FIRST: Final = (*OVER_WORST_FIRST, OPEN, RUNNING, WAITING)


def _worst_first_key(trial: TrialSummary) -> tuple[int, float, int, int, str]:
    """Return the sort key of a trial: the worst trial has the smallest key."""
    score = trial.score
    if score is None:
        # Below every score, so that trials without a score come first in their group.
        score = -math.inf
    return (
        _group_of(trial),
        score,
        _STATES_WORST_FIRST.index(trial.state),
        -trial.rejections.total(),
        trial.task_id,
    )


class _Group(IntEnum):
    """The groups of trials in `RunTrials.worst_first`, in this order."""

    FAULT = 0
    """Trials with a score below 1, without one for good, or without an answer of the solver."""
    OPEN_OR_RUNNING = 1
    SEALED = 2
    """Trials that the solver has answered, and whose score is not told yet."""
    PERFECT = 3
    WAITING = 4


def _group_of(trial: TrialSummary) -> _Group:
    """Return the group of a trial in `RunTrials.worst_first`."""
    if trial.score is not None:
        return _Group.FAULT if trial.score < 1 else _Group.PERFECT
    if trial.state == WAITING:
        return _Group.WAITING
    if not trial.is_over:
        return _Group.OPEN_OR_RUNNING
    is_sealed = trial.state == "answered" and not trial.why_unscored
    return _Group.SEALED if is_sealed else _Group.FAULT


class RunTrials(dict[str, TrialSummary]):
    """The trials of a run by their ids, in the benchmark's order.

    While one thread adds trials, others may use the properties.
    """

    def copied(self) -> list[TrialSummary]:
        """Return the trials as a list, which does not grow while it is gone through."""
        return list(self.values())

    @property
    def running(self) -> list[TrialSummary]:
        """The running trials, in the order of their start."""
        running = [trial for trial in self.copied() if trial.state == RUNNING]
        return sorted(running, key=lambda trial: trial.started_ms)

    def mark_stopped(self) -> None:
        """Mark running trials as open, because the process that worked on them is gone."""
        for trial in self.running:
            trial.stop(OPEN, "cut off")

    def count(self, *states: str) -> int:
        """Return the number of trials in these states."""
        return sum(1 for trial in self.copied() if trial.state in states)

    @property
    def over(self) -> int:
        """The number of trials that are over."""
        return self.count(*OVER_WORST_FIRST)

    @property
    def left(self) -> int:
        """The number of trials that are not over."""
        return len(self) - self.over

    @property
    def worst_first(self) -> list[TrialSummary]:
        """The trials, worst first, in the order of `_Group`.

        In a group, they are sorted by score. Among equal scores, failed and unanswered
        trials come first, then those with more rejections.
        """
        return sorted(self.values(), key=_worst_first_key)

    @property
    def scores(self) -> list[float]:
        """The known scores of the trials that are over."""
        # `own_score` is None for a trial that is not over, too.
        own_scores = [trial.own_score for trial in self.copied()]
        return [score for score in own_scores if score is not None]

    @property
    def full_scores(self) -> int:
        """The number of trials that are over and have the full score."""
        return sum(1 for score in self.scores if score >= 1.0)

    @property
    def mean_score(self) -> float | None:
        """The mean of the known scores over the tasks; None if there are none.

        Intervals and comparisons are over the tasks, too.
        """
        return mean_over_tasks(own_scores_of(self.copied()))

    @property
    def tries_differ(self) -> bool:
        """True if some tasks have more known scores than others."""
        own_scores = scores_by_task(self.copied())
        return len({len(scores) for scores in own_scores.values()}) > 1

    @property
    def unscored(self) -> dict[str, int]:
        """The reasons why trials that are over have no score, with their numbers of trials.

        The most frequent comes first. Trials whose scores are sealed are not among them.
        """
        reasons = Counter[str]()
        for trial in self.copied():
            if trial.why_unscored:
                reasons[trial.why_unscored] += 1
        return dict(reasons.most_common())

    @property
    def counted_mean(self) -> Fraction | None:
        """The mean score, in which a trial that is over without one counts as 0.

        None if no trial has a score. It is over the tasks, like `mean_score`, and exact, so that no
        rounding decides whether it reaches a limit: the mean of nine scores of 0.7 is 7/10.
        """
        if not self.scores:
            return None
        return exact_mean_over_tasks(
            (trial.task, trial.counted_score) for trial in self.copied()
        )

    @property
    def metrics(self) -> dict[str, float]:
        """The means of the graders' further figures over the tasks that have them, by name."""
        values: dict[str, list[tuple[str, float]]] = {}
        for trial in self.copied():
            if trial.is_over:
                for name, value in trial.metrics.items():
                    values.setdefault(name, []).append((trial.task, value))
        means = {}
        for name in sorted(values):
            mean = mean_over_tasks(values[name])
            if mean is not None:
                means[name] = mean
        return means


# An estimate of how long the trials of a run still take.


def remaining_s(trials: Iterable[TrialSummary], now_ms: int) -> float | None:
    """Return an estimate of the remaining seconds.

    None before a trial has ended, or if none runs.

    Example: two trials ended after 50 and 70 s,
    two have run for 20 s each, and two wait.

    - A trial is expected to take (50 + 70 + 20 + 20) / 2 = 80 s.
    - Left are 60 s of each running trial, and 80 s of each that waits: 280 s.
    - Two trials run at a time, so these take 140 s.
    """
    ended_s: list[float] = []
    running_s: list[float] = []
    waiting = 0
    for trial in trials:
        if trial.elapsed_ms:
            ended_s.append(trial.elapsed_ms / 1000)
        if trial.state == RUNNING:
            running_s.append(max(now_ms - trial.started_ms, 0) / 1000)
        elif trial.state == WAITING:
            waiting += 1
    if not ended_s or not running_s:
        return None

    # The mean of the ended trials alone would be too low, since short trials end first.
    expected_s = (sum(ended_s) + sum(running_s)) / len(ended_s)

    # A trial that has run for long is assumed to need at least half as long again.
    remaining_s = [max(expected_s - age_s, 0.5 * age_s) for age_s in running_s]
    work_s = sum(remaining_s) + expected_s * waiting
    trials_at_a_time = len(running_s)
    return max(work_s / trials_at_a_time, max(remaining_s))


# The totals of a run, for displays, tables and the exit code.


@dataclass(slots=True)
class RunSummary:
    """The totals and the current state of a run.

    `fold_event` updates them with each event of the journal.
    """

    opened: RunOpened | None = None
    """Its first event, which has the journal's id (`opened.run`) and the settings; None
    before that event. If the run is resumed with another model, it has that model's."""
    recorded_scale: ScoreScale | None = None
    """Its benchmark's scale of scores; None in a journal of an earlier version."""
    run_id: str = ""
    """Its id at the benchmark; empty until it begins there."""
    trials: RunTrials = field(default_factory=RunTrials)
    """The totals of each trial, by its id."""
    process: RunProcess = field(default_factory=RunProcess)
    """The last process that worked on the run."""
    notices: list[str] = field(default_factory=list)
    """Notices for the user, one line each."""
    earlier_notices: int = 0
    """How many of these came before the latest resumption."""

    # Over all trials
    retries: int = 0
    """Requests sent again after a transient failure."""
    rejections: Counter[str] = field(default_factory=Counter)
    """Rejections by each gate or rule."""
    overridden: Counter[str] = field(default_factory=Counter)
    """Answers sent despite an objection of a gate or rule, by its key."""
    spent: Spent = field(default_factory=Spent)
    """Tokens and cost of the replies."""
    by_role: defaultdict[str, Spent] = field(default_factory=lambda: defaultdict(Spent))
    """Tokens and cost of the replies in each role."""
    cached: int = 0
    """Replies that came from the cache."""
    learned: dict[tuple[str, str], Capabilities] = field(default_factory=dict)
    """What replies have shown about endpoints, such as a parameter that
    is refused, by the endpoint's address and model."""

    # At the benchmark
    submitted: bool = False
    """True once it was submitted to the benchmark."""
    state: str = ""
    """The benchmark's latest word on the submitted run: running, pending, evaluated."""
    run_score: float | None = None
    """The benchmark's own score of the run; None if it gave none."""

    @property
    def scale(self) -> ScoreScale:
        """The scale of its scores.

        An older journal does not say it. If one of its scores is not from 0 to 1, it is any number.
        """
        if self.recorded_scale is not None:
            return self.recorded_scale
        are_usual = all(0 <= score <= 1 for score in self.trials.scores)
        return UNIT_SCALE if are_usual else ANY_NUMBER

    @property
    def limited_score(self) -> Fraction | None:
        """The score that `--fail-under` compares, exact; None if no trial has a score.

        The benchmark's own score of the run counts no more than the mean of the trials, if some
        of them have none: these count as 0.
        """
        mean = self.trials.counted_mean
        if self.run_score is None:
            return mean
        own = exact(self.run_score)
        if mean is None:
            return own
        if self.trials.unscored:
            return min(own, mean)
        # A benchmark's own score is mostly the mean, rounded.
        return mean if abs(own - mean) < ROUNDING else own

    @property
    def cost_per_trial_usd(self) -> float | None:
        """Mean cost of the trials that are over; None if it is unknown."""
        return _share(self.spent.cost_usd, self.trials.over)

    @property
    def cost_per_right_usd(self) -> float | None:
        """Cost of the run divided by the number of trials with the full score.

        None if the cost is unknown, or no trial has the full score.
        """
        return _share(self.spent.cost_usd, self.trials.full_scores)


def _share(cost_usd: float | None, trials: int) -> float | None:
    """Return the cost divided by the number of trials; None if one of the two is missing."""
    if cost_usd is None or trials == 0:
        return None
    return cost_usd / trials


# Adds the events of a journal to the totals of its run, one at a time.
#
# To fold an event is to add it to totals: an event of a trial to those of the trial and of the run.

# Adds the events of a trial to its totals.


def _fold_into(run: RunSummary, trial: TrialSummary, event: JournalEvent) -> None:
    """Add an event of a trial, other than a call, to its totals and those of its run."""
    match event:
        case TrialStarted():
            # Record the start of an attempt: the first one, one that resumes, or one from
            # scratch.
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
        case ModelAsked():
            trial.doing = "thinking"
        case ModelReplied():
            trial.step = event.step
            trial.doing = "running"
            # Add the tokens and cost of a reply to the totals of the trial and the run.
            spent = Spent.on(event)
            trial.spent.add(spent)
            trial.by_role[event.role].add(spent)
            run.spent.add(spent)
            run.by_role[event.role].add(spent)
            if event.cached:
                run.cached += 1
        case EndpointLearned():
            # What one trial has learned about an endpoint, such as a parameter that
            # is refused, serves all trials.
            learned = event.capabilities
            run.learned[learned.endpoint, learned.model] = learned
        case CallStopped():
            # A check held the call back. `then` is what became of it: `repeated and sent`.
            trial.stopped[call_key(event)] = event.then
        case CallApproval():
            trial.stopped[call_key(event)] = event.answer
        case CallOutput():
            trial.output = event.text
        case StepDone():
            trial.step = event.step
            trial.steps_done = event.step
            for judged in event.verdicts:
                _count_objections(run, trial, judged)
        case AnswerSent():
            trial.outcome = event.outcome
            trial.answer = event.message
            trial.refs = event.refs
            trial.failed = event.failed
            trial.doing = "answering"
        case Scored():
            _fold_score(trial, event)
        case Noticed():
            run.notices.append(event.text)
            if event.retry:
                trial.doing = event.text
                run.retries += 1
        case TrialEnded():
            trial.elapsed_ms = trial.earlier_ms + event.elapsed_ms
            trial.out_of_budget = event.out_of_budget
            # Do not count a last, incomplete step, which a replay does not show either.
            trial.step = trial.steps_done
            trial.stop(event.how, event.reason)
        case TrialFailed():
            # A trial that the benchmark could not end stays open, so that a resumed run ends it.
            state = FAILED if event.phase == "start" else OPEN
            trial.stop(state, f"could not {event.phase}: {event.error}")
        case TrialLeftOpen():
            if trial.state == RUNNING:
                trial.earlier_ms += max(0, event.at_ms - trial.started_ms)
            trial.stop(OPEN, event.reason)
        case _:
            pass  # The totals do not use this event.


def _fold_score(trial: TrialSummary, event: Scored) -> None:
    """Record a trial's score. A later event without a score does not delete it."""
    if event.score is None and trial.score is not None:
        return
    trial.score = _rounded_score(event.score)
    trial.details = event.details
    trial.metrics = event.metrics
    trial.unscored = event.unscored if event.score is None else ""


def _rounded_score(recorded: float | None) -> float | None:
    """Return a score, or exactly 1.0 if it is within 1e-9 of that.

    A grader that adds up parts may miss the full score by a rounding error.
    """
    if recorded is not None and abs(recorded - 1.0) < 1e-9:
        return 1.0
    return recorded


def fold_event(run: RunSummary, event: JournalEvent) -> None:
    """Add the next event of the journal to the totals."""
    run.process.note_time(event.at_ms)
    trial_id: str | None = getattr(event, "trial_id", None)
    if trial_id is None:
        _fold_run_event(run, event)
        return
    trial = run.trials.get(trial_id)
    if trial is None:
        trial = TrialSummary(trial_id)
        run.trials[trial_id] = trial
    if isinstance(event, CallEvent):
        # Most events are calls, and the other totals do not need them.
        trial.count_call(event)
    else:
        _fold_into(run, trial, event)


def _fold_run_event(run: RunSummary, event: JournalEvent) -> None:
    """Add an event about the run as a whole."""
    match event:
        case RunOpened():
            run.opened = event
        case RunStarted():
            run.run_id = event.run_id
            run.process.began_ms = event.at_ms
            counts_without_score = 0.0
            if event.scale is not None:
                run.recorded_scale = ScoreScale.from_recorded(event.scale)
                counts_without_score = run.recorded_scale.without_score
            for trial in event.trials:
                run.trials[trial.trial_id] = TrialSummary(
                    trial.trial_id,
                    trial.task_id,
                    trial.number,
                    trial.repeat,
                    counts_without_score=counts_without_score,
                )
        case RunSubmitted() | RunPolled():
            # Record what the benchmark says about the submitted run. An evaluation is final.
            run.submitted = True
            if run.state != "evaluated":
                run.state = event.state
                run.run_score = _rounded_score(event.score)
        case RunNotice():
            run.notices.append(event.text)
        case RunClosed():
            run.trials.mark_stopped()
            run.process.end(event.how, event.error, event.exit_code)
        case RunResumed():
            # If the earlier process was killed, no event says that its trials stopped.
            run.trials.mark_stopped()
            if event.model and run.opened is not None:
                run.opened = run.opened.with_model(event.model, event.model_settings)
            run.process.begin_anew(event.at_ms)
            run.earlier_notices = len(run.notices)
        case _:
            pass  # The totals do not use this event.


def _count_objections(run: RunSummary, trial: TrialSummary, judged: Judged) -> None:
    """Count the objections of gates and rules to a submission.

    An objection is a rejection, or overridden if the submission was accepted anyway.
    """
    rejected = tuple(verdict.key for verdict in judged.rejections)
    overridden = tuple(verdict.key for verdict in judged.overridden)
    trial.submissions.append(Objections(rejected, overridden))
    run.rejections.update(rejected)
    if judged.accepted:
        run.overridden.update(overridden)
    for verdict in judged.verdicts:
        # A rule that raises an exception instead of judging says so in its reason.
        has_raised = verdict.reason.startswith(RULE_FAILED)
        if verdict.result != "not_applicable" or not has_raised:
            continue
        if verdict.key not in trial.broken:
            run.notices.append(f"{verdict.key}: {verdict.reason}")
        # All trials begin with the same empty mapping, so it is replaced.
        trial.broken = {**trial.broken, verdict.key: verdict.reason}
