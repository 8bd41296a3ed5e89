"""The base class of benchmarks whose worlds are in this process: their runs and trials.

Nothing is stored outside this process. A trial's id contains everything that another
process needs to start the trial again.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from secrets import token_hex
from typing import Final

import re2

from controlplane.agent.model import Model
from controlplane.benchmark import (
    BenchmarkError,
    RunRequest,
    RunResult,
    RunState,
    StartedRun,
    TaskTry,
    Trial,
    TrialScore,
    TrialStub,
)
from controlplane.gates.submission import encodable
from controlplane.local_benchmark.local_run import LocalRun, RunId
from controlplane.sandbox.interface import ToolSchema, bounds
from controlplane.sandbox.interface.error_codes import FAILED_PRECONDITION, NOT_FOUND

TRIAL_ID: Final = re2.compile(
    r"(?P<task>.+)"  # orders.3
    r"-r\d+"  # -r0: the number of the world
    r"-(?P<token>[0-9a-f]{8})"  # -0a1b2c3d: the token of the run
    r"(?:-c\d+)?"  # -c2: the number of the copy, for further tries in the same world
)
"""The id of a trial, such as `orders.3-r0-0a1b2c3d-c2`."""
TOKEN_BYTES: Final = 4
"""The number of random bytes in a run's token. Each byte becomes two hexadecimal digits."""
UNPLAYED_TOKEN: Final = "0" * 2 * TOKEN_BYTES
"""The token in ids of worlds that belong to no run, and are created only to look at."""
MAX_GRADE_LINES: Final = 50
MAX_GRADE_LINE_CHARS: Final = 500
"""Longer lines of a grade are cut. They may quote the answer, which has no limit."""


@dataclass(frozen=True, slots=True)
class Grade:
    """A grader's result for a trial."""

    score: float | None
    """From 0 to 1; None if there is no score."""
    details: tuple[str, ...] = ()
    """The faults, one line each."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Further figures by name, such as `security`."""


@dataclass(frozen=True, slots=True)
class GeneratedTrial:
    """A trial whose world is created, so that it can be played and graded."""

    trial: Trial
    grade: Callable[[], Grade]
    """Grades the trial at its end."""


