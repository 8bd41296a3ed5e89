"""The benchmark protocol: the calls that a benchmark answers, the data they exchange, how a benchmark is opened.

A benchmark has tasks, such as `orders.3`. A task can be set in several worlds: generated data, which differ by the
number of the world and by the run's seed. Trying a task in a world is a try, and several tries in one world are copies.
A run has a trial for each of its tries: the benchmark makes it, an agent works on it, and the benchmark scores it.

Benchmarks are loaded by name, never imported directly. A module is a benchmark if it has

    open_benchmark(argument: str, settings: Mapping[str, str], context: BenchmarkContext) -> OpenedBenchmark | Benchmark

`argument` is what follows the colon of `NAME:ARGUMENT`; `settings` holds the options given as `--set NAME=VALUE`. The
module declares the options it takes in `OPTIONS: tuple[BenchmarkOption, ...]`.
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
    """An event with listeners. Used from many threads at once."""

    def __init__(self) -> None:
        super().__init__()
        self._listeners: list[Callable[[], None]] = []

    def listen(self, listener: Callable[[], None]) -> None:
        """Call `listener` when the signal is set, also if it already is."""
        self._listeners.append(listener)
        if self.is_set():
            listener()

    def set(self) -> None:
        """Set the signal, wake its waiters, and call the listeners."""
        super().set()
        for listener in self._listeners:
            listener()


@dataclass(frozen=True, slots=True)
class TaskStub:
    """One task of a benchmark."""

    task_id: str
    """A name, or `FAMILY.N`: users select tasks or whole families."""
    preview: str = ""
    """Its instruction, or the beginning of its instruction."""
    hint: str = ""
    """Its subject, in a few words."""


@dataclass(frozen=True, slots=True)
class Description:
    """A benchmark's description of itself."""

    name: str
    summary: str
    tasks: tuple[TaskStub, ...]
    policy: str = "open"
    """`open`: scores come with the run; `blind`: scores are sealed until the platform reveals them."""
    rule_sets: tuple[str, ...] = ()
    """Names of the rule sets that its runs switch on."""
    allots_trials: bool = False
    """The benchmark itself decides which trials a new run has, one for each task. The control plane then plays those
    of the tasks that the user selected. Otherwise it says which tries a run has, and gets a trial for each."""
    numbered_families: tuple[str, ...] = ()
    """Families that have a task `FAMILY.N` for every N from 1 to 9999; unlisted tasks play only if named."""


@dataclass(frozen=True, slots=True)
class TaskTry:
    """One try of a task in a run."""

    task_id: str
    number: int
    """The number of its world, from 0. A benchmark without seeds has one world for all numbers."""
    copy: int = 0
    """Its number among the tries of this task in this world, from 0."""

    def __str__(self) -> str:
        """Return it as `orders.3-0`, and further tries in the same world as `orders.3-0-copy1`."""
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
    """The tries to make trials for. A benchmark that allots trials itself gets the wanted ones, or none if it may allot
    what it likes."""
    seed: int = 0
    """The same seed gives the same worlds."""


@dataclass(frozen=True, slots=True)
class TrialStub:
    """One trial of a run, which has not been started."""

    trial_id: str
    task_id: str = ""
    """Empty if the task is known only once the trial starts."""
    number: int | None = None
    """The `number` of its try: that of its world, from 0. None if the benchmark allots the trials."""
    repeat: int = 0
    """The `copy` of its try."""


