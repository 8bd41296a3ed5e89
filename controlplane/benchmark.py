"""The benchmark protocol: the calls that a benchmark answers, and the data in them.

A benchmark has tasks, such as `orders.3`. A task can be set in several worlds: generated data that
depend on the number of the world and on the run's seed. A try is one attempt at a task in a world;
further tries in the same world are its copies. A run has a trial for each try. The benchmark
creates the trial, an agent works on it, and the benchmark scores it.

Benchmarks are loaded by name, never imported directly. A module is a benchmark if it has this
function:

    open_benchmark(
        argument: str, settings: Mapping[str, str], context: BenchmarkContext
    ) -> OpenedBenchmark | Benchmark

`argument` is the part of `NAME:ARGUMENT` after the colon. `settings` holds the options given as
`--set NAME=VALUE`. The module declares its options in `OPTIONS: tuple[BenchmarkOption, ...]`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from controlplane.agent.evidence import Environment
from controlplane.agent.model import BenchmarkModel, Model
from controlplane.errors import did_you_mean
from controlplane.sandbox import Worker, WorkerLimits
from controlplane.sandbox.interface import ToolSchema, error_codes

if TYPE_CHECKING:
    from controlplane.agent.exoskeleton import SolverBindings


class StopSignal(threading.Event):
    """An event with listeners. It can be used from many threads at once."""

    def __init__(self) -> None:
        super().__init__()
        self._listeners: list[Callable[[], None]] = []

    def listen(self, listener: Callable[[], None]) -> None:
        """Call `listener` when the signal is set, or at once if it is already set."""
        self._listeners.append(listener)
        if self.is_set():
            listener()

    def set(self) -> None:
        """Set the signal, wake the threads that wait for it, and call the listeners."""
        super().set()
        for listener in self._listeners:
            listener()


@dataclass(frozen=True, slots=True)
class TaskStub:
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
    tasks: tuple[TaskStub, ...]
    policy: str = "open"
    """`open`: scores come with the run. `blind`: scores are sealed until they are revealed."""
    rule_sets: tuple[str, ...] = ()
    """The names of the rule sets that the benchmark's runs switch on."""
    allots_trials: bool = False
    """True if the benchmark itself decides which trials a new run has, one for each task. The
    control plane then plays the trials of the tasks that the user selected. If False, the control
    plane asks for tries, and the benchmark makes a trial for each."""
    numbered_families: tuple[str, ...] = ()
    """Families that have a task `FAMILY.N` for every N from 1 to 9999. A task that is not listed is
    played only if the user names it."""


@dataclass(frozen=True, slots=True)
class TaskTry:
    """One try of a task in a run."""

    task_id: str
    number: int
    """The number of the world, from 0. A benchmark without seeds has one world for all numbers."""
    copy: int = 0
    """The number of this try among the tries of the task in this world, from 0."""

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
    """The tries that need trials. A benchmark that allots trials itself gets the selected tries, or
    none if it may allot any trials."""
    seed: int = 0
    """The same seed gives the same worlds."""


@dataclass(frozen=True, slots=True)
class TrialStub:
    """A trial of a run that has not been started."""

    trial_id: str
    task_id: str = ""
    """Empty if the task is known only after the trial starts."""
    number: int | None = None
    """The `number` of its try, from 0: its world. None if the benchmark allots the trials."""
    repeat: int = 0
    """The `copy` of its try."""


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that a benchmark has started, with its trials."""

    run_id: str
    trials: tuple[TrialStub, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """A started trial: its instruction, and the environment to work in."""

    trial_id: str
    task_id: str
    instruction: str
    environment: Environment
    use_worker: Callable[[Worker], None] | None = None
    """Tells the environment which process its calls compute in. None: this process."""
    # The next three fields say how an interrupted trial is resumed. If the environment has lost the
    # trial's changes, the recorded calls that may have changed something are repeated, and the
    # trial continues where it stopped.

    is_fresh: bool = True
    """The environment is new, or has lost the changes from an earlier start of this trial."""
    repeats_all_calls: bool = False
    """In a fresh environment, all recorded calls are repeated, even those that only read or that
    failed for good. This is for a grader that judges the list of calls its environment received."""
    begins_anew: bool = False
    """In a fresh environment, the trial starts from the beginning. No recorded call is repeated."""

    time_limit_s: float = 0.0
    """The seconds that the task allows for the work on it, in place of the run's `trial_time`. 0:
    the run's `trial_time` applies."""

    def __post_init__(self) -> None:
        if not isinstance(self.instruction, str):
            msg = f"the instruction of {self.task_id} is a text, not {self.instruction!r}"
            raise TypeError(msg)
        _accept_earlier_name(self.environment)


