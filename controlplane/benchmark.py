"""The benchmark protocol: what the control plane asks of a benchmark, the data that passes, how one is opened.

Benchmarks implement it and are loaded by name, never imported. A module is a benchmark if it has

    open_benchmark(argument: str, settings: Mapping[str, str], context: BenchmarkContext) -> OpenedBenchmark | Benchmark

`argument` is what follows the colon of `NAME:ARGUMENT`; `settings` holds the options given as `--set NAME=VALUE`. The
module declares those it takes in `OPTIONS: tuple[BenchmarkOption, ...]`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from agent.evidence import Environment
from agent.model import Model
from sandbox import Aide

if TYPE_CHECKING:
    from agent.exoskeleton import SolverBindings

Listener: TypeAlias = Callable[[bool], None]


class StopSignal(threading.Event):
    """An event with listeners. Used from many threads at once."""

    def __init__(self) -> None:
        super().__init__()
        self._listeners: list[Listener] = []

    def listen(self, listener: Listener) -> None:
        """Call `listener` with True whenever the signal is set and with False whenever it is cleared; at once if it is
        set already."""
        self._listeners.append(listener)
        if self.is_set():
            listener(True)

    def set(self) -> None:
        """Set the signal, wake everyone who waits for it, and tell the listeners."""
        super().set()
        for listener in self._listeners:
            listener(True)

    def clear(self) -> None:
        """Clear the signal and tell the listeners."""
        super().clear()
        for listener in self._listeners:
            listener(False)


@dataclass(frozen=True, slots=True)
class TaskHead:
    """One task of a benchmark."""

    task_id: str
    """A name, or `FAMILY.N`; users select single tasks or families."""
    preview: str = ""
    """Its instruction, or the beginning of it."""
    hint: str = ""
    """Its subject, in a few words."""


@dataclass(frozen=True, slots=True)
class Description:
    """A benchmark's description of itself."""

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
    """A run, as a benchmark is asked to start it."""

    name: str
    """The user's name for the run."""
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
    """The environment has no changes of an earlier start of this trial."""


@dataclass(frozen=True, slots=True)
class TrialScore:
    """A grader's verdict on a trial. `score` is None while it is sealed or deferred; None never counts as 0."""

    trial_id: str
    score: float | None
    details: tuple[str, ...] = ()
    """One line per fault."""


class RunState(StrEnum):
    """The state of a run at its benchmark."""

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
    """Hands out trials and takes them back. Called from many threads at once. Every call may raise `BenchmarkError`."""

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


@dataclass(frozen=True, slots=True)
class BenchmarkOption:
    """One option that a benchmark takes as `--set NAME=VALUE`."""

    name: str
    description: str = ""
    choices: tuple[str, ...] = ()
    """The values that it takes; empty if the benchmark checks them itself."""
    secret_variable: str = ""
    """A secret is read from this environment variable and refused as an option: options are written down."""


@dataclass(frozen=True, slots=True)
class BenchmarkContext:
    """The control plane, as an opened benchmark sees it."""

    stop: StopSignal = field(default_factory=StopSignal)
    """Set while the run is being stopped: waits and retries should end soon. It may be cleared again."""
    notify: Callable[[str], None] = lambda text: None
    """Writes one line that the user should know into the journal and the progress display."""


@dataclass(frozen=True, slots=True)
class BenchmarkIdentity:
    """Spec and options that open the same benchmark anywhere, independent of the environment there."""

    spec: str
    """NAME or NAME:ARGUMENT."""
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class OpenedBenchmark:
    """A benchmark with what the control plane may ask about it."""

    benchmark: Benchmark
    resume_identity: BenchmarkIdentity | None = None
    """The benchmark that `resume` opens. None: the spec and the settings as the user gave them."""
    throttle_status: Callable[[int], str] | None = None
    """Says in a few words what throttles the calls of that number of trials at a time; empty if nothing does."""
    aide_modules: tuple[str, ...] = ()
    """Modules whose functions its environments have called in a trial's aide; they are imported there beforehand."""
    ended_elsewhere: Callable[[TrialScore], None] | None = None
    """Told of every trial that ended in another process, with its score. None: the benchmark knows by itself."""
    stays_here: str = ""
    """The reason why its trials cannot run in other processes, and a remedy; empty if they can."""
    world_version: str = ""
    """Changes whenever the same seed gives other worlds. Empty if the benchmark's worlds are not versioned."""
    bindings: SolverBindings | Callable[[], SolverBindings] | None = None
    """Its kind of workspace, described for solvers: a classifier's fields, checks that its environments declare; or a
    function that returns the description, called if a solver has a part that needs it."""
    rebuilds_trials: bool = False
    """A trial's id is enough to make its environment anew at any time, unseen by anybody, and to grade it there."""
    servers: tuple[str, ...] = ()
    """The MCP servers whose tools its trials use. A run that works on them needs each named by the user."""
    calls_wait: bool = False
    """Calls of its environments wait for something else than a core, so that one process can work on two trials."""
