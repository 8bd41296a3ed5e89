"""A small benchmark that counts every effect, so that tests notice what happens twice or never.

A *shelf* is the environment of one trial: a few books as files, and two programs. The task asks
for the title of a book. Tests serve the benchmark as the platform (BitGN) serves one:

    benchmark = ShelfBenchmark()
    ...  # a client answers the first trial, and repeats a call whose reply was lost
    assert benchmark.lifecycle["end run 1/t00"] == 1
"""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

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
"""What a script is told that it can call: the operations on files, and two programs."""


class ShelfAnswer(NamedTuple):
    """An answer that was given in a trial."""

    message: str
    outcome: str
    refs: tuple[str, ...]
    """The files that the answer cites."""


RIGHT_ANSWER = ShelfAnswer("Emma", "OUTCOME_OK", ("/books/emma.json",))


class Shelf:
    """The environment of one trial: the books in `FILES`, and programs. It counts changes.

    It refuses a call that comes while another one is made, because a trial makes one at a time.
    """

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
        """Return the result of a program. `/bin/crash` raises, as a fault of the platform would."""
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