def _accept_earlier_name(environment: Environment) -> None:
    """Accept an environment of an earlier version, which calls its `tool_schema` `surface`."""
    if not hasattr(environment, "tool_schema") and hasattr(environment, "surface"):
        vars(environment)["tool_schema"] = environment.surface


MAX_SCORE: Final = 10**15
"""A larger number is treated as a grader's fault. Journals that contain one are refused."""


@dataclass(frozen=True, slots=True)
class TrialScore:
    """A grader's verdict on a trial.

    Raises `ValueError` for a score that is not a number up to 10^15.
    """

    trial_id: str
    score: float | None
    """None while the score is sealed or not yet known. None never counts as 0."""
    details: tuple[str, ...] = ()
    """The faults of the trial, one line each."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Further figures by name, such as `security`. Tables and reports show their means."""

    def __post_init__(self) -> None:
        _check_score(self.trial_id, self.score)
        for name, value in self.metrics.items():
            _check_score(f"{self.trial_id}, {name},", value)


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
    """The score of the whole run; None while it is sealed, or if there is none."""
    trials: tuple[TrialScore, ...]
    """The trial scores that are known so far."""

    def __post_init__(self) -> None:
        _check_score(self.run_id, self.score)


def _check_score(subject: str, score: object) -> None:
    """Raise `ValueError` unless the score is None or a finite number up to `MAX_SCORE`."""
    if score is None:
        return
    is_plain_number = isinstance(score, int | float) and abs(score) <= MAX_SCORE
    if not is_plain_number:
        msg = f"the score of {subject} is a finite number or None, not {score!r}"
        raise ValueError(msg)


