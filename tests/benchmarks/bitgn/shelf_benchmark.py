"""A small benchmark that counts every effect, so that tests notice what happens twice or never.

A *shelf* is the environment of one trial: a few books as files, and two programs. The task asks
for the title of a book. Tests serve the benchmark as the platform (BitGN) serves one:

    benchmark = ShelfBenchmark()
    ...  # a client answers the first trial, and repeats a call whose reply was lost
    assert benchmark.lifecycle["end run 1/t00"] == 1
"""

import itertools
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from unittest import mock

from controlplane import (
    Benchmark,
    BenchmarkContext,
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
from controlplane.benchmarks.bitgn.client.remote_benchmark import RemoteBenchmark
from controlplane.benchmarks.bitgn.server import ServerOptions
from tests.benchmarks.bitgn.shelf import Shelf
from tests.benchmarks.bitgn.shelf_contents import RIGHT_ANSWER, ShelfAnswer
from tests.support.many_trials import SmallBenchmark
from tests.support.relay import Faults, FaultyServer, faulty_server

# Scores of trials of the small benchmark `shelf`, by the answers that were given.
#
# `score_of_answers("run 1/t00", [RIGHT_ANSWER])` has the score 1.0.


def score_of_answers(trial_id: str, answers: Sequence[ShelfAnswer]) -> TrialScore:
    """Return 1.0 if the right answer was given, and only once."""
    if not answers:
        return TrialScore(trial_id, 0.0)
    if list(answers) == [RIGHT_ANSWER]:
        return TrialScore(trial_id, 1.0)
    return TrialScore(trial_id, 0.0, ("wrong title",))


def pending_result(run_id: str, trial_ids: Sequence[str]) -> RunResult:
    """Return the result of a run that is not graded yet: its trials have no scores."""
    unscored = tuple(TrialScore(trial_id, None) for trial_id in trial_ids)
    return RunResult(run_id, RunState.PENDING, None, unscored)


def mean_result(run_id: str, scores: Sequence[TrialScore]) -> RunResult:
    """Return the result of a graded run: the mean of the scores of its trials."""
    total = sum(score.score or 0.0 for score in scores)
    return RunResult(run_id, RunState.EVALUATED, total / len(scores), tuple(scores))


# Clients of a benchmark that is served over HTTP, as the platform (BitGN) serves one.
#
# The platform starts trials, has their files and tools, and grades their answers. The product has a
# client of the platform, and a server that speaks the same protocol. Tests let them meet, or send
# requests of their own:
#
#     with remote_benchmark_on(ShelfBenchmark()) as connection:
#         connection.remote.describe()  # by the product's client
#
#     with raw_client_of(ShelfBenchmark()) as client:
#         client.harness("StartRun", benchmarkId="shelf")  # any request

API_KEY = "canary-key-5f1d"
OPTIONS_WITH_KEY = ServerOptions(api_key=API_KEY)
"""Options of a server whose clients have to name the key."""


@dataclass(frozen=True)
class Connection:
    """The product's client, connected to a server."""

    remote: RemoteBenchmark
    server: FaultyServer
    notices: list[str]
    """What the client has told its user so far."""


@contextmanager
def remote_benchmark_on(
    benchmark: Benchmark,
    options: ServerOptions = OPTIONS_WITH_KEY,
    faults: Faults = Faults(),  # noqa: B008 - it is frozen
    *,
    benchmark_id: str = "shelf",
) -> Iterator[Connection]:
    """Serve a benchmark behind a network with faults, and connect the product's client to it."""
    with (
        faulty_server(benchmark, options, faults) as server,
        connected_to(server, benchmark_id=benchmark_id) as connection,
    ):
        yield connection


@contextmanager
def connected_to(
    server: FaultyServer,
    *,
    benchmark_id: str = "shelf",
    faults: Faults | None = None,
    **settings: str,
) -> Iterator[Connection]:
    """Connect the product's client to a running server. The server's key is in the environment.

    If `faults` are given, the network has them for the length of the block. `settings` are
    those of the client, such as `call_timeout_s="0.2"`.
    """
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, {"BITGN_API_KEY": API_KEY}))
        if faults is not None:
            server.faults.use(faults)
            stack.callback(server.faults.use, Faults())
        notices: list[str] = []
        context = BenchmarkContext(notify=notices.append)
        remote = RemoteBenchmark(
            benchmark_id, {"host": server.url, **settings}, context
        )
        stack.callback(remote.close)
        yield Connection(remote, server, notices)


