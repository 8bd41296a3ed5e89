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
from controlplane.sandbox.interface import ToolSchema, bounds
from controlplane.sandbox.interface.error_codes import FAILED_PRECONDITION, NOT_FOUND

RUN_ID: Final = re2.compile(
    r"(?P<benchmark>[a-z0-9-]+?)"  # ecom
    r"-s(?:0|-?[1-9]\d*)"  # -s7: the seed
    r"-n(?P<trials>[1-9]\d*)"  # -n100: the number of trials
    r"-(?P<token>[0-9a-f]{8})"  # -0a1b2c3d: random, to distinguish the run from others
)
"""The id of a run, such as `ecom-s7-n100-0a1b2c3d`."""
TRIAL_ID: Final = re2.compile(
    r"(?P<task>.+)"  # orders.3
    r"-r\d+"  # -r0: the number of the world
    r"-(?P<token>[0-9a-f]{8})"  # -0a1b2c3d: the token of the run
    r"(?:-c\d+)?"  # -c2: the number of the copy, for further tries in the same world
)
"""The id of a trial, such as `orders.3-r0-0a1b2c3d-c2`."""
TOKEN_BYTES: Final = 4
"""The number of random bytes in a run's token. Each byte becomes two hexadecimal
digits."""
UNPLAYED_TOKEN: Final = "0" * 2 * TOKEN_BYTES
"""The token of worlds that are created only to look at them."""
MAX_COUNT_DIGITS: Final = 18
"""More digits of a number of trials are ignored: anyone may have written the id, and
Python refuses to convert thousands of digits."""
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
    """A started trial that has not ended."""

    trial: Trial
    grade: Callable[[], Grade]
    """Grades the trial at its end."""


@dataclass(slots=True)
class _RunState:
    """The state of a run in this process."""

    scores: dict[str, TrialScore | None] = field(default_factory=dict)
    """The scores of the trials by their ids; None for a trial that has not ended.

    If another process started the run, only the trials that were started here are
    included.
    """
    state: RunState = RunState.RUNNING
    """`RUNNING` until the run is submitted, then `EVALUATED`.

    The run of a blind benchmark is `PENDING` in between. Its scores stay hidden until
    `EVALUATED`.
    """


