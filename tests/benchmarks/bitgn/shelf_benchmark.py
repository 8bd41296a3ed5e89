"""A small benchmark that counts every effect, so that tests notice what happens twice or never.

A *shelf* is the environment of one trial: a few books as files, and two programs. The task asks
for the title of a book. Tests serve the benchmark as the platform (BitGN) serves one:

    benchmark = ShelfBenchmark()
    ...  # a client answers the first trial, and repeats a call whose reply was lost
    assert benchmark.lifecycle["end run 1/t00"] == 1
"""

import itertools
import threading
from collections import Counter

from controlplane import (
    BenchmarkError,
    Description,
    ListedTask,
    PlannedTrial,
    RunRequest,
    RunResult,
    RunState,
    StartedRun,
    Trial,
    TrialScore,
)
from tests.benchmarks.bitgn.shelf import Shelf
from tests.benchmarks.bitgn.shelf_contents import RIGHT_ANSWER
from tests.support.small_benchmark import SmallBenchmark


class ShelfBenchmark(SmallBenchmark):
    """A benchmark with the tasks `t00`, `t01`, ..., whose right answer is `RIGHT_ANSWER`.

    The ids of its first run and trial are `run 1` and `run 1/t00`.
    """

    def __init__(
        self,
        trials: int = 3,
        *,
        call_s: float = 0.0,
        calls_may_end: threading.Event | None = None,
        pending_polls: int = 0,
    ) -> None:
        """Set up the benchmark.

        - `trials`: the number of tasks, and so of the trials of a run
        - `call_s`: how many seconds each call of a trial takes
        - `calls_may_end`: calls wait until it is set; None: they do not wait
        - `pending_polls`: how often a submitted run has to be asked for until it has scores
        """
        self.shelves: dict[str, Shelf] = {}
        """The environments of the trials that have started, by the trials' ids."""
        self.lifecycle: Counter[str] = Counter()
        """How often each thing happened to a run or trial: `{"end run 1/t00": 1}`."""
        self.requests: list[RunRequest] = []
        """The requests for runs so far."""
        self._trials = trials
        self._call_s = call_s
        self._calls_may_end = calls_may_end
        self._pending_polls = pending_polls
        self._run_numbers = itertools.count(1)
        self._trial_ids_by_run: dict[str, tuple[str, ...]] = {}
        self._submitted_runs: set[str] = set()

    def describe(self, preview_seed: int | None = None) -> Description:
        tasks: list[ListedTask] = []
        for number in range(self._trials):
            tasks.append(ListedTask(f"t{number:02d}", "Which title?", "look in /books"))
        return Description("shelf", "titles on a shelf", tuple(tasks))

    def start_run(self, request: RunRequest) -> StartedRun:
        self.requests.append(request)
        run_id = f"run {next(self._run_numbers)}"
        self.lifecycle[f"start {run_id}"] += 1
        trials: list[PlannedTrial] = []
        for requested in request.tries:
            trial_id = f"{run_id}/{requested.task_id}"
            trials.append(PlannedTrial(trial_id, requested.task_id))
        self._trial_ids_by_run[run_id] = tuple(trial.trial_id for trial in trials)
        return StartedRun(run_id, tuple(trials))

    def start_trial(self, trial_id: str) -> Trial:
        self.lifecycle[f"start {trial_id}"] += 1
        new_shelf = Shelf(self._call_s, self._calls_may_end)
        shelf = self.shelves.setdefault(trial_id, new_shelf)
        _run_id, _, task_id = trial_id.rpartition("/")
        instruction = "Which title has the book in /books/emma.json?"
        return Trial(trial_id, task_id, instruction, shelf)

    def end_trial(self, trial_id: str) -> TrialScore:
        self.lifecycle[f"end {trial_id}"] += 1
        return self._score(trial_id)

    def _score(self, trial_id: str) -> TrialScore:
        """Return the score of a trial: 1.0 if the right answer was given, and only once."""
        run_id, _, _task_id = trial_id.rpartition("/")
        has_ended = self.lifecycle[f"end {trial_id}"] > 0
        if run_id in self._submitted_runs and not has_ended:
            return TrialScore(trial_id, 0.0, ("forced close",))
        shelf = self.shelves.get(trial_id)
        if shelf is None or not shelf.answers:
            return TrialScore(trial_id, 0.0)
        if shelf.answers == [RIGHT_ANSWER]:
            return TrialScore(trial_id, 1.0)
        return TrialScore(trial_id, 0.0, ("wrong title",))

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        if run_id not in self._trial_ids_by_run:
            raise BenchmarkError("not_found", f"no run {run_id}")
        self.lifecycle[f"submit {run_id}"] += 1
        self._submitted_runs.add(run_id)
        return self.get_run(run_id)

    def get_run(self, run_id: str) -> RunResult:
        self.lifecycle[f"get {run_id}"] += 1
        trial_ids = self._trial_ids_by_run[run_id]
        is_pending = self.lifecycle[f"get {run_id}"] <= self._pending_polls
        if is_pending:
            unscored = tuple(TrialScore(trial_id, None) for trial_id in trial_ids)
            return RunResult(run_id, RunState.PENDING, None, unscored)
        scores = tuple(self._score(trial_id) for trial_id in trial_ids)
        total = sum(score.score or 0.0 for score in scores)
        return RunResult(run_id, RunState.EVALUATED, total / len(scores), scores)
