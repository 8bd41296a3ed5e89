"""The example `docs/examples/bfcl.py`, which plays the multi-turn tasks of the benchmark BFCL.

In such a task, a user asks for several things in turn, such as to move a file and then to post a
message, and an agent calls functions. Without a model, the example plays the ground truth:
the right calls, which BFCL's own checker must accept.
"""

import importlib
from pathlib import Path

import pytest

import controlplane

pytest.importorskip(
    "bfcl_eval.eval_checker.multi_turn_eval.multi_turn_checker", exc_type=ImportError
)
bfcl = importlib.import_module("docs.examples.bfcl")

pytestmark = [pytest.mark.second_tier, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize(
    "category", ["base", "miss_func", "miss_param", "long_context"]
)
def test_the_ground_truth_is_right_under_the_default_policies(
    category: str, tmp_path: Path
) -> None:
    """No policy, such as a check of untrusted values, may stop a right call."""
    benchmark = bfcl.BFCL(category, settings={}, context=None)

    run = controlplane.run(benchmark, limit=40, runs_dir=str(tmp_path))

    wrong_trials = []
    for trial in run.trials:
        if trial.score != 1:
            wrong_trials.append((trial.task_id, trial.why, trial.reason))
    assert wrong_trials == []
    assert len(run.trials) == 40


def test_a_turn_without_its_calls_is_wrong(tmp_path: Path) -> None:
    """The agent makes the right calls in every turn except the last one of each task."""

    class WithoutCallsInLastTurn(bfcl.BFCL):  # type: ignore[misc] # an example, loaded without types
        def truth(self, task_id: str) -> controlplane.Truth:
            truth: controlplane.Truth = super().truth(task_id)
            no_calls: tuple[()] = ()
            turns = [*truth.turns[:-1], no_calls]
            return controlplane.Truth(turns, tells_user=truth.tells_user)

    benchmark = WithoutCallsInLastTurn("base", settings={}, context=None)

    run = controlplane.run(benchmark, limit=5, runs_dir=str(tmp_path))

    assert len(run.trials) == 5
    for trial in run.trials:
        assert trial.score == 0