@dataclass(frozen=True, slots=True)
class _ParsedRunId:
    """The parts of a run's id."""

    text: str
    """The whole id."""
    trials: int
    """The number of trials in the run."""
    token: str
    """Its random part, which the ids of the run's trials contain, too."""


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
        """Create a benchmark without runs. `task_ids` are all tasks that a trial can
        have.

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
        self._runs: defaultdict[str, _RunState] = defaultdict(_RunState)
        """The runs by their tokens. A run of another process is added when it is first
        used."""

    @abstractmethod
    def generate(self, trial_id: str) -> GeneratedTrial:
        """Create the world of a trial. Raises `BenchmarkError` for an id that is not a
        trial's."""

    def player(self) -> Model | None:
        """Return the model that comes with the benchmark; None if there is none."""
        return None

    def tool_schemas(self, task_ids: Sequence[str]) -> Iterator[ToolSchema]:
        """Yield the tool schema of each task's trials, from a world that is not
        played."""
        for task_id in task_ids:
            trial_id = self.trial_id(TaskTry(task_id, 0), seed=0, token=UNPLAYED_TOKEN)
            yield self.generate(trial_id).trial.environment.tool_schema

    # Ids

    def trial_id(self, task_try: TaskTry, seed: int, token: str) -> str:
        """Return the id of a try's trial, such as `orders.3-r0-0a1b2c3d`.

        A new process can start the trial from its id alone. A subclass whose worlds
        depend on the seed also puts the seed into the id.
        """
        trial_id = f"{task_try.task_id}-r{task_try.number}-{token}"
        if task_try.copy:
            trial_id += f"-c{task_try.copy}"
        return trial_id

    def parts_of(self, trial_id: str) -> tuple[str, str]:
        """Return the task of a trial and the token of its run, both taken from the
        trial's id.

        Raises `BenchmarkError` for an id that is not a trial's.
        """
        match = TRIAL_ID.fullmatch(encodable(trial_id))
        if match is None or match["task"] not in self.task_ids:
            raise BenchmarkError(
                NOT_FOUND, f"{trial_id!r} is not a trial of {self.name}"
            )
        return match["task"], match["token"]

    def _parse_run_id(self, text: str) -> _ParsedRunId:
        """Return the parts of a run's id. Raises `BenchmarkError` for another text."""
        match = RUN_ID.fullmatch(encodable(text))
        if match is None or match["benchmark"] != self.name:
            raise BenchmarkError(NOT_FOUND, f"{text!r} is not a run of {self.name}")
        trials = int(match["trials"][:MAX_COUNT_DIGITS])
        return _ParsedRunId(match[0], trials, match["token"])

    # A run

    def start_run(self, request: RunRequest) -> StartedRun:
        """Create a trial for each try of the request."""
        token = token_hex(TOKEN_BYTES)
        stubs = []
        for task_try in request.tries:
            trial_id = self.trial_id(task_try, request.seed, token)
            stubs.append(TrialStub(trial_id, task_try.task_id))
        with self._lock:
            self._forget_closed_runs()
            self._runs[token] = _RunState(
                dict.fromkeys(stub.trial_id for stub in stubs)
            )
        run_id = f"{self.name}-s{request.seed}-n{len(stubs)}-{token}"
        return StartedRun(run_id, tuple(stubs))

    def _forget_closed_runs(self) -> None:
        """Remove all but the latest closed runs, because a server may have many."""
        closed_tokens = []  # The earliest run comes first.
        for token, run in self._runs.items():
            if run.state is not RunState.RUNNING:
                closed_tokens.append(token)
        for token in closed_tokens[: -bounds.MOST_CLOSED_RUNS]:
            del self._runs[token]

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Close the run. Without `force`, raises `BenchmarkError` if trials are
        open."""
        parsed = self._parse_run_id(run_id)
        with self._lock:
            run = self._runs[parsed.token]
            open_trials = [
                trial_id for trial_id, score in run.scores.items() if score is None
            ]
            if open_trials and not force and run.state is RunState.RUNNING:
                msg = f"{len(open_trials)} trials have not ended, the first is {open_trials[0]}"
                raise BenchmarkError(FAILED_PRECONDITION, msg)
            for trial_id in open_trials:
                self.release(trial_id)
                run.scores[trial_id] = TrialScore(trial_id, 0.0, ("forced close",))
            if run.state is RunState.RUNNING:
                run.state = RunState.PENDING if self.is_blind else RunState.EVALUATED
            return self._result(parsed, run)

    def get_run(self, run_id: str) -> RunResult:
        """Return the state and scores of a run.

        The first call after a blind run is submitted ends its state `PENDING`, and so
        reveals its scores.
        """
        parsed = self._parse_run_id(run_id)
        with self._lock:
            run = self._runs[parsed.token]
            if run.state is RunState.PENDING:
                run.state = RunState.EVALUATED
            return self._result(parsed, run)

    def _result(self, parsed: _ParsedRunId, run: _RunState) -> RunResult:
        """Return the run's scores. Its own score is the mean of its trials' scores.

        The mean is None until the run is evaluated, and if another process has some of
        the scores.
        """
        if not self.has_scores:
            return RunResult(parsed.text, run.state, None, ())

        ended_trials = [trial for trial in run.scores.values() if trial is not None]
        is_evaluated = run.state is RunState.EVALUATED
        if self.is_blind and not is_evaluated:
            hidden = [TrialScore(trial.trial_id, score=None) for trial in ended_trials]
            return RunResult(parsed.text, run.state, None, tuple(hidden))

        scores = [trial.score for trial in ended_trials if trial.score is not None]
        mean = None
        if is_evaluated and len(scores) == parsed.trials:
            mean = sum(scores) / len(scores)
        return RunResult(parsed.text, run.state, mean, tuple(ended_trials))

    # A trial

    def start_trial(self, trial_id: str) -> Trial:
        """Start a trial. A second start returns the same trial.

        Raises `BenchmarkError` for a trial that has ended or is unknown.
        """
        open_trial = self._open_trial(trial_id)
        if open_trial is not None:
            return replace(open_trial.trial, is_fresh=False)

        new_trial = self.generate(
            trial_id
        )  # This may take long, so the lock is not held.
        with self._lock:
            # Another thread may have started the trial meanwhile.
            open_trial = self._open_trial(trial_id)
            if open_trial is None:
                self._open[trial_id] = new_trial
                open_trial = new_trial
            return open_trial.trial

    def _open_trial(self, trial_id: str) -> GeneratedTrial | None:
        """Return the trial if it is open, None if it is new. A new one is added to its
        run.

        Raises `BenchmarkError` if it has ended.
        """
        _, token = self.parts_of(trial_id)
        with self._lock:
            score = self._runs[token].scores.setdefault(trial_id, None)
            if score is not None:
                raise BenchmarkError(
                    FAILED_PRECONDITION, f"trial {trial_id} has ended already"
                )
            return self._open.get(trial_id)

    def end_trial(self, trial_id: str) -> TrialScore | None:
        """Grade a trial, release its world, and return its score.

        Return None if the benchmark hides its scores until the end of the run, or has
        none. A trial that has already ended keeps its first score. Raises
        `BenchmarkError` if the trial was not started.
        """
        _, token = self.parts_of(trial_id)
        with self._lock:
            open_trial = self._open.get(trial_id)
        grade = None
        if open_trial is not None:
            _close(open_trial.trial)
            # Grading may ask a model, so the lock is not held. If grading fails, the
            # trial stays open, and a further call of `end_trial` grades it again.
            grade = open_trial.grade()

        with self._lock:
            scores = self._runs[token].scores
            if grade is not None:
                # Another thread may have graded and released the trial meanwhile.
                is_first_grade = self._open.pop(trial_id, None) is not None
                if is_first_grade:
                    scores[trial_id] = _score_of(trial_id, grade)
            if scores.get(trial_id) is None:
                raise BenchmarkError(
                    FAILED_PRECONDITION, f"trial {trial_id} has not been started"
                )
            if self.is_blind or not self.has_scores:
                return None
            return scores[trial_id]

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
    """Return a grade as the score of a trial. Long lines are cut, and only the first
    are kept."""
    lines = [line[:MAX_GRADE_LINE_CHARS] for line in grade.details[:MAX_GRADE_LINES]]
    return TrialScore(trial_id, grade.score, tuple(lines), grade.metrics)


def _close(trial: Trial) -> None:
    """Close a trial's environment to later calls, if it can be closed."""
    close = getattr(trial.environment, "close", None)
    if close is not None:
        close()
