"""A tiny world that writes down every effect, served as
the platform serves one, and the platform's client on it."""

import itertools
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from unittest import mock

import httpx2

from controlplane import (
    Benchmark,
    BenchmarkContext,
    BenchmarkError,
    Description,
    RunRequest,
    RunResult,
    RunState,
    StartedRun,
    TaskStub,
    Trial,
    TrialScore,
    TrialStub,
)
from controlplane.benchmarks.bitgn.client.remote_benchmark import RemoteBenchmark
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.bitgn.server.runs.served_runs import ServedRuns
from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Executable,
    ExecutableKind,
    Plain,
    ToolSchema,
)
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


class Shelf:
    """One trial's world."""

    def __init__(self, call_s: float = 0.0) -> None:
        self.tool_schema = TOOL_SCHEMA
        self.effects: Counter[str] = Counter()
        self.answers: list[tuple[str, str, tuple[str, ...]]] = []
        self._busy = threading.Lock()
        self._call_s = call_s
        self._tree = FileTree(
            FILES, on_change=lambda path, text: self._note(path, text)
        )

    def _note(self, path: str, text: str | None) -> None:
        self.effects[f"{'delete' if text is None else 'write'} {path}"] += 1

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if not self._busy.acquire(blocking=False):
            raise CallError("internal", "two calls at once")
        try:
            time.sleep(self._call_s)
            if operation == "exec":
                return self._exec(
                    str(arguments["path"]),
                    arguments.get("args") or [],
                    str(arguments.get("stdin", "")),
                )
            result: dict[str, Plain] = getattr(self._tree, operation)(**arguments)
            return result
        finally:
            self._busy.release()

    def _exec(self, path: str, args: Plain, stdin: str) -> dict[str, Plain]:
        if path == "/bin/date":
            return {
                "stdout": f"{NOW:%Y-%m-%dT%H:%M:%SZ}\n",
                "stderr": "",
                "exit_code": 0,
            }
        if path == "/bin/checkout":
            self.effects[f"checkout {args}"] += 1
            return {
                "stdout": f"checked out {args} {stdin}\n",
                "stderr": "",
                "exit_code": 0,
            }
        if path == "/bin/crash":
            raise ZeroDivisionError
        return {"stdout": "", "stderr": f"no tool {path}\n", "exit_code": 127}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        self.answers.append((message, outcome, tuple(refs)))

    def now(self) -> datetime:
        return NOW


class ShelfBenchmark(SmallBenchmark):
    """Trials whose right answer is `Emma`, citing its record."""

    def __init__(
        self, trials: int = 3, *, call_s: float = 0.0, pending_polls: int = 0
    ) -> None:
        self.shelves: dict[str, Shelf] = {}
        self.lifecycle: Counter[str] = Counter()
        self.requests: list[RunRequest] = []
        self._trials = trials
        self._call_s = call_s
        self._pending_polls = pending_polls
        self._numbers = itertools.count(1)
        self._runs: dict[str, tuple[str, ...]] = {}
        self._submitted: set[str] = set()

    def describe(self, preview_seed: int | None = None) -> Description:
        tasks = tuple(
            TaskStub(f"t{number:02d}", "Which title?", "look in /books")
            for number in range(self._trials)
        )
        return Description("shelf", "titles on a shelf", tasks)

    def start_run(self, request: RunRequest) -> StartedRun:
        self.requests.append(request)
        run_id = f"run {next(self._numbers)}"
        self.lifecycle[f"start {run_id}"] += 1
        heads = tuple(
            TrialStub(f"{run_id}/{each.task_id}", each.task_id)
            for each in request.tries
        )
        self._runs[run_id] = tuple(head.trial_id for head in heads)
        return StartedRun(run_id, heads)

    def start_trial(self, trial_id: str) -> Trial:
        self.lifecycle[f"start {trial_id}"] += 1
        shelf = self.shelves.setdefault(trial_id, Shelf(self._call_s))
        return Trial(
            trial_id,
            trial_id[-3:],
            "Which title has the book in /books/emma.json?",
            shelf,
        )

    def end_trial(self, trial_id: str) -> TrialScore:
        self.lifecycle[f"end {trial_id}"] += 1
        return self._score(trial_id)

    def _score(self, trial_id: str) -> TrialScore:
        shelf = self.shelves.get(trial_id)
        if (
            trial_id.rpartition("/")[0] in self._submitted
            and not self.lifecycle[f"end {trial_id}"]
        ):
            return TrialScore(trial_id, 0.0, ("forced close",))
        if shelf is None or not shelf.answers:
            return TrialScore(trial_id, 0.0)
        right = shelf.answers == [("Emma", "OUTCOME_OK", ("/books/emma.json",))]
        return TrialScore(trial_id, float(right), () if right else ("wrong title",))

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        if run_id not in self._runs:
            raise BenchmarkError("not_found", f"no run {run_id}")
        self.lifecycle[f"submit {run_id}"] += 1
        self._submitted.add(run_id)
        return self.get_run(run_id)

    def get_run(self, run_id: str) -> RunResult:
        self.lifecycle[f"get {run_id}"] += 1
        scores = tuple(self._score(run) for run in self._runs[run_id])
        if self.lifecycle[f"get {run_id}"] <= self._pending_polls:
            return RunResult(
                run_id,
                RunState.PENDING,
                None,
                tuple(TrialScore(score.trial_id, None) for score in scores),
            )
        total = sum(score.score or 0.0 for score in scores)
        return RunResult(run_id, RunState.EVALUATED, total / len(scores), scores)


