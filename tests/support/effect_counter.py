"""A benchmark that counts every effect, to see that nothing happens twice and nothing is lost.

Each trial has a file to read, one to write, one to delete and a tool that changes
something. `--set trials=N`.
"""

import threading
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from controlplane import (
    Benchmark,
    BenchmarkContext,
    BenchmarkError,
    BenchmarkOption,
    RunRequest,
    RunResult,
    RunState,
    StartedRun,
    Trial,
    TrialScore,
    TrialStub,
)
from controlplane.sandbox import FileTree
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Executable,
    ExecutableKind,
    InitialCall,
    Plain,
    ToolSchema,
)
from tests.support.small_benchmark import SmallBenchmark

RUN = (
    "run",
    "--benchmark",
    "bitgn:tally",
    "--model",
    f"scripted:{Path(__file__).with_suffix('.toml')}",
)
RUN += ("--rule-sets", "none", "--quiet")
"""What plays it over the wire with a player that makes every effect once."""
INSTRUCTION = "Write the word into /report.txt, delete /draft.txt, and check out. Answer with the word only."
OPTIONS = (BenchmarkOption("trials", "how many tasks there are"),)
TOOL_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS,
    executables=(
        Executable("/bin/id", ExecutableKind.READS, "prints the count"),
        Executable("/bin/checkout", ExecutableKind.CHANGES, "adds one to the count"),
    ),
    rules_document="/AGENTS.MD",
    initial_calls=(InitialCall("read", {"path": "/AGENTS.MD"}),),
)
FILES = {
    "/AGENTS.MD": "Read the note, write the report, delete the draft, bump the count once, answer with the word.",
    "/note.txt": "the word is heron",
    "/draft.txt": "an old draft",
    "/bin/id": "",
    "/bin/checkout": "",
}


class World:
    tool_schema = TOOL_SCHEMA

    def __init__(self, effects: Counter[str]) -> None:
        self.tree = FileTree(FILES)
        self.effects = effects
        self.count = 0
        self.answers: list[str] = []
        self._lock = threading.Lock()

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        with self._lock:
            if operation == "exec":
                return self._exec(str(arguments["path"]), arguments.get("args"))
            result = getattr(self.tree, operation)(**arguments)
            if operation in ("write", "delete"):
                self.effects[operation] += 1
            return result

    def _exec(self, path: str, args: Plain) -> dict[str, Plain]:
        if args == ["--help"]:
            return {"stdout": f"usage: {path}", "stderr": "", "exit_code": 0}
        if path == "/bin/checkout":
            self.effects["bump"] += 1
            self.count += 1
        elif path != "/bin/id":
            raise CallError("not_found", f"no tool {path}")
        return {"stdout": str(self.count), "stderr": "", "exit_code": 0}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        with self._lock:
            if self.answers:
                raise CallError("already_exists", "answered before")
            self.effects["answer"] += 1
            self.answers.append(f"{outcome}: {message}")

    def now(self) -> None:
        return None


class Tally(SmallBenchmark):
    name = "tally"

    def __init__(self, trials: int, failing_starts: Collection[int] = ()) -> None:
        super().__init__([f"tally.{number}" for number in range(trials)])
        self.trials = trials
        self.failing_starts = failing_starts
        self.effects: dict[str, Counter[str]] = {}
        self.scores: dict[str, TrialScore] = {}
        self.runs = 0
        self.submits = 0
        self._lock = threading.Lock()

    def check_delivered(self, *, missing: int = 0) -> None:
        """Assert that every trial that could start was answered
        once, ended, and had each effect exactly once."""
        done = {"write": 1, "delete": 1, "bump": 1, "answer": 1}
        assert {
            name: dict(each) for name, each in self.effects.items() if each != done
        } == {}
        assert [score.score for score in self.scores.values()] == [1.0] * (
            self.trials - missing
        )
        assert self.submits == 1

    def start_run(self, request: RunRequest) -> StartedRun:
        self.runs += 1
        tasks = [attempt.task_id for attempt in request.tries]
        heads = tuple(
            TrialStub(f"run{self.runs}-{task.rpartition('.')[2]}", task)
            for task in tasks
        )
        return StartedRun(f"tally-{self.runs}", heads)

    def start_trial(self, trial_id: str) -> Trial:
        if int(trial_id.rpartition("-")[2]) in self.failing_starts:
            raise BenchmarkError("internal", f"trial {trial_id} cannot be started")
        with self._lock:
            fresh = trial_id not in self.worlds
            if fresh:
                self.effects[trial_id] = Counter()
                self.worlds[trial_id] = World(self.effects[trial_id])
            task = f"tally.{trial_id.rpartition('-')[2]}"
            return Trial(trial_id, task, INSTRUCTION, self.worlds[trial_id], fresh)

    def end_trial(self, trial_id: str) -> TrialScore:
        with self._lock:
            world = self.worlds[trial_id]
            self.scores.setdefault(
                trial_id,
                TrialScore(
                    trial_id,
                    float(world.answers == ["OUTCOME_OK: heron"]),
                    tuple(world.answers),
                ),
            )
            return self.scores[trial_id]

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        self.submits += 1
        return self.get_run(run_id)

    def get_run(self, run_id: str) -> RunResult:
        if not self.submits:
            return RunResult(run_id, RunState.RUNNING, None, ())
        known = tuple(self.scores.values())
        return RunResult(
            run_id,
            RunState.EVALUATED,
            sum(score.score or 0.0 for score in known) / len(known),
            known,
        )


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    return Tally(int(settings.get("trials", "10")))
