"""Benchmarks whose worlds are in this process: the lifecycle of their runs and trials."""

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
    PlannedTrial,
    RunRequest,
    RunResult,
    RunState,
    StartedRun,
    TaskTry,
    Trial,
    TrialScore,
)
from controlplane.gates.text_folding import encodable
from controlplane.sandbox.interface import ToolSchema, bounds
from controlplane.sandbox.interface.error_codes import FAILED_PRECONDITION, NOT_FOUND
from controlplane.score_scale import mean_over_tasks

# The base class of benchmarks whose worlds are in this process: their runs and trials.
#
# Nothing is stored outside this process. A trial's id contains everything that another
# process needs to start the trial again.

# A trial whose world is created, and the grade that it gets at its end.

_MAX_GRADE_LINES: Final = 50
_MAX_GRADE_LINE_CHARS: Final = 500
"""Longer lines of a grade are cut. They may quote the answer, which has no limit."""


@dataclass(frozen=True, slots=True)
class Grade:
    """A grader's result for a trial."""

    score: float | None
    """From 0 to 1, or on the benchmark's scale; None if there is no score."""
    details: tuple[str, ...] = ()
    """The faults, one line each. Without a score, the first one says why."""
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Further figures by name, such as `security`."""


@dataclass(frozen=True, slots=True)
class GeneratedTrial:
    """A trial whose world is created, so that it can be played and graded."""

    trial: Trial
    grade: Callable[[], Grade]
    """Grades the trial at its end."""

    def score_at_end(self, trial_id: str) -> TrialScore:
        """Close the environment, and grade the trial.

        The score has the first lines of the grade, of which long ones are cut.
        """
        self.close()
        grade = self.grade()
        lines = []
        for line in grade.details[:_MAX_GRADE_LINES]:
            lines.append(line[:_MAX_GRADE_LINE_CHARS])
        unscored = ""
        if grade.score is None:
            unscored = lines[0] if lines else "its grader gave no score"
        return TrialScore(trial_id, grade.score, tuple(lines), grade.metrics, unscored)

    def close(self) -> None:
        """Close the environment to later calls, if it can be closed."""
        close = getattr(self.trial.environment, "close", None)
        if close is not None:
            close()


# A run of a benchmark whose worlds are in this process: its state, open trials and scores.


@dataclass(slots=True)
class _LocalRun:
    """The state of a run in this process. Its caller holds a lock.

    A trial is open from the start of the run. It has a world from its own start to its end, and a
    score from its end.
    """

    scores: dict[str, TrialScore | None] = field(default_factory=dict)
    """The scores of the trials by their ids; None for a trial that has not ended.

    If another process started the run, only
    the trials that were started here are included.
    """
    worlds: dict[str, GeneratedTrial] = field(default_factory=dict)
    """The trials that were started here and have not ended, by their ids."""
    state: RunState = RunState.RUNNING
    """`RUNNING` until the run is submitted, then `EVALUATED`.

    In between, the run of a blind benchmark (one that hides scores at first) is
    `PENDING`, and its scores are hidden.
    """

    @property
    def open_trials(self) -> list[str]:
        """The ids of the trials that have not ended."""
        return [trial_id for trial_id, score in self.scores.items() if score is None]

    def open_world(self, trial_id: str) -> GeneratedTrial | None:
        """Return the trial if its world is open. If not, note that the trial begins; return None.

        The caller then makes the world, and adds it to `worlds`. Raises `BenchmarkError` if it has ended.
        """
        if self.scores.setdefault(trial_id, None) is not None:
            msg = f"trial {trial_id} has ended already"
            raise BenchmarkError(FAILED_PRECONDITION, msg)
        return self.worlds.get(trial_id)

    def release(self, trial_id: str) -> None:
        """Close the world of a trial, if it is open, without grading the trial."""
        released = self.worlds.pop(trial_id, None)
        if released is not None:
            released.close()


# The ids of runs, such as `ecom-s7-n100-0a1b2c3d`.

_RUN_ID: Final = re2.compile(
    r"(?P<benchmark>[a-z0-9-]+?)"  # ecom
    r"-s(?:0|-?[1-9]\d*)"  # -s7: the seed
    r"-n(?P<trials>[1-9]\d*)"  # -n100: the number of trials
    r"-(?P<token>[0-9a-f]{8})"  # -0a1b2c3d: random, to distinguish the run from others
)
"""The id of a run, such as `ecom-s7-n100-0a1b2c3d`."""
_MAX_COUNT_DIGITS: Final = 18
"""More digits of a number of trials are ignored: anyone may have
written the id, and Python refuses to convert thousands of digits."""


# The ids of trials, such as `orders.3-r0-0a1b2c3d-c2`.
#
# An id names the task, the world and the run, so that any process can start the trial by it. A
# process of the same run needs only the task and the run.

_TRIAL_ID: Final = re2.compile(
    r"(?P<task>.+)"  # orders.3
    r"-r\d+"  # -r0: the number of the world
    r"-(?P<token>[0-9a-f]{8})"  # -0a1b2c3d: the token of the run
    r"(?:-c\d+)?"  # -c2: the number of the copy, for further tries in the same world
)
"""The id of a trial, such as `orders.3-r0-0a1b2c3d-c2`."""
_TOKEN_BYTES: Final = 4
"""The number of random bytes in a run's token. Each byte becomes two hexadecimal digits."""
UNPLAYED_TOKEN: Final = "0" * 2 * _TOKEN_BYTES
"""The token in ids of worlds that belong to no run, and are created only to look at."""


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
        self._runs: defaultdict[str, _LocalRun] = defaultdict(_LocalRun)
        """The runs by their tokens, the random digits in their ids.

        A run that another process has started is added, without trials, when it is first looked
        up (hence `defaultdict`).
        """
        self._lock = threading.RLock()
        """Held while the runs are used, by several threads."""

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
        match = _TRIAL_ID.fullmatch(encodable(trial_id))
        if match is None or match["task"] not in self.task_ids:
            msg = f"{trial_id!r} is not a trial of {self.name}"
            raise BenchmarkError(NOT_FOUND, msg)
        return match["task"], match["token"]

    def parts_of_run(self, run_id: str) -> tuple[int, str]:
        """Return the number of trials of a run and its token, both taken from the run's id.

        Raises `BenchmarkError` for an id that is not a run's.
        """
        match = _RUN_ID.fullmatch(encodable(run_id))
        if match is None or match["benchmark"] != self.name:
            msg = f"{run_id!r} is not a run of {self.name}"
            raise BenchmarkError(NOT_FOUND, msg)
        return int(match["trials"][:_MAX_COUNT_DIGITS]), match["token"]

    # A run

    def start_run(self, request: RunRequest) -> StartedRun:
        """Start a run with a trial for each try of the request. Their worlds come later.

        The run's id has its seed, its size and random digits: `desk-s7-n40-0a1b2c3d`.
        """
        token = token_hex(_TOKEN_BYTES)
        planned_trials = []
        for task_try in request.tries:
            trial_id = self.trial_id(task_try, request.seed, token)
            planned_trials.append(PlannedTrial(trial_id, task_try.task_id))
        trial_ids = [planned_trial.trial_id for planned_trial in planned_trials]
        with self._lock:
            self._forget_closed_runs()
            self._runs[token] = _LocalRun(dict.fromkeys(trial_ids))
        run_id = f"{self.name}-s{request.seed}-n{len(planned_trials)}-{token}"
        return StartedRun(run_id, tuple(planned_trials))

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Close the run. Open trials get the score 0.

        Without `force`, raises `BenchmarkError` if there are some.
        """
        _, token = self.parts_of_run(run_id)
        with self._lock:
            run = self._runs[token]
            is_running = run.state is RunState.RUNNING
            open_trials = run.open_trials
            if open_trials and is_running and not force:
                msg = f"{len(open_trials)} trials have not ended, the first is {open_trials[0]}"
                raise BenchmarkError(FAILED_PRECONDITION, msg)
            for trial_id in open_trials:
                run.release(trial_id)
                run.scores[trial_id] = TrialScore(trial_id, 0.0, ("forced close",))
            if is_running:  # A run that was closed earlier keeps its state.
                run.state = RunState.PENDING if self.is_blind else RunState.EVALUATED
            return self._result(run_id, run)

    def get_run(self, run_id: str) -> RunResult:
        """Return the state and scores of a run.

        A blind run is scored by its platform some time after it was submitted. Here there is
        no platform: the scores are out at the first call after `submit_run`, which itself still
        hides them (`PENDING`).
        """
        _, token = self.parts_of_run(run_id)
        with self._lock:
            run = self._runs[token]
            if run.state is RunState.PENDING:
                run.state = RunState.EVALUATED
            return self._result(run_id, run)

    def _result(self, run_id: str, run: _LocalRun) -> RunResult:
        """Return the state of a run, and the scores of its ended trials as far as they may be seen now.

        The run's score is their mean over the tasks: None until the run is evaluated, and if
        another process has some of the scores.
        """
        if not self.has_scores:
            return RunResult(run_id, run.state, None, ())
        ended = [score for score in run.scores.values() if score is not None]
        is_evaluated = run.state is RunState.EVALUATED
        if self.is_blind and not is_evaluated:
            hidden = [TrialScore(trial.trial_id, score=None) for trial in ended]
            return RunResult(run_id, run.state, None, tuple(hidden))
        scores = []
        for trial in ended:
            if trial.score is not None:
                task, _ = self.parts_of(trial.trial_id)
                scores.append((task, trial.score))
        mean = None
        trial_count, _ = self.parts_of_run(run_id)
        if is_evaluated and len(scores) == trial_count:
            mean = mean_over_tasks(scores)
        return RunResult(run_id, run.state, mean, tuple(ended))

    def _forget_closed_runs(self) -> None:
        """Remove all but the latest closed runs, because a server may have many.

        A run with an open world stays, so that the world can be closed.
        """
        closed = []  # The earliest run comes first.
        for token, run in self._runs.items():
            if run.state is not RunState.RUNNING and not run.worlds:
                closed.append(token)
        for token in closed[: -bounds.MOST_CLOSED_RUNS]:  # all but the latest
            del self._runs[token]

    # A trial

    def start_trial(self, trial_id: str) -> Trial:
        """Start a trial. A second start returns the same trial.

        Raises `BenchmarkError` for a trial that has ended or is unknown.
        """
        _, token = self.parts_of(trial_id)
        with self._lock:
            started = self._runs[token].open_world(trial_id)
        if started is not None:
            return replace(started.trial, is_fresh=False)

        # Creating the world may take long, so the lock is not held.
        generated = self.generate(trial_id)
        with self._lock:
            run = self._runs[token]
            # Another thread may have started the trial meanwhile. Then its world stays.
            started = run.open_world(trial_id) or generated
            run.worlds[trial_id] = started
        return started.trial

    def end_trial(self, trial_id: str) -> TrialScore | None:
        """Grade a trial, release its world, and return its score.

        Return None if the benchmark hides its scores until the end of the run, or has
        none. A trial that has already ended keeps its first score. Raises
        `BenchmarkError` if the trial was not started.
        """
        _, token = self.parts_of(trial_id)
        with self._lock:
            run = self._runs[token]
            started = run.worlds.get(trial_id)
        if started is not None:
            # Grading may ask a model, so the lock is not held. If grading fails, the
            # trial stays open, and a further call of `end_trial` grades it again.
            score = started.score_at_end(trial_id)
            with self._lock:
                # Another thread may have ended the trial first. Then its score counts.
                if run.worlds.pop(trial_id, None) is not None:
                    run.scores[trial_id] = score

        first_score = run.scores.get(trial_id)
        if first_score is None:
            msg = f"trial {trial_id} has not been started"
            raise BenchmarkError(FAILED_PRECONDITION, msg)
        if self.is_blind or not self.has_scores:
            return None
        return first_score

    def take_score(self, score: TrialScore) -> None:
        """Record the score of a trial that ended in another process, such as a cluster's worker."""
        _, token = self.parts_of(score.trial_id)
        with self._lock:
            scores = self._runs[token].scores
            if scores.get(score.trial_id) is None:
                scores[score.trial_id] = score

    def release(self, trial_id: str) -> None:
        """Remove an open trial without grading it. A later start creates it anew."""
        with self._lock:
            for run in self._runs.values():
                run.release(trial_id)

    def open_trials(self) -> list[str]:
        """Return the ids of the trials whose worlds are open."""
        with self._lock:
            open_trials: list[str] = []
            for run in self._runs.values():
                open_trials += run.worlds
            return open_trials

    def close(self) -> None:
        """Release every trial that is still open."""
        for trial_id in self.open_trials():
            self.release(trial_id)