class LocalBenchmark(ABC):
    """The runs and trials of a benchmark in this process.

    A subclass adds `describe` and `generate`, which creates the world of a trial.
    """

    def __init__(
        self,
        name: str,
        task_ids: Collection[str] = (),
        *,
        is_blind: bool = False,
        has_scores: bool = True,
    ) -> None:
        """Create a benchmark without runs. `task_ids` are all its tasks.

        A blind benchmark hides its scores until `get_run` is called after the run is
        submitted. A benchmark may also have no scores at all.
        """
        self.name = name
        self.task_ids = task_ids
        self.is_blind = is_blind
        self.has_scores = has_scores
        self._lock = threading.RLock()
        """Held while `_open` or `_runs` is used."""
        self._open: dict[str, GeneratedTrial] = {}
        """The trials that were started here and have not ended, by their ids."""
        self._runs: defaultdict[str, LocalRun] = defaultdict(LocalRun)
        """The runs by their tokens.

        A run that another process has started is added, without trials, when it is
        first looked up (hence `defaultdict`)."""

    @abstractmethod
    def generate(self, trial_id: str) -> GeneratedTrial:
        """Create the world of a trial. Raises `BenchmarkError` for an id that is not a trial's."""

    def player(self) -> Model | None:
        """Return the model that comes with the benchmark; None if there is none."""
        return None

    def tool_schemas(self, task_ids: Sequence[str]) -> Iterator[ToolSchema]:
        """Yield the tool schema of each task: the tools that its trials have.

        Each comes from a world that is created only for this.
        """
        for task_id in task_ids:
            trial_id = self.trial_id(TaskTry(task_id, 0), seed=0, token=UNPLAYED_TOKEN)
            yield self.generate(trial_id).trial.environment.tool_schema

    # Ids

    def trial_id(self, task_try: TaskTry, seed: int, token: str) -> str:
        """Return the id of the trial for a try of a task, such as `orders.3-r0-0a1b2c3d`.

        `token` are the random digits that tell the runs of a benchmark apart.

        A new process can start the trial from its id alone. A subclass whose worlds
        depend on the seed also puts the seed into the id.
        """
        trial_id = f"{task_try.task_id}-r{task_try.number}-{token}"
        if task_try.copy:
            trial_id += f"-c{task_try.copy}"
        return trial_id

    def parts_of(self, trial_id: str) -> tuple[str, str]:
        """Return the task of a trial and the token of its run, both taken from the trial's id.

        Raises `BenchmarkError` for an id that is not a trial's.
        """
        match = TRIAL_ID.fullmatch(encodable(trial_id))
        if match is None or match["task"] not in self.task_ids:
            msg = f"{trial_id!r} is not a trial of {self.name}"
            raise BenchmarkError(NOT_FOUND, msg)
        return match["task"], match["token"]

    # A run

    def start_run(self, request: RunRequest) -> StartedRun:
        """Start a run with a trial for each try of the request. Their worlds come later."""
        token = token_hex(TOKEN_BYTES)
        stubs = []
        for task_try in request.tries:
            trial_id = self.trial_id(task_try, request.seed, token)
            stubs.append(TrialStub(trial_id, task_try.task_id))
        with self._lock:
            self._forget_closed_runs()
            self._runs[token] = LocalRun(dict.fromkeys(stub.trial_id for stub in stubs))
        run_id = f"{self.name}-s{request.seed}-n{len(stubs)}-{token}"
        return StartedRun(run_id, tuple(stubs))

    def _forget_closed_runs(self) -> None:
        """Remove all but the latest closed runs, because a server may have many."""
        closed = []  # The earliest run comes first.
        for token, run in self._runs.items():
            if run.state is not RunState.RUNNING:
                closed.append(token)
        for token in closed[: -bounds.MOST_CLOSED_RUNS]:  # all but the latest
            del self._runs[token]

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Close the run. Without `force`, raises `BenchmarkError` if trials are open."""
        parsed = RunId.of(run_id, self.name)
        with self._lock:
            run = self._runs[parsed.token]
            is_running = run.state is RunState.RUNNING
            open_trials = run.open_trials
            if open_trials and not force and is_running:
                msg = f"{len(open_trials)} trials have not ended, the first is {open_trials[0]}"
                raise BenchmarkError(FAILED_PRECONDITION, msg)
            for trial_id in open_trials:
                self.release(trial_id)
                run.scores[trial_id] = TrialScore(trial_id, 0.0, ("forced close",))
            if is_running:
                run.state = RunState.PENDING if self.is_blind else RunState.EVALUATED
            return self._result(parsed, run)

    def get_run(self, run_id: str) -> RunResult:
        """Return the state and scores of a run.

        The scores of a blind run stay hidden until the first such call after the run is
        submitted, which changes its state from `PENDING` to `EVALUATED`.
        """
        parsed = RunId.of(run_id, self.name)
        with self._lock:
            run = self._runs[parsed.token]
            if run.state is RunState.PENDING:
                run.state = RunState.EVALUATED
            return self._result(parsed, run)

    def _result(self, run_id: RunId, run: LocalRun) -> RunResult:
        """Return the scores of a run, as far as the benchmark shows them."""
        if not self.has_scores:
            return RunResult(run_id.text, run.state, None, ())
        if self.is_blind and run.state is not RunState.EVALUATED:
            return run.hidden_result(run_id)
        return run.result(run_id)

    # A trial

    def start_trial(self, trial_id: str) -> Trial:
        """Start a trial. A second start returns the same trial.

        Raises `BenchmarkError` for a trial that has ended or is unknown.
        """
        started = self._open_trial(trial_id)
        if started is not None:
            return replace(started.trial, is_fresh=False)

        # Creating the world may take long, so the lock is not held.
        generated = self.generate(trial_id)
        with self._lock:
            # Another thread may have started the trial meanwhile.
            started = self._open_trial(trial_id)
            if started is None:
                self._open[trial_id] = generated
                started = generated
            return started.trial

    def _open_trial(self, trial_id: str) -> GeneratedTrial | None:
        """Return the trial if it is open. If it is new, add it to its run and return None.

        Raises `BenchmarkError` if it has ended.
        """
        _, token = self.parts_of(trial_id)
        with self._lock:
            self._runs[token].add(trial_id)
            return self._open.get(trial_id)

    def end_trial(self, trial_id: str) -> TrialScore | None:
        """Grade a trial, release its world, and return its score.

        Return None if the benchmark hides its scores until the end of the run, or has
        none. A trial that has already ended keeps its first score. Raises
        `BenchmarkError` if the trial was not started.
        """
        _, token = self.parts_of(trial_id)
        with self._lock:
            started = self._open.get(trial_id)
        if started is not None:
            _close(started.trial)
            # Grading may ask a model, so the lock is not held. If grading fails, the
            # trial stays open, and a further call of `end_trial` grades it again.
            self._take_grade(trial_id, token, started.grade())

        with self._lock:
            score = self._runs[token].scores.get(trial_id)
        if score is None:
            msg = f"trial {trial_id} has not been started"
            raise BenchmarkError(FAILED_PRECONDITION, msg)
        if self.is_blind or not self.has_scores:
            return None
        return score

    def _take_grade(self, trial_id: str, token: str, grade: Grade) -> None:
        """Record the grade of a trial, which then is no longer open.

        If another thread has done so already, its grade stays.
        """
        with self._lock:
            if self._open.pop(trial_id, None) is not None:
                self._runs[token].scores[trial_id] = _score_of(trial_id, grade)

    def take_score(self, score: TrialScore) -> None:
        """Record the score of a trial that ended in another process."""
        _, token = self.parts_of(score.trial_id)
        with self._lock:
            scores = self._runs[token].scores
            if scores.get(score.trial_id) is None:
                scores[score.trial_id] = score

    def release(self, trial_id: str) -> None:
        """Remove an open trial without grading it. A later start creates it anew."""
        with self._lock:
            released = self._open.pop(trial_id, None)
            if released is not None:
                _close(released.trial)

    def close(self) -> None:
        """Release every trial that is still open."""
        for trial_id in list(self._open):
            self.release(trial_id)


def _score_of(trial_id: str, grade: Grade) -> TrialScore:
    """Return a grade as the score of a trial, with its first lines, of which long ones are cut."""
    lines = [line[:MAX_GRADE_LINE_CHARS] for line in grade.details[:MAX_GRADE_LINES]]
    return TrialScore(trial_id, grade.score, tuple(lines), grade.metrics)


def _close(trial: Trial) -> None:
    """Close a trial's environment to later calls, if it can be closed."""
    close = getattr(trial.environment, "close", None)
    if close is not None:
        close()
