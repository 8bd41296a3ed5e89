"""The benchmark protocol: the calls that a benchmark answers, and the data in them.

- A task is a kind of request, such as `orders.3`.
- A world is the data in which a task is set.
  It depends on the world's number and the run's seed.
- A try is one attempt at a task in a world. A copy is a further try in the same world.
- A trial carries out one try: the benchmark creates it, an agent works on it, the
  benchmark scores it.

For example, a run of `orders.3` with 2 worlds and 3 repeats has 6 tries, and so 6
trials: 3 in world 0 and 3 in world 1, with the copy numbers 0, 1 and 2.

Benchmarks are loaded by name, never imported directly. A module is a benchmark if it
has this function:

    open_benchmark(
        argument: str, settings: Mapping[str, str], context: BenchmarkContext
    ) -> OpenedBenchmark | Benchmark

`argument` is the part of `NAME:ARGUMENT` after the colon. `settings` holds
the options given as `--set NAME=VALUE`. The module declares its options in `OPTIONS:
tuple[BenchmarkOption, ...]`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, Protocol

from controlplane.agent.evidence import Environment
from controlplane.agent.model import BenchmarkModel, Model
from controlplane.sandbox import Worker, WorkerLimits
from controlplane.sandbox.interface import ToolSchema
from controlplane.sandbox.interface.outcomes import Outcomes
from controlplane.score_scale import (
    ANY_NUMBER,
    MAX_REASON_CHARS,
    UNIT_SCALE,
    ScoreScale,
    finite_number,
    sound_metrics,
)

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import SolverBindings


class StopSignal(threading.Event):
    """An event with listeners. It can be used from many threads at once."""

    def __init__(self) -> None:
        super().__init__()
        self._listeners: list[Callable[[], None]] = []

    def listen(self, listener: Callable[[], None]) -> None:
        """Call `listener` when the signal is set, or at once if it is already set.

        If both happen at the same time, it may be called twice.
        """
        self._listeners.append(listener)
        if self.is_set():
            listener()

    def set(self) -> None:
        """Set the signal, wake the threads that wait for it, and call the listeners."""
        super().set()
        for listener in self._listeners:
            listener()


@dataclass(frozen=True, slots=True)
class ListedTask:
    """A task in a benchmark's list of tasks."""

    task_id: str
    """A name, or `FAMILY.N`. Users select single tasks or whole families."""
    preview: str = ""
    """The task's instruction, or the beginning of it."""
    hint: str = ""
    """The task's subject, in a few words."""


@dataclass(frozen=True, slots=True)
class Description:
    """A benchmark's description of itself, with its list of tasks."""

    name: str
    summary: str
    tasks: tuple[ListedTask, ...]
    policy: str = "open"
    """When scores are told: `open`, when a trial ends; `blind`, after the run is submitted."""
    rule_sets: tuple[str, ...] = ()
    """The names of the rule sets that the benchmark's runs switch on."""
    allots_trials: bool = False
    """Who decides which trials a new run has.

    True: the benchmark makes a trial for each of its tasks. The control plane plays
    only those whose tasks the user selected.
    False: the control plane says which tries it needs, and the benchmark makes a trial
    for each."""
    numbered_families: tuple[str, ...] = ()
    """Families that have a task `FAMILY.N` for every N from 1 to 9999.
    A task that is not listed is played only if the user names it."""


