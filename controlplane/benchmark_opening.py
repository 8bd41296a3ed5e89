"""What a benchmark module has, what opening it is given, and what it returns.

A module is a benchmark if it has

    open_benchmark(argument: str, settings: Mapping[str, str], context: BenchmarkContext) -> OpenedBenchmark | Benchmark

`argument` is what follows the colon of `NAME:ARGUMENT`; `settings` holds the options given as `--set NAME=VALUE`. The
module declares those it takes in `OPTIONS: tuple[BenchmarkOption, ...]`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from agent.exoskeleton import SolverBindings
from controlplane.benchmark import Benchmark, TrialScore
from controlplane.stop_signal import StopSignal


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
    """What a benchmark is given when it is opened."""

    stop: StopSignal = field(default_factory=StopSignal)
    """Set while the run is being stopped: waits and retries should end soon. It may be cleared again."""
    notify: Callable[[str], None] = lambda text: None
    """Writes one line that the user should know into the journal and the progress display."""


@dataclass(frozen=True, slots=True)
class BenchmarkIdentity:
    """What opens the same benchmark again anywhere, whatever the environment says there."""

    spec: str
    """NAME or NAME:ARGUMENT."""
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class OpenedBenchmark:
    """A benchmark with what the control plane may ask about it."""

    benchmark: Benchmark
    resume_identity: BenchmarkIdentity | None = None
    """What `resume` opens. None: the spec and the settings as the user gave them."""
    throttle_status: Callable[[int], str] | None = None
    """Says in a few words what holds the calls of so many trials at a time back; empty if nothing does."""
    aide_modules: tuple[str, ...] = ()
    """Modules whose functions its environments have called in a trial's aide; they are imported there beforehand."""
    ended_elsewhere: Callable[[TrialScore], None] | None = None
    """Told of every trial that ended in another process, with its score. None: the benchmark knows by itself."""
    stays_here: str = ""
    """Why its trials cannot run in other processes, and what to do; empty if they can."""
    world_version: str = ""
    """Changes whenever the same seed gives other worlds. Empty if the benchmark's worlds are not versioned."""
    bindings: SolverBindings | None = None
    """What solvers may know of its kind of workspace: a classifier's fields, checks that its environments declare."""
    rebuilds_trials: bool = False
    """A trial's id is enough to make its environment anew at any time, unseen by anybody, and to grade it there."""
    calls_wait: bool = False
    """Calls of its environments wait for something else than a core, so that one process can work on two trials."""
