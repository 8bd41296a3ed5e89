"""A benchmark that counts what its agents change, to show that no change is lost or made twice.

    benchmark = EffectCounterBenchmark(trials=5)
    ...  # serve it, and run `RUN_EFFECT_COUNTER` while connections to the server break
    benchmark.check_each_effect_happened_once()

`--set trials=N` sets the number of tasks, which are called `tally.0`, `tally.1`, ...
"""

import threading
from collections import Counter
from collections.abc import Collection, Mapping
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
from tests.support.counting_environment import EACH_EFFECT_ONCE, CountingEnvironment
from tests.support.many_trials import SmallBenchmark

# A benchmark that counts its runs, and keeps the score of each trial.
#
#     benchmark = CountedRuns(trials=5, failing_starts=[3])
#     benchmark.start_trial("run1-0")
#     benchmark.start_trial("run1-0")     # the same trial, as it is now
#     benchmark.start_trial("run1-3")     # raises: it cannot be started
#
# The agent of each trial writes a report, deletes a draft, checks out, and answers with a word.

INSTRUCTION = "Write the word into /report.txt, delete /draft.txt, and check out. Answer with the word only."
"""What the agent of each trial is asked to do."""

RIGHT_ANSWER = "OUTCOME_OK: heron"
"""The one answer that scores: the word in the note."""


class CountedRuns(SmallBenchmark):
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

OPTIONS = (BenchmarkOption("trials", "how many tasks there are"),)
"""What `--set` can change: `--set trials=4`."""


class EffectCounterBenchmark(CountedRuns):
    """The benchmark with the tasks `tally.0`, `tally.1`, ..., and what their agents have changed."""

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


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    """Return the benchmark for a run; the product finds this function by its name."""
    return EffectCounterBenchmark(int(settings.get("trials", "10")))