class ShelfBenchmark(SmallBenchmark):
    """A benchmark with the tasks `t00`, `t01`, ... A run has the id `run 1`, and a trial `run 1/t00`."""

    def __init__(self, trials: int = 3, *, pending_polls: int = 0) -> None:
        """Set up a benchmark of so many tasks, and so of trials in a run.

        A submitted run has to be asked for `pending_polls` times until it has scores.
        """
        super().__init__([f"t{number:02d}" for number in range(trials)])
        self.shelves: dict[str, Shelf] = {}
        """The environments of the trials that have started, by the trials' ids."""
        self.lifecycle: Counter[str] = Counter()
        """How often each thing happened to a run or trial: `{"end run 1/t00": 1}`."""
        self.requests: list[RunRequest] = []
        """The requests for runs so far."""
        self._pending_polls = pending_polls
        self._run_numbers = itertools.count(1)
        self._trial_ids_by_run: dict[str, tuple[str, ...]] = {}

    def describe(self, preview_seed: int | None = None) -> Description:
        preview = "" if preview_seed is None else f"Which title? (seed {preview_seed})"
        tasks: list[ListedTask] = []
        for task_id in self.tasks:
            tasks.append(ListedTask(task_id, preview, "look in /books"))
        return Description("shelf", "titles on a shelf", tuple(tasks))

    def start_run(self, request: RunRequest) -> StartedRun:
        self.requests.append(request)
        run_id = f"run {next(self._run_numbers)}"
        self.lifecycle[f"start {run_id}"] += 1
        trials: list[PlannedTrial] = []
        for attempt in request.tries:
            trials.append(PlannedTrial(f"{run_id}/{attempt.task_id}", attempt.task_id))
        self._trial_ids_by_run[run_id] = tuple(trial.trial_id for trial in trials)
        return StartedRun(run_id, tuple(trials))

    def start_trial(self, trial_id: str) -> Trial:
        self.lifecycle[f"start {trial_id}"] += 1
        shelf = self.shelves.setdefault(trial_id, Shelf())
        _run_id, _, task_id = trial_id.rpartition("/")
        instruction = "Which title has the book in /books/emma.json?"
        return Trial(trial_id, task_id, instruction, shelf)

    def end_trial(self, trial_id: str) -> TrialScore:
        self.lifecycle[f"end {trial_id}"] += 1
        return self._score(trial_id)

    def _score(self, trial_id: str) -> TrialScore:
        """Return the score of a trial: 0.0 if its run was submitted before it has ended."""
        run_id, _, _task_id = trial_id.rpartition("/")
        was_submitted = self.lifecycle[f"submit {run_id}"] > 0
        if was_submitted and self.lifecycle[f"end {trial_id}"] == 0:
            return TrialScore(trial_id, 0.0, ("forced close",))
        if trial_id not in self.shelves:
            return score_of_answers(trial_id, [])
        return score_of_answers(trial_id, self.shelves[trial_id].answers)

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        if run_id not in self._trial_ids_by_run:
            raise BenchmarkError("not_found", f"no run {run_id}")
        self.lifecycle[f"submit {run_id}"] += 1
        return self.get_run(run_id)

    def get_run(self, run_id: str) -> RunResult:
        self.lifecycle[f"get {run_id}"] += 1
        trial_ids = self._trial_ids_by_run[run_id]
        if self.lifecycle[f"get {run_id}"] <= self._pending_polls:
            return pending_result(run_id, trial_ids)
        return mean_result(run_id, [self._score(trial_id) for trial_id in trial_ids])