@dataclass(frozen=True, slots=True)
class StartedRun:
    """A run that a benchmark has started, with its trials."""

    run_id: str
    trials: tuple[TrialStub, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """One started trial: its instruction, and the environment to work in."""

    trial_id: str
    task_id: str
    instruction: str
    environment: Environment
    use_worker: Callable[[Worker], None] | None = None
    """Tells the environment which process its calls compute in. None: they compute in this process."""
    # How an interrupted trial is resumed. Its recorded calls that may have changed something are made again if its
    # environment has lost their changes, so that the work goes on where it stopped.

    is_fresh: bool = True
    """The environment has no changes from an earlier start of this trial: it is new, or has lost them."""
    repeats_all_calls: bool = False
    """In a fresh environment, all recorded calls are made again, also those that only read or that failed for good.
    For a grader that judges the list of calls which its environment got."""
    begins_anew: bool = False
    """In a fresh environment, the trial is played from the beginning, and no recorded call is made again."""

    time_limit_s: float = 0.0
    """Seconds that the task allows for the work on it, in place of the run's `trial_time`; 0: the run's."""

    def __post_init__(self) -> None:
        if not isinstance(self.instruction, str):
            msg = f"the instruction of {self.task_id} is a text, not {self.instruction!r}"
            raise TypeError(msg)
        _accept_earlier_name(self.environment)


def _accept_earlier_name(environment: Environment) -> None:
    """Let a user's environment that was written for an earlier version call its `tool_schema` `surface`."""
    if not hasattr(environment, "tool_schema") and hasattr(environment, "surface"):
        vars(environment)["tool_schema"] = environment.surface


MAX_SCORE: Final = 10**15
"""Larger numbers are taken for faults of a grader, and journals with them are refused."""


@dataclass(frozen=True, slots=True)
class TrialScore:
    """A grader's verdict on a trial. Raises `ValueError` for a score that is not a number up to 10^15."""

    trial_id: str
    score: float | None
    """None while the score is sealed or not known yet; None never counts as 0."""
    details: tuple[str, ...] = ()
    """One line per fault."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Further figures by name, such as `security`; tables, comparisons and reports show their means."""

    def __post_init__(self) -> None:
        _check_score(self.trial_id, self.score)
        for name, value in self.metrics.items():
            _check_score(f"{self.trial_id}, {name},", value)


class RunState(StrEnum):
    """The state of a run at its benchmark."""

    RUNNING = "running"
    PENDING = "pending"
    """Submitted; the scores are not out yet."""
    EVALUATED = "evaluated"


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run as its benchmark reports it."""

    run_id: str
    state: RunState
    score: float | None
    """The run's own score; None while it is sealed, or if there is none."""
    trials: tuple[TrialScore, ...]
    """The scores of its trials that are known so far."""

    def __post_init__(self) -> None:
        _check_score(self.run_id, self.score)


def _check_score(subject: str, score: object) -> None:
    """Raise `ValueError` for the score of a run or trial that is neither None nor a plain number."""
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
        """A Connect code, as in `CallError`: `invalid_argument` and `not_found` are the caller's mistake; `unavailable`,
        `deadline_exceeded` and `resource_exhausted` are transient."""
        self.message = message
        self.retry_after_s = retry_after_s
        """The seconds after which the benchmark asks to be called again; None if it does not say."""


class Benchmark(Protocol):
    """Starts, ends and scores trials. Called from many threads at once. Every call may raise `BenchmarkError`."""

    def describe(self, preview_seed: int | None = None) -> Description:
        """Return name, policy and tasks; given a seed, with previews of a run of that seed."""
        ...

    def start_run(self, request: RunRequest) -> StartedRun:
        """Begin a run and return one trial for each try of the request, in that order. Raises `BenchmarkError` before
        anything starts if it cannot start the run, as for an unsupported seed."""
        ...

    def start_trial(self, trial_id: str) -> Trial:
        """Start one trial, even in a process that did not start the run. A second start gives the same trial: in its
        old environment if the benchmark still has it (then the trial is not fresh), else in a rebuilt one."""
        ...

    def end_trial(self, trial_id: str) -> TrialScore | None:
        """End one trial and return its score, None if the score comes later. A second call gives the same."""
        ...

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Submit the run. Open trials raise `failed_precondition` without `force`, and score 0 with it."""
        ...

    def get_run(self, run_id: str) -> RunResult:
        """Return the state of a run and its known scores."""
        ...

    def player(self) -> Model | None:
        """Return the benchmark's own player, used if no model is named; None if it has no player."""
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
    """The allowed values; empty if the benchmark checks them itself."""
    secret_variable: str = ""
    """The environment variable of a secret; refused as an option, because options are journalled."""


@dataclass(frozen=True, slots=True)
class BenchmarkContext:
    """The parts of the control plane that an opened benchmark can use."""

    stop: StopSignal = field(default_factory=StopSignal)
    """Set while the run is being stopped: waits and retries should end soon."""
    notify: Callable[[str], None] = lambda text: None
    """Writes one line for the user to the journal and the progress display."""

    def model(self, role: str) -> Model:
        """Return the model that the benchmark asks for itself: `grade` for a grader, `user` for a simulated user.

        It is asked while a trial is played or graded, in the thread that does so: `.complete(messages).text`. The user
        names it by `--role grade=PROFILE`; without that it is the run's own model. Its replies are journalled with
        tokens and cost, and a resumed trial takes them from its record. Raises `ValueError` for another role.
        """
        return BenchmarkModel(role)


@dataclass(frozen=True, slots=True)
class BenchmarkIdentity:
    """Spec and options that open the same benchmark anywhere, independent of the environment there."""

    spec: str
    """NAME or NAME:ARGUMENT."""
    settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class OpenedBenchmark:
    """An opened benchmark with what the control plane has to know about it. Every field but the first is optional."""

    benchmark: Benchmark

    # Its worlds

    resume_identity: BenchmarkIdentity | None = None
    """The benchmark that `resume` opens. None: the spec and the settings as the user gave them."""
    world_version: str = ""
    """Changes whenever the same seed gives different worlds. Empty if the benchmark's worlds are not versioned."""
    rebuilds_trials: bool = False
    """A trial's id is enough to rebuild its environment at any time, without outside effect, and to grade it there."""
    files: Mapping[str, str] | None = None
    """The texts of the files that its trials see, by path, if a trial is saved with them as a task."""

    # What its trials offer to solvers

    tool_schemas: Callable[[Sequence[str]], Iterable[ToolSchema]] | None = None
    """Returns the tool schemas of the trials of these tasks, in any order, without starting a trial. None: they are
    known when a trial starts."""
    bindings: SolverBindings | Callable[[], SolverBindings] | None = None
    """A description of its workspace for solvers: a classifier's fields, checks that its environments declare; or a
    function that returns the description, called if a part of the solver needs it."""
    servers: tuple[str, ...] = ()
    """The MCP servers whose tools its trials use. The user has to name each of them for a run that works on trials, and
    need not for one that only replays or grades."""

    # Its own players, in the place of a model

    players: Mapping[str, Model] = field(default_factory=dict)
    """Models of its own that play by these names, such as `solution`."""
    player_families: tuple[str, ...] = ()
    """The families of tasks that its player has rules for; empty for all. Without a model, a run plays only these."""
    recordings: Mapping[str, Path] = field(default_factory=dict)
    """Recorded runs that can be played as if they were models, by name: files with the replies of a model, and the seed
    and the scores of their tasks."""

    # The processes of a trial

    worker_modules: tuple[str, ...] = ()
    """Modules whose functions its environments call in a trial's worker process, which imports them beforehand."""
    worker_limits: WorkerLimits = field(default_factory=WorkerLimits)
    """The limits of that process."""
    function_modules: tuple[str, ...] = ()
    """Modules of the functions that its environments declare. The process of a trial's scripts imports them
    beforehand."""
    longest_silence_s: float = 0.0
    """Seconds that starting a trial, one call, or ending a trial may take in addition to what a run waits for any
    benchmark before it gives a trial up."""

    # Trials on the workers of a cluster

    stays_here: str = ""
    """Why its trials cannot run in other processes, and a remedy; empty if they can."""
    ended_elsewhere: Callable[[TrialScore], None] | None = None
    """Called with the score of every trial that ended in another process. None: the benchmark does not need it."""


@dataclass(frozen=True, slots=True)
class TaskSelection:
    """What a user chose to play: some tasks, and how often each."""

    names: tuple[str, ...] = ()
    """Task ids, or family names (a task's id up to its last dot). Empty for all tasks."""
    limit: int | None = None
    """Most tasks of a run, at least 1."""
    repeats: int = 1
    """Tries of each task in the same world, at least 1."""
    worlds: int = 1
    """Worlds of each task, at least 1."""
    only: tuple[TaskTry, ...] = ()
    """The exact tries to play, whatever the fields above say. Empty: the fields above decide."""

    def task_ids(self, description: Description) -> list[str]:
        """Return the ids to choose from: the tasks that the benchmark lists, then unlisted tasks that the user names.

        Unlisted tasks are those of numbered families. The name of such a family means its first task, `FAMILY.1`, if
        the benchmark lists none of its tasks. Raises `BenchmarkError` for a name that is neither a task nor a family.
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
        """Return the tries of the selected tasks in rounds: each task once before any is repeated."""
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
        """Return those of the trials that a benchmark allotted which are of selected tasks.

        A trial that does not name its task counts as a task of its own, by the trial's id.
        """
        task_ids = dict.fromkeys(stub.task_id or stub.trial_id for stub in stubs)
        selected_ids = set(self._selected(task_ids))
        return tuple(stub for stub in stubs if (stub.task_id or stub.trial_id) in selected_ids)

    def _selected(self, task_ids: Iterable[str]) -> list[str]:
        """Return the tasks that have one of the names, or whose families have, up to the limit."""
        selected = []
        for task_id in task_ids:
            if not self.names or task_id in self.names or family_of(task_id) in self.names:
                selected.append(task_id)
        return selected[: self.limit]


def _is_task_number(text: str) -> bool:
    """Say whether a text is a whole number from 1 to 9999 without leading zeros."""
    return text.isascii() and text.isdigit() and text[0] != "0" and len(text) < 5


def family_of(task_id: str) -> str:
    """Return the family of a task: its id up to the last dot; empty if it has none."""
    return task_id.rpartition(".")[0]


def start_selected_run(
    benchmark: Benchmark, selection: TaskSelection, *, name: str, seed: int
) -> StartedRun:
    """Start a run, and return it with the trials of the selected tasks.

    Raises `BenchmarkError`, for an unknown name before anything starts.
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
    """Start a run at a benchmark that decides itself which trials the run has, and choose among them.

    Raises `BenchmarkError` if it cannot give the selected trials.
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
    """Return a run's trials with the tries that they are for: the first trial is for the first try.

    Raises `BenchmarkError` if there is not one trial for each try, or one has another task.
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
"""Their names in earlier versions, which benchmarks of users import."""