class BenchmarkError(Exception):
    """A benchmark refused or failed a lifecycle call."""

    def __init__(self, code: str, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        """A Connect code, as in `CallError`. `invalid_argument` and `not_found` are the caller's
        mistake; `unavailable`, `deadline_exceeded` and `resource_exhausted` are transient."""
        self.message = message
        self.retry_after_s = retry_after_s
        """The seconds after which the call may be repeated; None if the benchmark does not say."""


class Benchmark(Protocol):
    """Starts, ends and scores trials.

    The methods are called from many threads at once. Every call may raise `BenchmarkError`.
    """

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return name, policy and tasks. Given a seed, the previews are those of its worlds."""
        ...

    def start_run(self, request: RunRequest) -> StartedRun:
        """Start a run and return one trial for each try of the request, in that order.

        Raises `BenchmarkError` before anything starts if the run cannot be started, for example
        because the seed is not supported.
        """
        ...

    def start_trial(self, trial_id: str) -> Trial:
        """Start a trial, even if another process started its run.

        A second start gives the same trial. It uses the old environment if the benchmark still has
        it, and the trial is then not fresh. Otherwise the benchmark builds the environment anew.
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
        """Return the player that is used if no model is named; None if the benchmark has none."""
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
    """The environment variable that holds the value, if it is a secret. Such a value is refused as
    an option, because options are written to the journal."""


@dataclass(frozen=True, slots=True)
class BenchmarkContext:
    """The parts of the control plane that an opened benchmark can use."""

    stop: StopSignal = field(default_factory=StopSignal)
    """Set while the run is being stopped. Waits and retries should then end soon."""
    notify: Callable[[str], None] = lambda text: None
    """Writes one line for the user to the journal and the progress display."""

    def model(self, role: str) -> Model:
        """Return a model for the benchmark: `grade` for a grader, `user` for a simulated user.

        The benchmark calls `.complete(messages).text` while a trial is played or graded, in the
        thread that does so. The user chooses the model with `--role grade=PROFILE`; by default it
        is the model of the run. The replies are written to the journal with tokens and cost, and a
        resumed trial takes them from there. Raises `ValueError` for another role.
        """
        return BenchmarkModel(role)


@dataclass(frozen=True, slots=True)
class BenchmarkIdentity:
    """A spec and options that open the same benchmark anywhere, whatever the environment there."""

    spec: str
    """NAME or NAME:ARGUMENT."""
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class OpenedBenchmark:
    """An opened benchmark, with what the control plane has to know about it.

    Every field but the first is optional.
    """

    benchmark: Benchmark

    # Worlds

    resume_identity: BenchmarkIdentity | None = None
    """The benchmark that `resume` opens. None: the spec and the settings as the user gave them."""
    world_version: str = ""
    """Changes whenever the same seed gives different worlds. Empty if worlds are not versioned."""
    rebuilds_trials: bool = False
    """A trial's environment can be rebuilt and graded at any time from the trial's id alone, and
    its calls have no effect outside this process."""
    files: Mapping[str, str] | None = None
    """The texts of the files that the trials see, by path. Given if a trial can be saved as a task
    with these files."""

    # What the trials offer to solvers

    tool_schemas: Callable[[Sequence[str]], Iterable[ToolSchema]] | None = None
    """Returns the tool schemas of the trials of these tasks, in any order, without starting a
    trial. None: the schemas are known only when a trial starts."""
    bindings: SolverBindings | Callable[[], SolverBindings] | None = None
    """A description of the workspace for solvers: the fields of a classifier, and the checks that
    environments declare. It may be a function that returns the description and is called when a
    part of the solver needs it."""
    servers: tuple[str, ...] = ()
    """The MCP servers whose tools the trials use. The user has to name each of them for a run that
    works on trials, but not for a run that only replays or grades."""

    # Players that play in place of a model

    players: Mapping[str, Model] = field(default_factory=dict)
    """The benchmark's own players by name, such as `solution`."""
    player_families: tuple[str, ...] = ()
    """The families of tasks that the benchmark's player has rules for; empty for all. Without a
    model, a run plays only these."""
    recordings: Mapping[str, Path] = field(default_factory=dict)
    """Recorded runs that can be played like models, by name. Each is a file with the replies of a
    model, and with the seed and the scores of its tasks."""

    # The processes of a trial

    worker_modules: tuple[str, ...] = ()
    """Modules with functions that the environments call in a trial's worker process. The process
    imports them when it starts."""
    worker_limits: WorkerLimits = field(default_factory=WorkerLimits)
    """The limits of the worker process."""
    function_modules: tuple[str, ...] = ()
    """Modules with the functions that the environments declare. The process of a trial's scripts
    imports them when it starts."""
    longest_silence_s: float = 0.0
    """The extra seconds that starting a trial, one call, or ending a trial may take before a run
    gives the trial up. They are added to the time that a run allows any benchmark."""

    # Trials on the workers of a cluster

    stays_here: str = ""
    """The reason why its trials cannot run in other processes, with a remedy; empty if they can."""
    ended_elsewhere: Callable[[TrialScore], None] | None = None
    """Called with the score of every trial that ended in another process. May be None."""


@dataclass(frozen=True, slots=True)
class TaskSelection:
    """The tasks that a user chose to play, and how often to play each."""

    names: tuple[str, ...] = ()
    """Task ids, or family names (a task's id up to its last dot). Empty for all tasks."""
    limit: int | None = None
    """The largest number of tasks in a run, at least 1; None for no limit."""
    repeats: int = 1
    """The number of tries of each task in the same world, at least 1."""
    worlds: int = 1
    """The number of worlds for each task, at least 1."""
    only: tuple[TaskTry, ...] = ()
    """The exact tries to play, whatever the other fields say. Empty: the other fields decide."""

    def task_ids(self, description: Description) -> list[str]:
        """Return the listed tasks, and after them any unlisted tasks that the user names.

        Unlisted tasks belong to numbered families. If the benchmark lists no task of such a family,
        the family's name stands for its first task, `FAMILY.1`. Raises `BenchmarkError` for a name
        that is neither a task nor a family.
        """
        task_ids = list(dict.fromkeys(task.task_id for task in description.tasks))
        families = []
        for task_id in task_ids:
            family = family_of(task_id)
            if family and family not in families:
                families.append(family)
        unlisted_families = []
        for family in description.numbered_families:
            if family not in families:
                unlisted_families.append(family)

        for name in self.names:
            task_id = f"{name}.1" if name in unlisted_families else name
            family, _, number = task_id.rpartition(".")
            is_numbered = family in description.numbered_families and _is_task_number(number)
            if is_numbered and task_id not in task_ids:
                task_ids.append(task_id)

        known_names = [*families, *unlisted_families, *task_ids]
        for name in self.names:
            if name not in known_names:
                msg = f"no task {name!r}{did_you_mean(name, known_names, most=10)}"
                raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)
        return task_ids

    def tries(self, task_ids: Sequence[str]) -> tuple[TaskTry, ...]:
        """Return the tries of the selected tasks: each task once before any task is repeated."""
        if self.only:
            return self.only
        selected_ids = self._selected(task_ids)
        tries = []
        for copy in range(self.repeats):
            for world in range(self.worlds):
                for task_id in selected_ids:
                    tries.append(TaskTry(task_id, world, copy))
        return tuple(tries)

    def among(self, stubs: Sequence[TrialStub]) -> tuple[TrialStub, ...]:
        """Return the allotted trials whose tasks are selected.

        A trial that does not name its task counts as a task of its own, with the trial's id.
        """
        task_ids = dict.fromkeys(stub.task_id or stub.trial_id for stub in stubs)
        selected_ids = set(self._selected(task_ids))
        return tuple(stub for stub in stubs if (stub.task_id or stub.trial_id) in selected_ids)

    def _selected(self, task_ids: Iterable[str]) -> list[str]:
        """Return the tasks that the user named, directly or by family, up to the limit."""
        selected = []
        for task_id in task_ids:
            if not self.names or task_id in self.names or family_of(task_id) in self.names:
                selected.append(task_id)
        return selected[: self.limit]


