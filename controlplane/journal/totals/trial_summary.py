"""The totals and the current state of one trial."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from controlplane.agent.events import CallApproval, CallEvent, CallStopped, ModelReplied
from controlplane.score_scale import mean_over_tasks


class Objections(NamedTuple):
    """The gates and rules that objected to one submission, by their keys."""

    rejected: tuple[str, ...]
    """The keys of those that rejected it; empty if it was accepted."""
    overridden: tuple[str, ...]
    """The keys of those whose objection the model overrode, by submitting again."""

    def concerns(self, key: str) -> bool:
        """Return True if the gate or rule with this key objected."""
        return key in self.rejected or key in self.overridden


# What replies of models cost in total.


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
    """Cost of the replies whose price is known, in USD."""
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
        """Cached tokens as a share of all request tokens; None if there were no requests."""
        if not self.prompt_tokens:
            return None
        return self.cached_tokens / self.prompt_tokens


def total(spent: Iterable[Spent]) -> Spent:
    """Return the sum of several totals."""
    whole = Spent()
    for part in spent:
        whole.add(part)
    return whole


# The totals and the current state of one trial.

# Keys of calls that were stopped before they were made.


class CallKey(NamedTuple):
    """Identifies a call that was stopped before it was made. The same call may be tried again."""

    stopped_by: str
    """What stopped it: `check` (the benchmark judges calls before they are
    made) or `provenance` (an argument comes from a text that is not trusted)."""
    operation: str
    path: str
    """The argument `path`; empty without one."""
    arguments: str
    """All arguments as JSON."""


def call_key(event: CallStopped | CallApproval) -> CallKey:
    """Return the key of a call that was stopped, or that the user was asked to approve.

    The user is asked about a call that was stopped for its provenance.
    """
    stopped_by = event.by if isinstance(event, CallStopped) else "provenance"
    path = str(event.arguments.get("path", ""))
    arguments = json.dumps(event.arguments, sort_keys=True)
    return CallKey(stopped_by, event.operation, path, arguments)


# Short texts for calls, such as `read /a/b.md`, for displays of running trials.

_MOST_SHOWN_CALLS: Final = 20
"""A display shows this many of a trial's latest calls."""
_MOST_CALL_CHARS: Final = 80
"""The length to which `call_text` cuts the text for one call."""


def call_text(event: CallEvent) -> str:
    """Return a short text for a call: `read` with the path `/a/b.md` -> `"read /a/b.md"`.

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
    return f"{event.operation} {subject} {words}".strip()[:_MOST_CALL_CHARS]


# The states of a trial, the value of `TrialSummary.state`
WAITING: Final = "waiting"
"""It has not begun."""
RUNNING: Final = "running"
OPEN: Final = "open"
"""It has begun, and was left open or interrupted. A resumed run continues it."""
FAILED: Final = "failed"
"""It is over, because it could not be started."""
OVER_WORST_FIRST: Final = (FAILED, "unanswered", "fallback", "answered")
"""The states of a trial that is over, the worst first. `fallback`: the solver gave no
answer, so the product sent one."""

# The reasons why a trial broke
TRIAL_BROKE: Final = "the trial broke: "
"""The beginning of a trial's `reason` if its solver raised an error, and so gave no answer."""
BENCHMARK_BROKE: Final = "the benchmark broke: "
"""The same if code of the benchmark raised an error."""

_NOTHING: Final[Mapping[str, Any]] = {}
"""An empty mapping that all trials share to save memory. It is replaced, never modified."""


def family_of(task_id: str) -> str:
    """Return a task's family: its id without a final number, such as `plan` for `plan.3`."""
    name, point, number = task_id.rpartition(".")
    if point and number.isdecimal():
        return name
    return task_id


