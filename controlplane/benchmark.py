"""The benchmark protocol: what the control plane asks of a benchmark, and the data that passes between them.

Benchmarks implement it and are loaded by name, never imported.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from agent.evidence import Environment
from agent.model import Model
from sandbox import Aide


@dataclass(frozen=True, slots=True)
class TaskHead:
    """One task of a benchmark."""

    task_id: str
    """A name, or `FAMILY.N`; users select single tasks or families."""
    preview: str = ""
    """Its instruction, or the beginning of it."""
    hint: str = ""
    """What it is about, in a few words."""


@dataclass(frozen=True, slots=True)
class Description:
    """What a benchmark says about itself."""

    name: str
    summary: str
    tasks: tuple[TaskHead, ...]
    policy: str = "open"
    """`open`: scores come with the run; `blind`: they are sealed until the platform reveals them."""
    rule_packs: tuple[str, ...] = ()
    """Names of the gate rule packs that a run of it switches on."""
    allots_trials: bool = False
    """The benchmark decides which trials a run has, one per task; the control plane chooses among them."""
    numbered_families: tuple[str, ...] = ()
    """Families that have a task `FAMILY.N` for every N from 1 to 9999; those that are not listed play if named."""


@dataclass(frozen=True, slots=True)
class TaskTry:
    """One try of a task in a run. Each try plays in another world."""

    task_id: str
    number: int
    """Counted from 0."""
    copy: int = 0
    """Tells apart trials of the same try, which play in the same world. Only a benchmark that rebuilds trials is asked
    for another copy than 0."""

    def __str__(self) -> str:
        return f"{self.task_id}-{self.number}" + (f"-copy{self.copy}" if self.copy else "")


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What a run asks of a benchmark."""

    name: str
    """What the user calls the run."""
    tries: tuple[TaskTry, ...] = ()
    """The tries to make trials for. A benchmark that allots trials itself is told those wanted; none if any will do."""
    seed: int = 0
    """The same seed gives the same worlds."""


@dataclass(frozen=True, slots=True)
class TrialHead:
    """One trial of a run; `task_id` is empty if it is known only once the trial starts."""

    trial_id: str
    task_id: str = ""
    number: int | None = None
    """The number of its try, from 0; None if the benchmark decides which trials a run has."""


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that a benchmark has begun, with its trials."""

    run_id: str
    trials: tuple[TrialHead, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """One started trial: what is asked, and the environment to work in."""

    trial_id: str
    task_id: str
    instruction: str
    environment: Environment
    use_aide: Callable[[Aide], None] | None = None
    """Tells the environment which process its calls are to compute in. None: they compute in this process."""
    is_fresh: bool = True
    """The environment holds no change of an earlier start of this trial."""


@dataclass(frozen=True, slots=True)
class TrialScore:
    """What a grader says about a trial. `score` is None while it is sealed or deferred; None never counts as 0."""

    trial_id: str
    score: float | None
    details: tuple[str, ...] = ()
    """One line per fault."""


class RunState(StrEnum):
    """Where a run stands at its benchmark."""

    RUNNING = "running"
    PENDING = "pending"
    """Submitted; its scores are not out yet."""
    EVALUATED = "evaluated"


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run as its benchmark sees it."""

    run_id: str
    state: RunState
    score: float | None
    trials: tuple[TrialScore, ...]


class BenchmarkError(Exception):
    """A benchmark refused or failed a lifecycle call.

    `code` is a Connect code, as in `CallError`: `invalid_argument` and `not_found` are the caller's mistake;
    `unavailable`, `deadline_exceeded` and `resource_exhausted` are transient.
    """

    def __init__(self, code: str, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.retry_after_s = retry_after_s


class Benchmark(Protocol):
    """Hands out trials and takes them back. Called from many threads at once. Every call may raise `BenchmarkError`.

    `controlplane.benchmark_opening` says how one is opened.
    """

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return name, policy and tasks; given a seed, with previews of what a run of that seed plays."""
        ...

    def start_run(self, request: RunRequest) -> StartedRun:
        """Begin a run and return one trial for each try of the request, in that order.

        Raises `BenchmarkError` before anything starts if it cannot, as for a seed that it does not take.
        """
        ...

    def start_trial(self, trial_id: str) -> Trial:
        """Start one trial, also in a process that did not start the run.

        A second start gives the same trial: in its old environment if the benchmark still has that (then the trial is
        not fresh), else in the same environment made anew.
        """
        ...

    def end_trial(self, trial_id: str) -> TrialScore | None:
        """End one trial and return its score, None if that comes later. Ending it twice gives the same."""
        ...

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Hand the run in. Open trials raise `failed_precondition` without `force`, and score 0 with it."""
        ...

    def get_run(self, run_id: str) -> RunResult:
        """Return what is known about a run."""
        ...

    def player(self) -> Model | None:
        """Return the benchmark's own player, which plays if no model is named; None if it has none."""
        ...

    def close(self) -> None:
        """Release connections and threads."""
        ...
