"""Benchmarks whose worlds are in this process: the lifecycle of their runs.

Nothing is stored outside this process: a trial's id is enough to start it again elsewhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from secrets import token_hex
from threading import RLock
from typing import Final

import re2

from agent.model import Model
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
from gates.submission import encodable
from sandbox.interface.error_codes import FAILED_PRECONDITION, NOT_FOUND


@dataclass(frozen=True, slots=True)
class Grade:
    """A score from 0 to 1, with one line for each fault; None: there is no score."""

    score: float | None
    details: tuple[str, ...] = ()
    metrics: Mapping[str, float] = field(default_factory=dict)
    """Further figures by name, such as `security`."""


MOST_CLOSED_RUNS: Final = 200
"""Submitted runs to keep; older ones are forgotten."""
RUN: Final = re2.compile(r"(?P<benchmark>[a-z0-9-]+?)-s(?:0|-?[1-9]\d*)-n(?P<trials>[1-9]\d*)-(?P<token>[0-9a-f]{8})")
"""A run's id: its benchmark, seed and number of trials, and a random token that tells it from other runs."""
TRIAL: Final = re2.compile(r"(?P<task>.+)-r\d+-(?P<token>[0-9a-f]{8})(?:-c\d+)?")


@dataclass(frozen=True, slots=True)
class GeneratedTrial:
    """A trial that has started and not ended."""

    trial: Trial
    grade: Callable[[], Grade]
    close: Callable[[], None] = lambda: None
    """Refuses its environment's later calls."""


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
        self._open: dict[str, GeneratedTrial] = {}
        self._runs: defaultdict[str, _Run] = defaultdict(_Run)

    @abstractmethod
    def generate(self, trial_id: str) -> GeneratedTrial:
        """Make a trial's world. Raises `BenchmarkError` for an id that is not a trial's."""

    def trial_id(self, one_try: TaskTry, seed: int, token: str) -> str:
        """Return the id of a try's trial, which holds all that a new process needs to start the trial."""
        return f"{one_try.task_id}-r{one_try.number}-{token}" + f"-c{one_try.copy}" * bool(one_try.copy)

    def task_of(self, trial_id: str) -> str:
        """Return the task of a trial. Raises `BenchmarkError` for an id that is not a trial's."""
        return str(self._parsed(trial_id)["task"])

    def token_of(self, trial_id: str) -> str:
        """Return the token of the run that a trial is in. Raises `BenchmarkError` for an id that is not a trial's."""
        return str(self._parsed(trial_id)["token"])

    def _parsed(self, trial_id: str) -> re2._Match:
        match = TRIAL.fullmatch(encodable(trial_id))
        if match is None or match["task"] not in self.task_ids:
            raise BenchmarkError(NOT_FOUND, f"{trial_id!r} is not a trial of {self.name}")
        return match

    def start_run(self, request: RunRequest) -> StartedRun:
        """Make a trial for each try."""
        token = token_hex(4)
        stubs = [TrialStub(self.trial_id(one_try, request.seed, token), one_try.task_id) for one_try in request.tries]
        with self._lock:
            closed = [ended for ended, run in self._runs.items() if run.state is not RunState.RUNNING]
            for ended in closed[:-MOST_CLOSED_RUNS]:
                del self._runs[ended]
            self._runs[token] = _Run(tuple(stub.trial_id for stub in stubs))
        return StartedRun(f"{self.name}-s{request.seed}-n{len(stubs)}-{token}", tuple(stubs))

    def player(self) -> Model | None:
        """Return the model that comes with the benchmark, if it has one."""
        return None

    def start_trial(self, trial_id: str) -> Trial:
        """Generate a trial; a second start returns the same one. Raises `BenchmarkError` for an ended or unknown
        trial."""
        started = self._started(trial_id)
        if started is not None:
            return replace(started.trial, is_fresh=False)
        generated = self.generate(trial_id)
        with self._lock:
            started = self._started(trial_id)
            return (started or self._open.setdefault(trial_id, generated)).trial

    def end_trial(self, trial_id: str) -> TrialScore | None:
        """Grade a trial and release its world; the score is None if it is sealed or there is none."""
        token = self.token_of(trial_id)
        with self._lock:
            started = self._open.get(trial_id)
        graded = None
        if started is not None:
            started.close()
            graded = started.grade()  # It may ask a model, while others go on; if that fails, it is asked again.
        with self._lock:
            scores = self._runs[token].scores
            if graded is not None and self._open.pop(trial_id, None) is not None:
                # Lines of a grade to keep, and characters of each line: an answer may cite anything.
                details = tuple(line[:500] for line in graded.details[:50])
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
                    started.close()
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
                started.close()
            self._open.clear()

    def _started(self, trial_id: str) -> GeneratedTrial | None:
        """Return the trial if it is open, None if it is new. Raises `BenchmarkError` if it has ended."""
        token = self.token_of(trial_id)
        with self._lock:
            if trial_id in self._runs[token].scores:
                raise BenchmarkError(FAILED_PRECONDITION, f"trial {trial_id} has ended already")
            return self._open.get(trial_id)

    def _run_id(self, text: str) -> re2._Match:
        parsed = RUN.fullmatch(encodable(text))
        if parsed is None or parsed["benchmark"] != self.name:
            raise BenchmarkError(NOT_FOUND, f"{text!r} is not a run of {self.name}")
        return parsed

    def _result(self, run_id: re2._Match, run: _Run) -> RunResult:
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
