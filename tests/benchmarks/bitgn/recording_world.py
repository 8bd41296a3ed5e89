"""A small benchmark that counts every effect, served over HTTP as the platform serves one.

The platform (BitGN) starts trials, has their files and tools, and grades their answers. The
product has a client of the platform, and a server that speaks the same protocol. The tests
let them meet, or send requests of their own:

    with remote_benchmark_on(ShelfBenchmark()) as connection:
        connection.remote.describe()  # by the product's client

    with raw_client_of(ShelfBenchmark()) as client:
        client.harness("StartRun", benchmarkId="shelf")  # by any client
"""

import itertools
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple
from unittest import mock

import httpx2

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
from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Executable,
    ExecutableKind,
    Plain,
    ToolSchema,
)
from tests.support.command import PATIENCE_S
from tests.support.running_server import running_server
from tests.support.server_faults import Faults, FaultyServer, faulty_server
from tests.support.small_benchmark import SmallBenchmark

NOW = datetime(2026, 4, 22, 9, 30, tzinfo=UTC)
FILES = {
    "/AGENTS.MD": "# Rules\nAnswer the title only.\n",
    "/docs/guide.md": "# Guide\nBooks stand on shelves.\n",
    "/docs/more/deep.md": "deep\n",
    "/books/emma.json": '{\n  "title": "Emma"\n}\n',
    "/books/été.json": '{\n  "title": "L\'été"\n}\n',
}
TOOL_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS,
    executables=(
        Executable("/bin/date", ExecutableKind.READS),
        Executable("/bin/checkout", ExecutableKind.CHANGES),
    ),
    rules_document="/AGENTS.MD",
)
"""What scripts can call: the operations on files, and two programs."""


class ShelfAnswer(NamedTuple):
    """An answer that was given in a trial."""

    message: str
    outcome: str
    refs: tuple[str, ...]
    """The files that the answer cites."""


RIGHT_ANSWER = ShelfAnswer("Emma", "OUTCOME_OK", ("/books/emma.json",))


class Shelf:
    """The environment of one trial: the books in `FILES`, and two programs."""

    def __init__(
        self, call_s: float = 0.0, calls_may_end: threading.Event | None = None
    ) -> None:
        """Set up the environment. `ShelfBenchmark` explains the parameters."""
        self.tool_schema = TOOL_SCHEMA
        self.effects: Counter[str] = Counter()
        """How often each change was made: `{"write /a.txt": 1, "checkout ['b1']": 1}`."""
        self.answers: list[ShelfAnswer] = []
        self._busy = threading.Lock()
        self._call_s = call_s
        self._calls_may_end = calls_may_end
        self._tree = FileTree(FILES, on_change=self._count_change)

    def _count_change(self, path: str, text: str | None) -> None:
        if text is None:
            self.effects[f"delete {path}"] += 1
        else:
            self.effects[f"write {path}"] += 1

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Return the result of a call. Fails if another call has not ended yet."""
        if not self._busy.acquire(blocking=False):
            raise CallError("internal", "two calls at once")
        try:
            time.sleep(self._call_s)
            if self._calls_may_end is not None:
                self._calls_may_end.wait(PATIENCE_S)
            if operation == "exec":
                return self._run_program(
                    str(arguments["path"]),
                    arguments.get("args") or [],
                    str(arguments.get("stdin", "")),
                )
            file_operation = getattr(self._tree, operation)
            result: dict[str, Plain] = file_operation(**arguments)
            return result
        finally:
            self._busy.release()

    def _run_program(self, path: str, args: Plain, stdin: str) -> dict[str, Plain]:
        stdout = ""
        stderr = ""
        exit_code = 0
        match path:
            case "/bin/date":
                stdout = f"{NOW:%Y-%m-%dT%H:%M:%SZ}\n"
            case "/bin/checkout":
                self.effects[f"checkout {args}"] += 1
                stdout = f"checked out {args} {stdin}\n"
            case "/bin/crash":
                raise ZeroDivisionError
            case _:
                stderr = f"no tool {path}\n"
                exit_code = 127
        return {"stdout": stdout, "stderr": stderr, "exit_code": exit_code}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.answers.append(ShelfAnswer(message, outcome, tuple(refs)))

    def now(self) -> datetime:
        return NOW


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
        for attempt in request.tries:
            trials.append(PlannedTrial(f"{run_id}/{attempt.task_id}", attempt.task_id))
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
        if self.lifecycle[f"get {run_id}"] <= self._pending_polls:
            unscored = tuple(TrialScore(trial_id, None) for trial_id in trial_ids)
            return RunResult(run_id, RunState.PENDING, None, unscored)
        scores = tuple(self._score(trial_id) for trial_id in trial_ids)
        total = sum(score.score or 0.0 for score in scores)
        return RunResult(run_id, RunState.EVALUATED, total / len(scores), scores)


# The product's client.

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
    """Serve a benchmark behind faults of the network, and open the client on it."""
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
    """Open the client on a running server.

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


# Clients of any kind.

HARNESS = "/bitgn.harness.HarnessService/"
"""The path of the service for runs and trials. A method, such as `StartRun`, follows it."""
ECOM = "/bitgn.vm.ecom.EcomRuntime/"
"""The path of the service for the files and tools of a trial, below the trial's own URL."""

RIGHT_ANSWER_FIELDS: dict[str, Any] = {
    "message": RIGHT_ANSWER.message,
    "outcome": RIGHT_ANSWER.outcome,
    "refs": list(RIGHT_ANSWER.refs),
}
"""The right answer as the fields of a message of the protocol."""


class RawClient:
    """Sends requests to a server, without the product's client between."""

    def __init__(self, http: httpx2.Client) -> None:
        self.http = http

    def harness(self, method: str, **fields: object) -> dict[str, Any]:
        """Return the reply to a method for runs and trials."""
        reply: dict[str, Any] = self.http.post(HARNESS + method, json=fields).json()
        return reply

    def start_run(self) -> dict[str, Any]:
        """Start a run of `ShelfBenchmark`: `{"runId": "...", "trialIds": ["...", ...]}`."""
        return self.harness("StartRun", benchmarkId="shelf", name="a run")

    def start_trial(self, trial_id: str) -> str:
        """Start a trial, and return the URL of its runtime, which a method follows."""
        trial = self.harness("StartTrial", trialId=trial_id)
        return str(trial["harnessUrl"]) + ECOM

    def runtime(
        self, runtime_url: str, method: str, **fields: object
    ) -> dict[str, Any]:
        """Return the reply to a method for the files, tools and answer of a trial."""
        reply: dict[str, Any] = self.http.post(runtime_url + method, json=fields).json()
        return reply


@contextmanager
def raw_client_of(
    benchmark: Benchmark, options: ServerOptions | None = None
) -> Iterator[RawClient]:
    """Serve a benchmark, and yield a client of the server."""
    with (
        running_server(benchmark, options or ServerOptions()) as server,
        httpx2.Client(base_url=server.url, timeout=20) as http,
    ):
        yield RawClient(http)
