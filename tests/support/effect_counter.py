"""A benchmark that counts what its agents change, to show that no change is lost or made twice.

In each trial the agent reads a note, writes a report, deletes a draft, and runs the tool
`/bin/checkout`, which adds one to a count. Then it answers with the word in the note.
`--set trials=N` sets the number of tasks, which are called `tally.0`, `tally.1`, ...

    benchmark = EffectCounterBenchmark(trials=5)
    ...  # serve it, and run `RUN_EFFECT_COUNTER` while connections to the server break
    benchmark.check_each_effect_happened_once()
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
    InitialCall,
    Plain,
    ToolSchema,
)
from tests.support.small_benchmark import SmallBenchmark

RUN_EFFECT_COUNTER = (
    "run",
    "--benchmark",
    "bitgn:tally",
    "--model",
    f"scripted:{Path(__file__).with_suffix('.toml')}",
    "--rule-sets",
    "none",
    "--quiet",
)
"""The words behind `controlplane` that play this benchmark.

The benchmark is called `tally`. A server that speaks BitGN's protocol, which the test starts,
serves it. In place of a model, the file `effect_counter.toml` has the replies: scripts that make
every change once.
"""

INSTRUCTION = "Write the word into /report.txt, delete /draft.txt, and check out. Answer with the word only."
"""What the agent of each trial is asked to do."""

OPTIONS = (BenchmarkOption("trials", "how many tasks there are"),)
"""What `--set` can change: `--set trials=4`."""

TOOL_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS,  # read, write, delete and so on
    executables=(
        Executable("/bin/id", ExecutableKind.READS, "prints the count"),
        Executable("/bin/checkout", ExecutableKind.CHANGES, "adds one to the count"),
    ),
    rules_document="/AGENTS.MD",
    initial_calls=(InitialCall("read", {"path": "/AGENTS.MD"}),),
)
"""What the scripts of an agent may call. The rules document is shown to the agent at the start."""

FILES = {
    "/AGENTS.MD": "Read the note, write the report, delete the draft, check out once, answer with the word.",
    "/note.txt": "the word is heron",
    "/draft.txt": "an old draft",
    "/bin/id": "",
    "/bin/checkout": "",
}
"""The files of each trial at its start."""

RIGHT_ANSWER = "OUTCOME_OK: heron"
"""The one answer that scores: the word in the note."""

EACH_EFFECT_ONCE = {"write": 1, "delete": 1, "checkout": 1, "answer": 1}
"""The effects of a trial in which nothing was lost and nothing happened twice."""


class CountingEnvironment:
    """The files and tools of one trial, which counts what the agent changes.

    Both tools print how often `/bin/checkout` has run. If the connection broke during a call of
    `/bin/checkout`, a script sees by `/bin/id` whether the call took effect.
    """

    tool_schema = TOOL_SCHEMA

    def __init__(self) -> None:
        self.tree = FileTree(FILES)
        self.effects: Counter[str] = Counter()
        """How often each kind of change was made: `Counter(write=1, checkout=1)`."""
        self.answers: list[str] = []
        """Outcome and message of each answer: `["OUTCOME_OK: heron"]`."""
        self._lock = threading.Lock()

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        with self._lock:
            if operation == "exec":
                return self._run_tool(str(arguments["path"]), arguments.get("args"))
            result = getattr(self.tree, operation)(**arguments)
            if operation in ("write", "delete"):
                self.effects[operation] += 1
            return result

    def _run_tool(self, path: str, tool_arguments: Plain) -> dict[str, Plain]:
        """Return what a tool prints; the agent asks each tool for `--help` at the start."""
        if tool_arguments == ["--help"]:
            return {"stdout": f"usage: {path}", "stderr": "", "exit_code": 0}
        if path == "/bin/checkout":
            self.effects["checkout"] += 1
        elif path != "/bin/id":
            raise CallError("not_found", f"no tool {path}")
        checkouts = str(self.effects["checkout"])
        return {"stdout": checkouts, "stderr": "", "exit_code": 0}

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        with self._lock:
            if self.answers:
                raise CallError("already_exists", "answered before")
            self.effects["answer"] += 1
            self.answers.append(f"{outcome}: {message}")

    def now(self) -> None:
        return None


class EffectCounterBenchmark(SmallBenchmark):
    """The benchmark with the tasks `tally.0`, `tally.1`, ...

    The trials of its first run are `run1-0`, `run1-1`, ..., one for each task. Trials whose
    numbers are in `failing_starts` cannot be started.
    """

    name = "tally"

    def __init__(self, trials: int, failing_starts: Collection[int] = ()) -> None:
        super().__init__([f"tally.{number}" for number in range(trials)])
        self.failing_starts = failing_starts
        self.scores: dict[str, TrialScore] = {}
        """The scores of the trials that have ended."""
        self.runs = 0
        """How many runs were started."""
        self.submits = 0
        """How often a run was submitted."""
        self._lock = threading.Lock()

    @property
    def effects(self) -> dict[str, Counter[str]]:
        """Return the effects of each trial that has started: `{"run1-0": Counter(write=1, ...)}`."""
        return {trial_id: world.effects for trial_id, world in self.worlds.items()}

    def check_each_effect_happened_once(self, *, missing: int = 0) -> None:
        """Assert that every trial that could start had each effect once, and was scored 1.0.

        `missing` is the number of trials that could not start.
        """
        wrong_effects: dict[str, dict[str, int]] = {}
        for trial_id, trial_effects in self.effects.items():
            if trial_effects != EACH_EFFECT_ONCE:
                wrong_effects[trial_id] = dict(trial_effects)
        scores = [score.score for score in self.scores.values()]

        assert wrong_effects == {}
        assert scores == [1.0] * (len(self.tasks) - missing)
        assert self.submits == 1

    # What the product calls.

    def start_run(self, request: RunRequest) -> StartedRun:
        self.runs += 1
        planned_trials: list[PlannedTrial] = []
        for attempt in request.tries:
            number = attempt.task_id.rpartition(".")[2]
            planned_trials.append(
                PlannedTrial(f"run{self.runs}-{number}", attempt.task_id)
            )
        return StartedRun(f"tally-{self.runs}", tuple(planned_trials))

    def start_trial(self, trial_id: str) -> Trial:
        """Start a trial, or return it as it is now if it has started before."""
        number = trial_id.rpartition("-")[2]
        if int(number) in self.failing_starts:
            raise BenchmarkError("internal", f"trial {trial_id} cannot be started")
        with self._lock:
            is_new = trial_id not in self.worlds
            if is_new:
                self.worlds[trial_id] = CountingEnvironment()
            world = self.worlds[trial_id]
            return Trial(trial_id, f"tally.{number}", INSTRUCTION, world, is_new)

    def end_trial(self, trial_id: str) -> TrialScore:
        """Score a trial by its answers; a trial that is ended again keeps its score."""
        with self._lock:
            if trial_id not in self.scores:
                answers = self.worlds[trial_id].answers
                score = 1.0 if answers == [RIGHT_ANSWER] else 0.0
                self.scores[trial_id] = TrialScore(trial_id, score, tuple(answers))
            return self.scores[trial_id]

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        self.submits += 1
        return self.get_run(run_id)

    def get_run(self, run_id: str) -> RunResult:
        """Return the mean score of a run that was submitted; before that it has no score."""
        if not self.submits:
            return RunResult(run_id, RunState.RUNNING, None, ())
        scores = tuple(self.scores.values())
        mean_score = sum(score.score or 0.0 for score in scores) / len(scores)
        return RunResult(run_id, RunState.EVALUATED, mean_score, scores)


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    """Return the benchmark for a run; the product finds this function by its name."""
    return EffectCounterBenchmark(int(settings.get("trials", "10")))
