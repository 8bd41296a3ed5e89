"""A benchmark with an environment of its own: it asks what a word means.

`controlplane run --benchmark docs.examples.wordbook --model scripted:docs/examples/wordbook.toml`

A task is a word. For each trial, the control plane calls `start_trial`, plays the trial in the
environment that it gets, and then calls `end_trial` for the score. `Wordbook` has all methods of
`controlplane.Benchmark`; a benchmark without a platform behind it needs only the three of
`controlplane.ToolBenchmark`, see `errands.py`.
"""

from controlplane import (
    Description,
    ListedTask,
    PlannedTrial,
    RunResult,
    RunState,
    StartedRun,
    Trial,
    TrialScore,
)
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Parameter,
    ResultField,
    ToolSchema,
)

WORDS = {"heron": "a grey bird", "otter": "a river animal"}

# A script calls it as `harness.define("otter").meaning`.
DEFINE = Operation(
    "define",
    parameters=(Parameter("word", "str"),),
    fields=(ResultField("meaning"),),
    summary="what a word means",
    effect=Effect.RETURNS,
)


class WordEnvironment:
    """What a trial's scripts can call, and the answer that they submit."""

    tool_schema = ToolSchema(operations=(DEFINE,))

    def __init__(self):
        self.answered = None

    def call(self, operation, arguments):
        """Return the result of `define`, the only operation, as its fields."""
        if arguments["word"] not in WORDS:
            raise CallError("not_found", f"no word {arguments['word']!r}")
        return {"meaning": WORDS[arguments["word"]]}

    def answer(self, message, outcome, refs):
        """Keep the answer. It has passed the gates; `refs` are its citations."""
        self.answered = (message, outcome)

    def now(self):
        """Return the time in the environment, if it has a clock."""
        return None  # no clock


class Wordbook:
    """The tasks, the trials in progress, and their scores."""

    def __init__(self):
        self.environments = {}
        self.scores = {}

    def describe(self, preview_seed=None):
        tasks = tuple(ListedTask(word) for word in WORDS)
        return Description("wordbook", "what words mean", tasks)

    def start_run(self, request):
        """Plan a trial for each try of a task. A trial's id is such as `otter-0`."""
        trials = []
        for task_try in request.tries:
            trials.append(PlannedTrial(str(task_try), task_try.task_id))
        return StartedRun("wordbook", tuple(trials))

    def start_trial(self, trial_id):
        """Return the instruction and the environment; the same one if the trial resumes."""
        word = word_of(trial_id)
        environment = self.environments.setdefault(trial_id, WordEnvironment())
        instruction = f"What does {word!r} mean? Answer with the meaning only."
        return Trial(trial_id, word, instruction, environment)

    def end_trial(self, trial_id):
        """Return the score: 1 for the right answer, else 0."""
        answered = self.environments[trial_id].answered
        right = answered == (WORDS[word_of(trial_id)], "OUTCOME_OK")
        return self.scores.setdefault(trial_id, TrialScore(trial_id, float(right)))

    def submit_run(self, run_id, *, force):
        """End the run. A platform would grade it now; here, all scores are known."""
        return self.get_run(run_id)

    def get_run(self, run_id):
        scores = tuple(self.scores.values())
        return RunResult(run_id, RunState.EVALUATED, None, scores)

    def player(self):
        """Return who plays without `--model`: None, since the benchmark has no such player."""
        return None

    def close(self):
        """Release what the benchmark holds open: nothing."""


def word_of(trial_id):
    """Return the task of a trial: `otter-0` or `otter-0-copy1` -> `otter`."""
    return trial_id.partition("-")[0]


def open_benchmark(argument, settings, context):
    """Return the benchmark. The command line calls this function."""
    return Wordbook()
