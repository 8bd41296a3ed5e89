"""Benchmarks whose worlds are in this process: a trial's environment, the lifecycle of runs.

Calls of files are made here, in linear time; tools compute in the trial's aide, or in this process if there is none.
Nothing is stored outside this process: a trial's id is enough to start it again elsewhere.
"""

from __future__ import annotations

import re
import threading
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from secrets import token_hex
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, Protocol

from agent.model import Model
from controlplane.benchmark import (
    BenchmarkError,
    RunRequest,
    RunResult,
    RunState,
    StartedRun,
    TaskTry,
    Trial,
    TrialHead,
    TrialScore,
)
from sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Operation,
    Plain,
    Surface,
    bound_arguments,
    error_codes,
    fresh_result,
)

if TYPE_CHECKING:
    from sandbox import Aide, FileTree
    from sandbox.files import AidedTools, Tools, WorldFiles

FILE_CALLS: Final = frozenset(operation.name for operation in FILE_OPERATIONS if operation.name != "exec")


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """The one answer of a trial, as submitted."""

    message: str
    outcome: str
    refs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangingCall:
    """A call that succeeded and may have changed the world."""

    operation: str
    path: str
    """The file, or the tool that was run, in the spelling of the surface."""
    args: tuple[str, ...] = ()


class LocalEnvironment(ABC):
    """The world that a trial's scripts work in. Changes stay within the trial. Calls may come from any thread."""

    def __init__(self, surface: Surface, world: WorldFiles, tree: FileTree) -> None:
        self.submission: GivenAnswer | None = None
        self.changing_calls: list[ChangingCall] = []
        """The calls so far that may have changed something, also if a later call undid it."""
        self.surface = surface
        self.first_files = world.texts
        """The files by path as the trial found them."""
        self.tree = tree
        self._world = world
        self._tools: Tools | AidedTools | None = None
        self._lock = threading.Lock()
        self._is_open = True

    @property
    def changes(self) -> Mapping[str, str | None]:
        """The files written (path to text) and deleted (path to None) since the start."""
        return self.tree.changes

    def use_aide(self, aide: Aide) -> None:
        """Run the tools in `aide`, which has not begun, from now on."""
        from sandbox.files import AidedTools

        with self._lock:
            self._tools = AidedTools(aide, self.tree, self._world)

    @abstractmethod
    def now(self) -> datetime | None:
        """Return the world's clock, None if the world has no clock."""

    @abstractmethod
    def tools_here(self) -> Tools:
        """Return the tools on `tree` in this process. Raises `CallError` where they must run in an aide."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call of a declared operation and return its result fields. Raises `CallError`."""
        with self._lock:
            self._refuse_when_ended()
            declared = self.surface.operation(operation)
            if declared is None or declared.finds:
                raise CallError(error_codes.UNIMPLEMENTED, f"there is no operation {operation[:60]!r}")
            bound: dict[str, Any] = bound_arguments(declared, (), dict(arguments))
            result = self.result_of(operation, bound)
            self._record_change(declared, bound, result)
        return fresh_result(operation, result)

    def _record_change(self, declared: Operation, arguments: Mapping[str, Any], result: Mapping[str, Plain]) -> None:
        if result.get(declared.exit_field or "", 0) != 0:
            return
        subject = str(result.get("path") or arguments.get(declared.subject))
        tools = {tool.path.casefold(): tool.path for tool in self.surface.executables}
        path = tools.get(subject.casefold(), subject)
        if self.surface.may_change(declared.name, {**arguments, declared.subject: path}):
            args = tuple(map(str, arguments.get("args") or ()))
            self.changing_calls.append(ChangingCall(declared.name, path, args))

    def result_of(self, operation: str, arguments: dict[str, Any]) -> dict[str, Plain]:
        """Return the result of a call with all its arguments: of files here, of anything else by the tools."""
        if operation in FILE_CALLS:
            result: dict[str, Plain] = getattr(self.tree, operation)(**arguments)
            return result
        return self.tool_result(operation, arguments)

    def tool_result(self, operation: str, arguments: dict[str, Any]) -> dict[str, Plain]:
        """Return the result of a call that the tools make, in the aide if there is one."""
        if self._tools is None:
            self._tools = self.tools_here()
        return self._tools.call(operation, arguments)

    def knows_file(self, path: str) -> bool:
        """Say whether a file is at exactly `path`, or was there at the start, or a server returned it as its result."""
        is_tool = any(path == tool.path for tool in self.surface.executables)
        is_result = path.startswith("/mcp/")
        return is_tool or is_result or path in self.first_files or self.changes.get(path) is not None

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Submit the trial's one answer. Raises `CallError`: `already_exists` for a second one."""
        with self._lock:
            self._refuse_when_ended()
            if self.submission is not None:
                raise CallError(error_codes.ALREADY_EXISTS, "this trial has its answer already")
            self.submission = GivenAnswer(message, outcome, tuple(refs))

    def close(self) -> None:
        """End the trial: every later call fails with `failed_precondition`."""
        with self._lock:
            self._is_open = False

    def _refuse_when_ended(self) -> None:
        if not self._is_open:
            raise CallError(error_codes.FAILED_PRECONDITION, "this trial has ended")