API_KEY = "canary-key-5f1d"
PLAIN = ServerOptions(api_key=API_KEY)


@dataclass(frozen=True)
class Wire:
    remote: RemoteBenchmark
    server: FaultyServer
    notices: list[str]


@contextmanager
def wire(
    benchmark: Benchmark,
    options: ServerOptions = PLAIN,
    faults: Faults = Faults(),  # noqa: B008 - it is frozen
    *,
    served_as: str = "",
    **settings: str,
) -> Iterator[Wire]:
    """Serve `benchmark` with faults, and open the platform's client on it."""
    with (
        faulty_server(benchmark, options, faults) as server,
        client(server, served_as, **settings) as wired,
    ):
        yield wired


@contextmanager
def client(
    server: FaultyServer,
    served_as: str = "",
    faults: Faults | None = None,
    **settings: str,
) -> Iterator[Wire]:
    """Open the platform's client on a server,
    which makes `faults` meanwhile, where they are given."""
    with ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, {"BITGN_API_KEY": API_KEY}))
        if faults is not None:
            server.faults.use(faults)
            stack.callback(server.faults.use, Faults())
        notices: list[str] = []
        context = BenchmarkContext(notify=notices.append)
        remote = RemoteBenchmark(
            served_as or "shelf", {"host": server.url, **settings}, context
        )
        stack.callback(remote.close)
        yield Wire(remote, server, notices)


HARNESS = "/bitgn.harness.HarnessService/"
ECOM = "/bitgn.vm.ecom.EcomRuntime/"
RIGHT_ANSWER = {
    "message": "Emma",
    "outcome": "OUTCOME_OK",
    "refs": ["/books/emma.json"],
}


class Platform:
    def __init__(self, http: httpx2.Client, runs: ServedRuns) -> None:
        self.http = http
        self.runs = runs

    def __call__(self, method: str, **fields):
        return self.http.post(HARNESS + method, json=fields).json()

    def run(self):
        return self("StartRun", benchmarkId="shelf", name="a run")

    def start(self, trial_id: str) -> str:
        return self("StartTrial", trialId=trial_id)["harnessUrl"] + ECOM

    def answer(self, runtime: str, **fields):
        return self.http.post(runtime + "Answer", json=fields).json()


@contextmanager
def platform(benchmark: ShelfBenchmark | None = None, **options):
    with ExitStack() as stack:
        server = stack.enter_context(
            running_server(benchmark or ShelfBenchmark(), ServerOptions(**options))
        )
        yield Platform(
            stack.enter_context(httpx2.Client(base_url=server.url, timeout=20)),
            server.runs,
        )
