"""The base class of benchmarks whose worlds are in this process: their runs and trials.

Nothing is stored outside this process. A trial's id contains everything that another
process needs to start the trial again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from secrets import token_hex

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
from controlplane.local_benchmark.generated_trial import GeneratedTrial
from controlplane.local_benchmark.local_run import LocalRun
from controlplane.local_benchmark.local_runs import LocalRuns
from controlplane.local_benchmark.run_ids import RunId
from controlplane.local_benchmark.run_scores import hidden_result_of, result_of
from controlplane.local_benchmark.trial_ids import (
    TOKEN_BYTES,
    UNPLAYED_TOKEN,
    TrialId,
    trial_id_of,
)
from controlplane.sandbox.interface import ToolSchema
from controlplane.sandbox.interface.error_codes import FAILED_PRECONDITION, NOT_FOUND


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
        self._runs = LocalRuns()

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
        return trial_id_of(task_try, token)

    def parts_of(self, trial_id: str) -> tuple[str, str]:
        """Return the task of a trial and the token of its run, both taken from the trial's id.

        Raises `BenchmarkError` for an id that is not a trial's.
        """
        parsed = TrialId.parsed(trial_id)
        if parsed is None or parsed.task_id not in self.task_ids:
            msg = f"{trial_id!r} is not a trial of {self.name}"
            raise BenchmarkError(NOT_FOUND, msg)
        return parsed.task_id, parsed.token

    # A run

    def start_run(self, request: RunRequest) -> StartedRun:
        """Start a run with a trial for each try of the request. Their worlds come later.

        The run's id has its seed, its size and random digits: `desk-s7-n40-0a1b2c3d`.
        """
        token = token_hex(TOKEN_BYTES)
        planned_trials = []
        for task_try in request.tries:
            trial_id = self.trial_id(task_try, request.seed, token)
            planned_trials.append(PlannedTrial(trial_id, task_try.task_id))
        self._runs.add(
            token, [planned_trial.trial_id for planned_trial in planned_trials]
        )
        run_id = f"{self.name}-s{request.seed}-n{len(planned_trials)}-{token}"
        return StartedRun(run_id, tuple(planned_trials))

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Close the run. Without `force`, raises `BenchmarkError` if trials are open."""
        parsed = RunId.of(run_id, self.name)
        state = RunState.PENDING if self.is_blind else RunState.EVALUATED
        with self._runs.locked(parsed.token) as run:
            run.submit(state, force=force)
            return self._result(parsed, run)

    def get_run(self, run_id: str) -> RunResult:
        """Return the state and scores of a run.

        A blind run is scored by its platform some time after it was submitted. Here there is
        no platform: the scores are out at the first call after `submit_run`, which itself still
        hides them (`PENDING`).
        """
        parsed = RunId.of(run_id, self.name)
        with self._runs.locked(parsed.token) as run:
            if run.state is RunState.PENDING:
                run.state = RunState.EVALUATED
            return self._result(parsed, run)

    def _result(self, run_id: RunId, run: LocalRun) -> RunResult:
        """Return the state and the scores of a run, as far as the benchmark shows them now.

        `run_id` are the parts of the run's id.
        """
        if not self.has_scores:
            return RunResult(run_id.text, run.state, None, ())
        if self.is_blind and run.state is not RunState.EVALUATED:
            return hidden_result_of(run_id, run)
        return result_of(run_id, run)

    # A trial

    def start_trial(self, trial_id: str) -> Trial:
        """Start a trial. A second start returns the same trial.

        Raises `BenchmarkError` for a trial that has ended or is unknown.
        """
        _, token = self.parts_of(trial_id)
        with self._runs.locked(token) as run:
            started = run.open_world(trial_id)
        if started is not None:
            return replace(started.trial, is_fresh=False)

        # Creating the world may take long, so the lock is not held.
        generated = self.generate(trial_id)
        with self._runs.locked(token) as run:
            # Another thread may have started the trial meanwhile.
            started = run.open_world(trial_id)
            if started is None:
                run.worlds[trial_id] = generated
                started = generated
            return started.trial

    def end_trial(self, trial_id: str) -> TrialScore | None:
        """Grade a trial, release its world, and return its score.

        Return None if the benchmark hides its scores until the end of the run, or has
        none. A trial that has already ended keeps its first score. Raises
        `BenchmarkError` if the trial was not started.
        """
        _, token = self.parts_of(trial_id)
        with self._runs.locked(token) as run:
            started = run.worlds.get(trial_id)
        if started is not None:
            # Grading may ask a model, so the lock is not held. If grading fails, the
            # trial stays open, and a further call of `end_trial` grades it again.
            score = started.score_at_end(trial_id)
            with self._runs.locked(token) as run:
                run.end(score)

        # Another thread may have ended the trial first. Then its score counts.
        with self._runs.locked(token) as run:
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
        with self._runs.locked(token) as run:
            run.take_score(score)

    def release(self, trial_id: str) -> None:
        """Remove an open trial without grading it. A later start creates it anew."""
        self._runs.release(trial_id)

    def close(self) -> None:
        """Release every trial that is still open."""
        for trial_id in self._runs.open_trials():
            self.release(trial_id)