@dataclass(frozen=True, slots=True)
class Grade:
    """A score from 0 to 1, with one line for each fault; None: there is no score."""

    score: float | None
    details: tuple[str, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Further figures by name, such as `security`."""


NOT_FOUND: Final = "not_found"
FAILED_PRECONDITION: Final = "failed_precondition"
MOST_CLOSED_RUNS: Final = 200
"""Submitted runs to keep; older ones are forgotten."""
MOST_DETAILS: Final = 50
DETAIL_CHARS: Final = 500
"""Lines of a grade to keep, and characters of each line: an answer may cite anything."""
RUN: Final = re.compile(
    r"(?P<benchmark>[a-z0-9-]+?)-s(?:0|-?[1-9]\d*)-n(?P<trials>[1-9]\d*)-(?P<token>[0-9a-f]{8})", re.ASCII
)
"""A run's id: its benchmark, seed and number of trials, and a random token that tells it from other runs."""
TRIAL: Final = re.compile(r"(?P<task>.+)-r\d+-(?P<token>[0-9a-f]{8})(?:-c\d+)?", re.ASCII)


class Closable(Protocol):
    """What the lifecycle needs of a trial's environment."""

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class PosedTrial:
    """A trial that has started and not ended."""

    trial: Trial
    environment: Closable
    grade: Callable[[], Grade]


@dataclass(slots=True)
class _Run:
    """The state of a run in this process."""

    allotted: tuple[str, ...] = ()
    """The trials of a run that began here; empty for a run that began in another process."""
    scores: dict[str, TrialScore] = field(default_factory=dict)
    state: RunState = RunState.RUNNING


class LocalBenchmark(ABC):
    """A benchmark except for `describe`. If blind, scores stay sealed until `get_run` asks after the submission."""

    def __init__(
        self, name: str, task_ids: Collection[str] = (), *, is_blind: bool = False, has_scores: bool = True
    ) -> None:
        self.name = name
        self.task_ids = task_ids
        self.is_blind = is_blind
        self.has_scores = has_scores
        self._lock = RLock()
        self._open: dict[str, PosedTrial] = {}
        self._runs: defaultdict[str, _Run] = defaultdict(_Run)

    @abstractmethod
    def pose(self, trial_id: str) -> PosedTrial:
        """Make a trial's world. Raises `BenchmarkError` for an id that is not a trial's."""

    def trial_id(self, one_try: TaskTry, seed: int, token: str) -> str:
        """Return the id of a try's trial, which holds all that a new process needs to start the trial."""
        return f"{one_try.task_id}-r{one_try.number}-{token}" + f"-c{one_try.copy}" * bool(one_try.copy)

    def task_of(self, trial_id: str) -> str:
        """Return the task of a trial. Raises `BenchmarkError` for an id that is not a trial's."""
        return self._parsed(trial_id)["task"]

    def token_of(self, trial_id: str) -> str:
        """Return the token of the run that a trial is in. Raises `BenchmarkError` for an id that is not a trial's."""
        return self._parsed(trial_id)["token"]

    def _parsed(self, trial_id: str) -> re.Match[str]:
        match = TRIAL.fullmatch(trial_id)
        if match is None or match["task"] not in self.task_ids:
            raise BenchmarkError(NOT_FOUND, f"{trial_id!r} is not a trial of {self.name}")
        return match

    def start_run(self, request: RunRequest) -> StartedRun:
        """Make a trial for each try."""
        token = token_hex(4)
        heads = [TrialHead(self.trial_id(one_try, request.seed, token), one_try.task_id) for one_try in request.tries]
        with self._lock:
            closed = [ended for ended, run in self._runs.items() if run.state is not RunState.RUNNING]
            for ended in closed[:-MOST_CLOSED_RUNS]:
                del self._runs[ended]
            self._runs[token] = _Run(tuple(head.trial_id for head in heads))
        return StartedRun(f"{self.name}-s{request.seed}-n{len(heads)}-{token}", tuple(heads))

    def player(self) -> Model | None:
        """Return the model that comes with the benchmark, if it has one."""
        return None

    def start_trial(self, trial_id: str) -> Trial:
        """Pose a trial; a second start returns the same one. Raises `BenchmarkError` for an ended or unknown trial."""
        started = self._started(trial_id)
        if started is not None:
            return replace(started.trial, is_fresh=False)
        posed = self.pose(trial_id)
        with self._lock:
            started = self._started(trial_id)
            return (started or self._open.setdefault(trial_id, posed)).trial

    def end_trial(self, trial_id: str) -> TrialScore | None:
        """Grade a trial and release its world; the score is None if it is sealed or there is none."""
        token = self.token_of(trial_id)
        with self._lock:
            started = self._open.get(trial_id)
        graded = None
        if started is not None:
            started.environment.close()
            graded = started.grade()  # It may ask a model, while others go on; if that fails, it is asked again.
        with self._lock:
            scores = self._runs[token].scores
            if graded is not None and self._open.pop(trial_id, None) is not None:
                details = tuple(line[:DETAIL_CHARS] for line in graded.details[:MOST_DETAILS])
                scores[trial_id] = TrialScore(trial_id, graded.score, details, graded.metrics)
            elif trial_id not in scores:
                raise BenchmarkError(FAILED_PRECONDITION, f"trial {trial_id} has not been started")
            return scores[trial_id] if self.has_scores and not self.is_blind else None

    def take_score(self, score: TrialScore) -> None:
        """Take the score of a trial that ended in another process."""
        token = self.token_of(score.trial_id)
        with self._lock:
            self._runs[token].scores.setdefault(score.trial_id, score)

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Close the run. Raises `BenchmarkError` if trials are open, unless `force` is given."""
        parsed = self._run_id(run_id)
        token = parsed["token"]
        with self._lock:
            run = self._runs[token]
            left = [trial_id for trial_id in run.allotted if trial_id not in run.scores]
            left += [opened for opened in self._open if self.token_of(opened) == token and opened not in left]
            if left and not force and run.state is RunState.RUNNING:
                raise BenchmarkError(FAILED_PRECONDITION, f"{len(left)} trials have not ended, the first is {left[0]}")
            for trial_id in left:
                started = self._open.pop(trial_id, None)
                if started is not None:
                    started.environment.close()
                run.scores[trial_id] = TrialScore(trial_id, 0.0, ("forced close",))
            if run.state is RunState.RUNNING:
                run.state = RunState.PENDING if self.is_blind else RunState.EVALUATED
            return self._result(parsed, run)

    def get_run(self, run_id: str) -> RunResult:
        """Return the state and scores of a run; asking for a submitted blind run reveals its scores."""
        parsed = self._run_id(run_id)
        with self._lock:
            run = self._runs[parsed["token"]]
            if run.state is RunState.PENDING:
                run.state = RunState.EVALUATED
            return self._result(parsed, run)

    def close(self) -> None:
        """Release every trial that is still open."""
        with self._lock:
            for started in self._open.values():
                started.environment.close()
            self._open.clear()

    def _started(self, trial_id: str) -> PosedTrial | None:
        """Return the trial if it is open, None if it is new. Raises `BenchmarkError` if it has ended."""
        token = self.token_of(trial_id)
        with self._lock:
            if trial_id in self._runs[token].scores:
                raise BenchmarkError(FAILED_PRECONDITION, f"trial {trial_id} has ended already")
            return self._open.get(trial_id)

    def _run_id(self, text: str) -> re.Match[str]:
        parsed = RUN.fullmatch(text)
        if parsed is None or parsed["benchmark"] != self.name:
            raise BenchmarkError(NOT_FOUND, f"{text!r} is not a run of {self.name}")
        return parsed

    def _result(self, run_id: re.Match[str], run: _Run) -> RunResult:
        """Return the run's scores. The run's own score is the mean, None if trials ended in another process."""
        if not self.has_scores:
            return RunResult(run_id[0], run.state, None, ())
        trials = [run.scores[trial_id] for trial_id in run.allotted if trial_id in run.scores] or list(
            run.scores.values()
        )
        if self.is_blind and run.state is not RunState.EVALUATED:
            trials = [TrialScore(score.trial_id, None) for score in trials]
        scores = [trial.score for trial in trials if trial.score is not None]
        is_whole = run.state is RunState.EVALUATED and len(scores) == int(run_id["trials"])
        return RunResult(run_id[0], run.state, sum(scores) / len(scores) if is_whole else None, tuple(trials))