@dataclass(frozen=True, slots=True)
class TaskTry:
    """One try of a task in a run. A benchmark makes a trial for it.

    A world is the generated content of a task's environment. A run may try a task in
    several worlds, and several times in the same world.
    """

    task_id: str
    number: int
    """The number of the world, from 0. If a benchmark has no seeds, all numbers mean one world."""
    copy: int = 0
    """The number of this try among the tries of the task in this world, from 0: 2 for the third."""

    def __str__(self) -> str:
        """Return `orders.3-0`, or `orders.3-0-copy1` for a further try in the same world."""
        text = f"{self.task_id}-{self.number}"
        if self.copy:
            text += f"-copy{self.copy}"
        return text


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A request to a benchmark to start a run."""

    name: str
    """The user's name for the run."""
    tries: tuple[TaskTry, ...] = ()
    """The tries that need trials. A benchmark that itself decides which trials a run
    has (`allots_trials`) gets the selected tries; none if it may choose any."""
    seed: int = 0
    """The same seed gives the same worlds."""


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """A trial of a run, before the trial is started: its id, and what is known of its task."""

    trial_id: str
    task_id: str = ""
    """Empty if the task is known only after the trial starts."""
    number: int | None = None
    """The number of the world, as `TaskTry.number`. None if the benchmark has chosen the trial."""
    repeat: int = 0
    """The number of the try among those in this world, from 0, as `TaskTry.copy`."""


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that a benchmark has started, with its trials, none of which has started yet."""

    run_id: str
    trials: tuple[PlannedTrial, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """A started trial: its instruction, and the environment to work in."""

    trial_id: str
    task_id: str
    instruction: str
    environment: Environment
    use_worker: Callable[[Worker], None] | None = None
    """Called before the trial with the worker process that should compute the results
    of its calls. None if the environment computes them in this process."""

    # The next three fields say how an interrupted trial is resumed. Its environment may be the same
    # as before, with the changes that the trial made, or a fresh one, without them:
    #
    # is_fresh  repeats_all_calls  begins_anew   what happens
    # False     any                any           the trial continues
    # True      False              False         the calls that may have changed something are
    #                                            made again, and then the trial continues
    # True      True               False         all calls are made again, and then it continues
    # True      any                True          the trial starts from its beginning

    is_fresh: bool = True
    """The environment is new: it lacks the changes of an earlier start of this trial."""
    repeats_all_calls: bool = False
    """Even calls that only read, or that failed for good, are repeated.
    This is for a grader that judges the list of calls its environment received."""
    begins_anew: bool = False
    """No recorded call is repeated: the trial starts from its beginning."""

    time_limit_s: float = 0.0
    """The seconds that the task allows for the work on it, in place
    of the run's `trial_time`. 0: the run's `trial_time` applies."""

    def __post_init__(self) -> None:
        if not isinstance(self.instruction, str):
            msg = (
                f"the instruction of {self.task_id} is a text, not {self.instruction!r}"
            )
            raise TypeError(msg)


@dataclass(frozen=True, slots=True)
class TrialScore:
    """A grader's verdict on a trial.

    A value that is no finite number up to 10^15 is no score: `score` is then None, and `unscored`
    and the first line of `details` say why. Such metrics are left out, and named in `details`.
    """

    trial_id: str
    score: float | None
    """None if there is no score (`unscored` says why), and while it is sealed or not yet known."""
    details: tuple[str, ...] = ()
    """The faults of the trial, one line each."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Further figures by name, such as `security`. Tables and reports show their means."""
    unscored: str = ""
    """Why the trial has no score and will get none. Empty if it has one or may yet get one. Where
    it matters, such a trial counts as 0."""

    def __post_init__(self) -> None:
        # `object.__setattr__` because the class is frozen.
        if self.score is not None:
            object.__setattr__(self, "unscored", "")
            if finite_number(self.score) is None:
                self._leave_out_score(ANY_NUMBER.fault_of(self.score))
        elif self.unscored:
            reason = " ".join(self.unscored.split())
            object.__setattr__(self, "unscored", reason[:MAX_REASON_CHARS])
            if not self.details:
                object.__setattr__(self, "details", (self.unscored,))
        metrics, faults = sound_metrics(self.metrics)
        if faults:
            object.__setattr__(self, "metrics", metrics)
            object.__setattr__(self, "details", (*self.details, *faults))

    def within(self, scale: ScoreScale) -> TrialScore:
        """Return this verdict with a score of the scale, or without a score and with the reason."""
        if self.score is None:
            return self
        score = scale.score_of(self.score)
        if score is not None:
            return replace(self, score=score)
        checked = replace(self)
        checked._leave_out_score(scale.fault_of(self.score))
        return checked

    def _leave_out_score(self, reason: str) -> None:
        object.__setattr__(self, "score", None)
        object.__setattr__(self, "unscored", reason)
        object.__setattr__(self, "details", (reason, *self.details))


class RunState(StrEnum):
    """The state of a run at its benchmark."""

    RUNNING = "running"
    PENDING = "pending"
    """The run is submitted, but its scores are not yet known."""
    EVALUATED = "evaluated"


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run as its benchmark reports it."""

    run_id: str
    state: RunState
    score: float | None
    """The score of the whole run; None while it is sealed, or if there is none. A value that is no
    finite number is none."""
    trials: tuple[TrialScore, ...]
    """The trial scores that are known so far."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "score", finite_number(self.score))

    def within(self, scale: ScoreScale) -> RunResult:
        """Return this result with scores of the scale.

        The score of the run is kept only if all scores of its trials are: it may be their mean.
        """
        trials = tuple(trial.within(scale) for trial in self.trials)
        has_all = not any(trial.unscored for trial in trials)
        score = scale.score_of(self.score) if has_all else None
        return replace(self, score=score, trials=trials)