@dataclass(slots=True)
class TrialSummary:
    """The totals and the current state of one trial."""

    trial_id: str
    task_id: str = ""
    number: int | None = None
    """The number of its world among those of its task, from 0; None if the journal does not say."""
    repeat: int = 0
    """Counts the tries in the same world, from 0."""
    instruction: str = ""
    """The task's text; empty until the trial starts."""
    state: str = WAITING
    """waiting, running, open (begun, and to be continued), or over: answered,
    unanswered, failed (to start), fallback (the product, not the model, answered)."""
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
    """The number of calls so far that were sent."""
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
    """The gates and rules that rejected the answer that was sent. An answer of the solver is sent
    only if all accept it. But a fallback answer may repeat a submission that was rejected."""
    score: float | None = None
    """The grader's score, on the run's scale; None if there is none, or it is sealed (not told yet)."""
    unscored: str = ""
    """Why it has no score and will get none; empty if it has one, or may yet get one."""
    counts_without_score: float = 0.0
    """What it counts without a score, in `counted_score`."""
    details: tuple[str, ...] = ()
    """The grader's lines about the score."""
    metrics: Mapping[str, float] = field(default_factory=lambda: _NOTHING)
    """Further figures of its grader, by name."""
    submissions: list[Objections] = field(default_factory=list)
    """The objections to each judged submission, in order."""
    stopped: dict[CallKey, str] = field(default_factory=dict)
    """Each call that was stopped before it was made, with what happened
    to it next, such as `repeated and sent` or the user's answer."""
    broken: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    """The errors of rules that raised an exception, with file and line, by the rule's key."""

    @property
    def rejections(self) -> Counter[str]:
        """The number of rejections by each gate or rule, by its key."""
        counts = Counter[str]()
        for submission in self.submissions:
            counts.update(submission.rejected)
        return counts

    @property
    def overridden(self) -> Counter[str]:
        """The number of answers sent despite an objection, by the key of the gate or rule."""
        counts = Counter[str]()
        for submission in self.submissions:
            is_accepted = not submission.rejected
            if is_accepted:
                counts.update(submission.overridden)
        return counts

    def count_call(self, event: CallEvent) -> None:
        """Count a call that was sent, unless it was counted when an earlier event announced it."""
        if event.was_announced:
            return
        self.step = event.step
        if not event.was_sent:
            return
        self.doing = call_text(event)
        self.calls += 1
        self.last_calls = (*self.last_calls, self.doing)[-_MOST_SHOWN_CALLS:]

    @property
    def task(self) -> str:
        """The task, or the trial if its task is unknown."""
        return self.task_id or self.trial_id

    @property
    def world(self) -> tuple[str, int]:
        """The task and the number of the world. With the run's seed, they identify the world."""
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
        """True if its solver gave no answer because code of the solver or the benchmark failed."""
        return self.state == "fallback" and self.reason.startswith(
            (TRIAL_BROKE, BENCHMARK_BROKE)
        )

    @property
    def own_score(self) -> float | None:
        """Its score if it is over, else None.

        A benchmark may also score a trial that was interrupted, but that score tells nothing
        about the solver.
        """
        return self.score if self.is_over else None

    @property
    def why_unscored(self) -> str:
        """Why it has no score for good, though it is over; empty if it has one or may yet get one."""
        if self.own_score is not None or not self.is_over:
            return ""
        if self.unscored:
            return self.unscored
        return self.reason if self.state == FAILED else ""

    @property
    def counted_score(self) -> float | None:
        """Its score as `compare` and `--fail-under` count it: 0 if it is over and has none for good.

        None if it is not over, or if its score is sealed.
        """
        return self.counts_without_score if self.why_unscored else self.own_score

    def stop(self, state: str, reason: str) -> None:
        """Set the state and its reason, and clear the current activity."""
        self.state = state
        self.reason = reason
        self.doing = ""
        self.output = ""


# The scores of trials in groups: by task, and by world.


def own_scores_of(
    trials: Iterable[TrialSummary],
) -> Iterator[tuple[str, float | None]]:
    """Yield each trial's task and known score, for `mean_over_tasks`."""
    for trial in trials:
        yield trial.task, trial.own_score


def scores_by_task(trials: Iterable[TrialSummary]) -> dict[str, list[float]]:
    """Return the known scores of each task that has any, of the trials that are over."""
    scores: dict[str, list[float]] = {}
    for task, score in own_scores_of(trials):
        if score is not None:
            scores.setdefault(task, []).append(score)
    return scores


def scores_by_world(
    trials: Iterable[TrialSummary], *, counted: bool = False
) -> dict[str, list[float]]:
    """Return the known scores of each task in each world: by `TASK`, `TASK in world 2` …

    If they are `counted`, a trial that is over without a score has the score 0.
    """
    scores: dict[str, list[float]] = {}
    for trial in trials:
        score = trial.counted_score if counted else trial.own_score
        if score is None:
            continue
        world = trial.task
        if trial.number:  # The number of its world, from 0.
            world += f" in world {trial.number + 1}"
        scores.setdefault(world, []).append(score)
    return scores


# Calls that were stopped before they were made, and what happened to them next.


@dataclass(frozen=True, slots=True)
class StoppedCallCount:
    """Calls that were stopped before they were made, by the same check and with the same end."""

    stopped_by: str
    """`check` or `provenance`, as in `CallKey`."""
    what_next: str
    """What happened to them next, such as `repeated and sent`."""
    count: int
    mean_score: float | None
    """The mean score over the tasks of their trials; None if no score is known."""
    unscored: int
    """How many of them are of trials that have no score for good."""


def stopped_calls(trials: Iterable[TrialSummary]) -> list[StoppedCallCount]:
    """Return the stopped calls of trials, grouped by what stopped them and what came next."""
    # 1. Collect the trials: {"check": {"repeated and sent": [first, first, second]}}
    stopped: dict[str, dict[str, list[TrialSummary]]] = {}
    for trial in trials:
        # Copied, as a running trial may add to them meanwhile.
        for call, what_next in list(trial.stopped.items()):
            trials_by_what_next = stopped.setdefault(call.stopped_by, {})
            trials_by_what_next.setdefault(what_next, []).append(trial)

    # 2. Compute the count and mean of each list.
    groups: list[StoppedCallCount] = []
    for stopped_by, trials_by_what_next in stopped.items():
        for what_next, stopped_trials in sorted(trials_by_what_next.items()):
            group = StoppedCallCount(
                stopped_by,
                what_next,
                len(stopped_trials),
                mean_over_tasks(own_scores_of(stopped_trials)),
                sum(bool(trial.why_unscored) for trial in stopped_trials),
            )
            groups.append(group)
    return groups