def _is_task_number(text: str) -> bool:
    """Return True if a text is a whole number from 1 to 9999 without leading zeros."""
    return text.isascii() and text.isdigit() and text[0] != "0" and len(text) < 5


def family_of(task_id: str) -> str:
    """Return the family of a task: its id up to the last dot; empty if the id has no dot."""
    return task_id.rpartition(".")[0]


def start_selected_run(
    benchmark: Benchmark, selection: TaskSelection, *, name: str, seed: int
) -> StartedRun:
    """Start a run, and return it with the trials of the selected tasks.

    Raises `BenchmarkError`. An unknown name raises it before anything starts.
    """
    description = benchmark.describe()
    task_ids = selection.task_ids(description)
    if description.allots_trials:
        return _start_allotted_run(benchmark, description, selection, task_ids, name, seed)
    tries = selection.tries(task_ids)
    started = benchmark.start_run(RunRequest(name, tries, seed))
    return replace(started, trials=_with_tries(description.name, tries, started.trials))


def _start_allotted_run(
    benchmark: Benchmark,
    description: Description,
    selection: TaskSelection,
    task_ids: Sequence[str],
    name: str,
    seed: int,
) -> StartedRun:
    """Start a run whose trials the benchmark chooses itself, and keep the selected ones.

    Raises `BenchmarkError` if the benchmark does not give the selected trials.
    """
    if selection.repeats > 1 or selection.worlds > 1:
        refused_option = f"worlds={selection.worlds}"
        if selection.repeats > 1:
            refused_option = f"repeats={selection.repeats}"
        msg = f"{refused_option}: {description.name} gives one trial per task; start several runs instead"
        raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg)

    wanted_tries = selection.tries(task_ids) if selection.names else ()
    started = benchmark.start_run(RunRequest(name, wanted_tries, seed))
    if selection.names and not all(trial.task_id for trial in started.trials):
        msg = f"run {started.run_id} does not say which trial has which task; run all of them"
        raise BenchmarkError(error_codes.FAILED_PRECONDITION, msg)
    return replace(started, trials=selection.among(started.trials))


def _with_tries(
    benchmark_name: str, tries: Sequence[TaskTry], stubs: Sequence[TrialStub]
) -> tuple[TrialStub, ...]:
    """Return each trial of a run with its try. Trials and tries are in the same order.

    Raises `BenchmarkError` if the number of trials is not the number of tries, or if a trial has
    another task than its try.
    """
    trial_ids = {stub.trial_id for stub in stubs}
    is_one_for_each = len(tries) == len(stubs) == len(trial_ids)
    numbered_stubs = []
    for task_try, stub in zip(tries, stubs, strict=False):
        if stub.task_id not in ("", task_try.task_id):
            is_one_for_each = False
        numbered_stubs.append(
            TrialStub(stub.trial_id, task_try.task_id, task_try.number, task_try.copy)
        )
    if not is_one_for_each:
        msg = f"{benchmark_name} was asked for {len(tries)} trials and made {len(stubs)} that do not match them one to one"
        raise BenchmarkError(error_codes.INTERNAL, msg)
    return tuple(numbered_stubs)


TaskHead, TrialHead = TaskStub, TrialStub
"""The names of these classes in earlier versions, which users' benchmarks import."""
