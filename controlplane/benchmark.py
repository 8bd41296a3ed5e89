"""What the control plane needs of a benchmark. Benchmarks implement it and are loaded by name, never imported."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from agent.evidence import Environment
from agent.model import Model


@dataclass(frozen=True, slots=True)
class TaskHead:
    """One task a benchmark has: its id and a first look at its instruction."""

    task_id: str
    preview: str = ""
    hint: str = ""


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


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What a run asks of a benchmark. What it cannot honour it refuses before anything starts (`BenchmarkError`)."""

    name: str
    tasks: tuple[str, ...] = ()
    """Task ids, or names of families; empty for all."""
    repeats: int = 1
    seed: int = 0
    limit: int | None = None
    """At most so many trials."""


@dataclass(frozen=True, slots=True)
class TrialHead:
    """One trial as a run allots it; `task_id` is empty where it is known only once the trial starts."""

    trial_id: str
    task_id: str = ""


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that a benchmark has begun."""

    run_id: str
    trials: tuple[TrialHead, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """One started trial: what is asked, and where."""

    trial_id: str
    task_id: str
    instruction: str
    environment: Environment
    is_fresh: bool = True
    """The environment holds no change of an earlier start of this trial; False where it goes on from one."""


@dataclass(frozen=True, slots=True)
class TrialScore:
    """What a grader said about a trial. `score` is None while it is sealed or deferred; None is never 0."""

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

    `code` is a Connect code, as in `CallError`: `invalid_argument` and `not_found` are the caller's
    mistake; `unavailable`, `deadline_exceeded` and `resource_exhausted` are failures that may pass.
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

    def describe(self) -> Description:
        """Return name, policy and tasks."""
        ...

    def start_run(self, request: RunRequest) -> StartedRun:
        """Begin a run and allot its trials."""
        ...

    def start_trial(self, trial_id: str) -> Trial:
        """Start one trial; also in a process that did not start the run. A second start gives the same trial: the same
        environment where the benchmark still has it (then the trial is not fresh), else the same one anew."""
        ...

    def end_trial(self, trial_id: str) -> TrialScore | None:
        """End one trial and return its score where the benchmark gives it now. Ending it twice is no error."""
        ...

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Hand the run in. Without `force`, open trials are an error `failed_precondition`; with it they score 0."""
        ...

    def get_run(self, run_id: str) -> RunResult:
        """Return what is known about a run."""
        ...

    def player(self) -> Model | None:
        """Return the benchmark's own player, its default without a model named; None where it has none."""
        ...

    def close(self) -> None:
        """Give back connections and threads."""
        ...
