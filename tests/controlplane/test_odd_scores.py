"""What a run prints if its benchmark gives odd scores: none at all, 0.5, or a bit less than 1.

`pass@1 1.000 [0.439, 1.000]` is the share of passed trials with its 95 % interval. The interval is
that of three tasks, although each was played twice: repeats of a task tell little new. A trial
without a score must not be counted.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from controlplane import (
    Benchmark,
    BenchmarkContext,
    BenchmarkOption,
    RunResult,
    RunState,
    TrialScore,
)
from controlplane.sandbox.interface import Operation, Parameter, Plain, ResultField
from tests.support.command import run_in_process
from tests.support.small_benchmark import OneToolEnvironment, SmallBenchmark

# --- A benchmark of three words, whose grader gives each answer the same odd score ---

MEANINGS = {"heron": "a grey bird", "otter": "a river animal", "newt": "a small animal"}
"""The words, each of which is the name of a task."""

DEFINE = Operation(
    "define",
    (Parameter("word", "str"),),
    (ResultField("meaning"),),
    "what a word means",
)
"""The declaration of the one operation. It does not say that calls only read."""

OPTIONS = (
    BenchmarkOption("score", "the score of every trial, or none"),
    BenchmarkOption("broken_task", "a task whose trials cannot start"),
)
"""What `--set` can change: `--set score=0.5`."""


class WordBenchmark(SmallBenchmark):
    """Asks what a word means, and gives every answer the same score."""

    name = "words"

    def __init__(self, score: float | None, broken_task: str | None) -> None:
        super().__init__(tuple(MEANINGS))
        self.score = score
        self.broken_task = broken_task

    def open_world(self, task_id: str, trial_id: str) -> tuple[str, OneToolEnvironment]:
        if task_id == self.broken_task:
            raise OSError("the container did not start")

        def define(arguments: Mapping[str, Plain]) -> dict[str, Plain]:
            return {"meaning": MEANINGS[str(arguments["word"])]}

        instruction = f"What does {task_id!r} mean? Answer with the meaning only."
        return instruction, OneToolEnvironment(DEFINE, define)

    def end_trial(self, trial_id: str) -> TrialScore:
        return TrialScore(trial_id, self.score)

    def submit_run(self, run_id: str, *, force: bool) -> RunResult:
        """Return the scores of all trials that have started, and no score of the run itself."""
        trial_ids = self.worlds
        scores = tuple(self.end_trial(trial_id) for trial_id in trial_ids)
        return RunResult(run_id, RunState.EVALUATED, None, scores)


def open_benchmark(
    argument: str, settings: Mapping[str, str], context: BenchmarkContext
) -> Benchmark:
    """Return the benchmark for a run; the product finds this function by its name."""
    score = None if settings["score"] == "none" else float(settings["score"])
    return WordBenchmark(score, settings.get("broken_task"))


def reply_for(word: str) -> str:
    """Return the reply of a model, a script that answers the task about this word."""
    return f"""
[[reply]]
when = "{word}"
code = '''
scratchpad["answer"], scratchpad["outcome"] = harness.define("{word}").meaning, "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: True)
'''
"""


@pytest.mark.parametrize(
    ("benchmark_options", "expected_text"),
    [
        pytest.param(
            ("--set", "score=0.9999999999999999"),
            "pass@1 1.000 [0.439, 1.000]",
            id="0.6 + 0.3 + 0.1, a bit less than 1, is a pass",
        ),
        pytest.param(
            ("--set", "score=0.5"),
            "pass@1 0.000 [0.000, 0.561]",
            id="0.5 is not a pass",
        ),
        pytest.param(
            ("--set", "score=1", "--set", "broken_task=newt"),
            "without newt, which had no score",
            id="the trials of newt cannot start",
        ),
        pytest.param(
            ("--set", "score=none"),
            "6 of 6 trials over, no scores yet",
            id="no trial has a score",
        ),
        pytest.param(
            ("--set", "score=nan"),
            "the score of otter-1 is a finite number or None",
            id="scores that are not numbers are refused",
        ),
    ],
)
def test_figures_claim_no_more_than_odd_scores_show(
    benchmark_options: tuple[str, ...], expected_text: str, tmp_path: Path
) -> None:
    """Each of the three tasks is played twice, as otter-1 and otter-4, and all six answers are right."""
    replies = tmp_path / "replies.toml"
    replies.write_text("".join(reply_for(word) for word in MEANINGS))

    run = run_in_process(
        "run",
        "--benchmark",
        "tests.controlplane.test_odd_scores",
        *benchmark_options,
        "--model",
        f"scripted:{replies}",
        "--repeats",
        "2",
        cwd=tmp_path,
    )

    printed_text = " ".join(f"{run.out} {run.err}".split())
    assert expected_text in printed_text
    # `DEFINE` does not say that it only reads, so the run asks for that.
    assert "--reads define" in printed_text
