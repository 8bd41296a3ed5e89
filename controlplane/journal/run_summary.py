"""Totals of a run, for displays, tables and the exit code.

`RunSummary.fold` adds one event of the journal at a time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from controlplane.agent.events import (
    CallEvent,
    EndpointLearned,
    ModelReplied,
    Noticed,
    StepDone,
    VerdictRecord,
)
from controlplane.agent.model import Capabilities
from controlplane.errors import BudgetExhausted, Unreachable
from controlplane.gates.submission import RULE_FAILED
from controlplane.journal.run_events import (
    JournalEvent,
    RunClosed,
    RunNotice,
    RunOpened,
    RunPolled,
    RunResumed,
    RunStarted,
    RunSubmitted,
)
from controlplane.journal.spending_totals import Spent
from controlplane.journal.trial_folding import fold_into, rounded_score
from controlplane.journal.trial_order import worst_first
from controlplane.journal.trial_summary import (
    OPEN,
    OVER_WORST_FIRST,
    RUNNING,
    WAITING,
    Objections,
    TrialSummary,
)


@dataclass(frozen=True, slots=True)
class StoppedCalls:
    """Calls that were stopped before they were made, by the same check and with the same end."""

    stopped_by: str
    """`check` or `provenance`, as in `CallKey`."""
    what_next: str
    """What happened to them next, such as `repeated and sent`."""
    count: int
    mean_score: float | None
    """The mean score of their trials; None if no score is known."""


@dataclass(slots=True)
class RunSummary:
    """The totals and the current state of a run.

    `fold` updates the totals with each event of the journal.
    """

    opened: RunOpened | None = None
    """Its first event, which has the journal's id (`opened.run`) and the settings; None
    before that event. If the run is resumed with another model, it has that model's."""
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
    """Answers sent despite an objection of a gate or rule, by its key, over all trials."""
    spent: Spent = field(default_factory=Spent)
    by_role: defaultdict[str, Spent] = field(default_factory=lambda: defaultdict(Spent))
    """Tokens and cost of the replies in each role, over all trials."""
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

    # The last process that worked on the run
    closed: str = ""
    """How that process ended: finished, interrupted, failed. Empty while it
    works, or if it was killed. `ended` is more precise about `failed`."""
    error: str = ""
    """The error message with which that process ended; empty without an error."""
    exit_code: int = 0
    """The exit code of that process."""
    began_ms: int = 0
    """Start of the run, or of its latest resumption."""
    last_ms: int = 0
    """The time of the latest event."""

    def note_time(self, at_ms: int) -> None:
        """Note the time of an event, the only part that some events add to the totals."""
        self.last_ms = max(self.last_ms, at_ms)

    def fold(self, event: JournalEvent) -> None:
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
            fold_into(trial, event)
            self._fold_shared(trial, event)

    def _fold_run(self, event: JournalEvent) -> None:
        """Add an event about the run as a whole."""
        match event:
            case RunOpened():
                self.opened = event
            case RunStarted():
                self._fold_start(event)
            case RunSubmitted() | RunPolled():
                self.submitted = True
                if self.state != "evaluated":  # An evaluation is final.
                    self.state = event.state
                    self.run_score = rounded_score(event.score)
            case RunNotice():
                self.notices.append(event.text)
            case RunClosed():
                self.mark_stopped()
                self.closed = event.how
                self.error = event.error
                self.exit_code = event.exit_code
            case RunResumed():
                self._fold_resumption(event)
            case _:
                pass  # The totals do not use this event.

    def _fold_start(self, event: RunStarted) -> None:
        self.run_id = event.run_id
        self.began_ms = event.at_ms
        for trial in event.trials:
            self.trials[trial.trial_id] = TrialSummary(
                trial.trial_id, trial.task_id, trial.number, trial.repeat
            )

    def _fold_resumption(self, event: RunResumed) -> None:
        # If the earlier process was killed, no event says that its trials stopped.
        self.mark_stopped()
        if event.model and self.opened is not None:
            self.opened = self.opened.with_model(event.model, event.model_settings)
        self.closed = ""
        self.error = ""
        self.began_ms = event.at_ms
        self.earlier_notices = len(self.notices)

    def mark_stopped(self) -> None:
        """Mark running trials as open, because the process that worked on them is gone."""
        for trial in self.running:
            trial.stop(OPEN, "cut off")

    def _fold_shared(self, trial: TrialSummary, event: JournalEvent) -> None:
        """Add an event of a trial to the totals of the run."""
        match event:
            case EndpointLearned():
                # What one trial has learned about an endpoint, such as a parameter that
                # is refused, serves all trials.
                learned = event.capabilities
                self.learned[learned.endpoint, learned.model] = learned
            case ModelReplied():
                self._count_reply(trial, event)
            case StepDone():
                self._count_verdicts(trial, event)
            case Noticed():
                self.notices.append(event.text)
                if event.retry:
                    self.retries += 1
            case _:
                pass  # The totals of the run do not use this event.

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
        """Count the objections of gates and rules to the submissions of a step.

        An objection is a rejection, or overridden if the submission was accepted anyway.
        If a rule's own code raised an exception, add a notice, once per trial.
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
        # All trials begin with the same empty mapping, so it is replaced.
        trial.broken = {**trial.broken, verdict.key: verdict.reason}

    @property
    def ended(self) -> str:
        """How the last process of the run ended; empty until that process has closed the run.

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

    @property
    def running(self) -> list[TrialSummary]:
        """The running trials, in the order of their start."""
        running = [trial for trial in self._trials_now() if trial.state == RUNNING]
        return sorted(running, key=lambda trial: trial.started_ms)

    def _trials_now(self) -> list[TrialSummary]:
        """Return a copy of the list of trials, since another thread may add a trial meanwhile."""
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
        """Return an estimate of the remaining seconds.

        None before a trial has ended, or if none runs.

        Example: two trials ended after 50 and 70 s,
        two have run for 20 s each, and two wait.

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

        # The mean of the ended trials alone would be too low, since short trials end first.
        expected_s = (sum(ended_s) + sum(running_s)) / len(ended_s)

        # A trial that has run for long is assumed to need at least half as long again.
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
        """The benchmark's own score of the run or, without one, the mean of its trials."""
        if self.run_score is not None:
            return self.run_score
        return self.mean_score

    @property
    def stopped_calls(self) -> list[StoppedCalls]:
        """The calls that were stopped, grouped by what stopped them and what happened next."""
        # 1. Collect the scores: {"check": {"repeated and sent": [1.0, 0.0, 1.0]}}
        scores: dict[str, dict[str, list[float | None]]] = {}
        for trial in self._trials_now():
            for call, what_next in trial.stopped.items():
                scores_by_what_next = scores.setdefault(call.stopped_by, {})
                scores_by_what_next.setdefault(what_next, []).append(trial.own_score)

        # 2. Compute the count and mean of each list.
        groups: list[StoppedCalls] = []
        for stopped_by, scores_by_what_next in scores.items():
            for what_next, own_scores in sorted(scores_by_what_next.items()):
                group = StoppedCalls(
                    stopped_by, what_next, len(own_scores), _mean(own_scores)
                )
                groups.append(group)
        return groups

    @property
    def worst_first(self) -> list[TrialSummary]:
        """The trials, worst first."""
        return worst_first(self.trials.values())


def _has_raised(verdict: VerdictRecord) -> bool:
    """Return True if a rule raised an exception instead of judging. Its reason says so."""
    return verdict.result == "not_applicable" and verdict.reason.startswith(RULE_FAILED)


def _mean(scores: Iterable[float | None]) -> float | None:
    """Return the mean of the scores that are known; None if there are none."""
    known_scores = [score for score in scores if score is not None]
    if not known_scores:
        return None
    return sum(known_scores) / len(known_scores)