class BenchmarkError(Exception):
    """A benchmark refused or failed a lifecycle call."""

    def __init__(
        self, code: str, message: str, *, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        """A Connect code, as in `CallError`. `invalid_argument` and `not_found`
        are the caller's mistake; `unavailable`, `deadline_exceeded` and
        `resource_exhausted` are transient."""
        self.message = message
        self.retry_after_s = retry_after_s
        """The seconds after which the call may be repeated; None if the benchmark does not say."""


class Benchmark(Protocol):
    """Starts, ends and scores trials.

    The methods are called from many threads at once.
    Every call may raise `BenchmarkError`.
    """

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return name, policy and tasks. Given a seed, the previews are those of its worlds."""
        ...

    def start_run(self, request: RunRequest) -> StartedRun:
        """Start a run and return one trial for each try of the request, in that order.

        Raises `BenchmarkError` before anything starts if the run cannot be started, for
        example because the seed is not supported.
        """
        ...

    def start_trial(self, trial_id: str) -> Trial:
        """Start a trial, even if another process started its run.

        A second start gives the same trial. If the benchmark still has the old
        environment, the trial gets that one, and its `is_fresh` is False. Otherwise the
        benchmark builds a new environment, and `is_fresh` is True.
        """
        ...

    def end_trial(self, trial_id: str) -> TrialScore | None:
        """End a trial and return its score; None if the score comes later.

        A second call returns the same score.
        """
        ...

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Submit the run.

        Without `force`, open trials raise `failed_precondition`. With it, they score 0.
        """
        ...

    def get_run(self, run_id: str) -> RunResult:
        """Return the state of a run and its known scores."""
        ...

    def player(self) -> Model | None:
        """Return the player that is used if no model is named; None if the benchmark has none.

        A player is a program that writes the scripts of a trial in place of a model. To
        the control plane, it is a `Model` like any other.
        """
        ...

    def close(self) -> None:
        """Release connections and threads."""
        ...


@dataclass(frozen=True, slots=True)
class BenchmarkOption:
    """An option of a benchmark, given as `--set NAME=VALUE`."""

    name: str
    description: str = ""
    choices: tuple[str, ...] = ()
    """The allowed values; empty if the benchmark checks the value itself."""
    secret_variable: str = ""
    """The environment variable that holds the value, if it is a secret.
    Such a value is refused as an option, because options are written to the journal."""


GRADER_OUTPUT: Final = PurePosixPath("verifier", "test-stdout.txt")
"""What a grader has printed, in the folder of its trial. Pages of trials show its last lines."""


@dataclass(slots=True)
class TrialFolders:
    """The folders of a run's trials, for files that a benchmark keeps for readers."""

    top: Path | None = None
    """The folder of the run, beside its journal; None while no run is played."""

    @classmethod
    def beside(cls, journal: Path) -> TrialFolders:
        """Return the folders of the run with this journal: `runs/a.jsonl` -> `runs/a`."""
        return cls(journal.with_suffix(""))

    def of(self, trial_id: str) -> Path | None:
        """Return the folder of a trial, which need not exist; None while no run is played.

        None also for an id that names no folder of its own, as somebody else's journal may have.
        """
        is_name = trial_id == Path(trial_id).name and "\0" not in trial_id
        if self.top is None or not is_name:
            return None
        return self.top / trial_id


@dataclass(frozen=True, slots=True)
class BenchmarkContext:
    """The parts of the control plane that an opened benchmark can use."""

    stop: StopSignal = field(default_factory=StopSignal)
    """Set while the run is being stopped. Waits and retries should then end soon."""
    notify: Callable[[str], None] = lambda text: None
    """Writes one line for the user to the journal and the progress display."""
    folders: TrialFolders = field(default_factory=TrialFolders)
    """Where files are put that a trial leaves for its readers, such as the log of its grader."""

    def model(self, role: str) -> Model:
        """Return a model for the benchmark: `grade` for a grader, `user` for a simulated user.

        The benchmark calls `.complete(messages).text` while a trial is played or
        graded, in the thread that does so. The user chooses the model with `--role
        grade=PROFILE`; by default it is the model of the run. The replies are written
        to the journal with tokens and cost, and a resumed trial takes them from there.
        Raises `ValueError` for another role.
        """
        return BenchmarkModel(role)


@dataclass(frozen=True, slots=True)
class BenchmarkIdentity:
    """A spec and options that open the same benchmark anywhere, whatever the environment there."""

    spec: str
    """NAME or NAME:ARGUMENT."""
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MachineFinding:
    """Whether this machine can play trials of a benchmark, as `doctor` tells it."""

    works: bool | None
    """None if it cannot be known without a run."""
    text: str
    """What was found, in one line."""
    remedy: str = ""
    """What the user can do; empty if nothing has to be done."""


@dataclass(frozen=True, slots=True)
class OpenedBenchmark:
    """What a module's `open_benchmark` returns: the benchmark, and what is known about its trials.

    A benchmark sets only the fields that differ from the usual case. If none does,
    `open_benchmark` may return the plain `Benchmark`.
    """

    benchmark: Benchmark

    # How its worlds can be opened again later

    resume_identity: BenchmarkIdentity | None = None
    """The name and options with which `resume` opens this benchmark.

    Given by a benchmark whose name or options may mean something else later,
    such as a relative folder, or a server's address from the environment.
    None: as the user gave them."""
    world_version: str = ""
    """A version, which changes whenever a seed gives other worlds than before. Empty if
    worlds have no version."""
    rebuilds_trials: bool = False
    """A trial's environment can be rebuilt and graded at any time from
    the trial's id alone, and its calls have no effect outside this process."""
    files: Mapping[str, str] | None = None
    """The texts of the files that the trials see, by path. Given by a benchmark
    whose trials can be saved as tasks with these files (`ask --save-task`)."""

    # What the trials offer to solvers

    tool_schemas: Callable[[Sequence[str]], Iterable[ToolSchema]] | None = None
    """Returns the tool schemas of the trials of these tasks, in any order,
    without starting a trial. None: the schemas are known only when a trial starts."""
    bindings: SolverBindings | Callable[[], SolverBindings] | None = None
    """What the benchmark adds to the parts of a solver, such as the fields
    that a classifier fills in. A function is called when a part first needs it."""
    outcomes: Outcomes | None = None
    """The outcomes of trials whose tool schema declares none. None: the general ones, or those of
    the platform if the benchmark's own code or data names one that only the platform has."""
    servers: tuple[str, ...] = ()
    """The MCP servers whose tools the trials use. The user has to name each of them
    for a run that works on trials, but not for a run that only replays or grades."""

    # Programs and recordings that play in place of a model

    players: Mapping[str, Model] = field(default_factory=dict)
    """Programs that the user may name in place of a model, such as `solution`."""
    player_families: tuple[str, ...] = ()
    """The families of tasks that `Benchmark.player()` can play;
    empty for all. A run without a model plays only these."""
    recordings: Mapping[str, Path] = field(default_factory=dict)
    """Recorded runs that can be played like models, by name. Each is a file with
    the replies of a model, and with the seed and the scores of its tasks."""

    # The processes of a trial

    machine_check: Callable[[], MachineFinding] | None = None
    """Finds out for `doctor` whether this machine can play the trials, as by starting a
    container. None: nothing is needed but this process."""
    worker_modules: tuple[str, ...] = ()
    """Modules with functions that the environments call in a trial's
    worker process. The process imports them when it starts."""
    worker_limits: WorkerLimits = field(default_factory=WorkerLimits)
    """The limits of the worker process."""
    function_modules: tuple[str, ...] = ()
    """Modules with the functions that the environments declare.
    The process of a trial's scripts imports them when it starts."""
    longest_silence_s: float = 0.0
    """For a slow benchmark, such as one that builds containers: the seconds by
    which its longest call (starting a trial, ending it, or one call of a script)
    exceeds what a run allows any benchmark. A run gives up a trial that gives
    no sign of life for longer."""

    usual_concurrency: int = 0
    """The most trials at the same time unless the user sets `concurrency`, such as
    the containers that this machine can run. 0: as many as for other benchmarks."""

    # Trials in the processes of a cluster (`--workers dask:...`)

    stays_here: str = ""
    """Why the trials can only run in this process, and what
    the user should do; empty if they can run anywhere."""
    ended_elsewhere: Callable[[TrialScore], None] | None = None
    """Tells the benchmark in this process the score of a trial
    that ended in another process. None if it does not have to know."""

    # What its graders give

    scale: ScoreScale = UNIT_SCALE
    """The lowest and the highest score. What is not on it is no score: this is told, and the trial
    has none. Any scale but that from 0 to 1 is shown beside each mean."""

    def __post_init__(self) -> None:
        # A benchmark may say `scale=(0, 100)`. Raises `ValueError` for a scale that is none.
        object.__setattr__(self, "scale", ScoreScale.of(self.scale))
