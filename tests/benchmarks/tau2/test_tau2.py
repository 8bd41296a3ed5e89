"""The example `docs/examples/tau2.py`, which plays tasks of the benchmark tau2.

A task is about a customer of a telephone company or a shop, whose data an agent changes by calls.
Without a model, the example plays the ground truth, which is the right calls and answer. The tests
compare the scores with those that tau2's own evaluators give for the same calls.
"""

import importlib
from pathlib import Path

import pytest

import controlplane

pytest.importorskip("tau2.evaluator.evaluator_env", exc_type=ImportError)
example = importlib.import_module("docs.examples.tau2")
rewards_of_tau2 = importlib.import_module("tests.benchmarks.tau2.rewards_of_tau2")

pytestmark = [pytest.mark.second_tier, pytest.mark.filterwarnings("ignore")]


@pytest.mark.parametrize(
    ("domain", "task_count"), [("mock", 9), ("telecom", 12), ("retail", 4)]
)
def test_scores_of_the_ground_truth_are_those_of_tau2(
    domain: str, task_count: int, tmp_path: Path
) -> None:
    """The score of a trial is the smallest of the rewards that count for its task.

    The first tasks of each domain are played: all of them would take too long.
    """
    benchmark = example.Tau2(domain, settings={}, context=None)

    # No model is named, so the ground truth is played.
    run = controlplane.run(benchmark, limit=task_count, runs_dir=str(tmp_path))

    assert len(run.trials) == task_count
    for trial in run.trials:
        rewards = rewards_of_tau2.rewards_by_tau2(benchmark, trial.task_id)
        assert trial.metrics == rewards, trial.task_id
        assert trial.score == min(rewards.values()), trial.task_id


def test_an_agent_that_makes_no_calls_gets_no_reward(tmp_path: Path) -> None:
    class WithoutCalls(example.Tau2):  # type: ignore[misc] # an example, loaded without types
        def truth(self, task_id: str) -> controlplane.Truth:
            return controlplane.Truth([], "Done.")

    benchmark = WithoutCalls("telecom", settings={}, context=None)

    run = controlplane.run(benchmark, limit=5, runs_dir=str(tmp_path))

    assert len(run.trials) == 5
    for trial in run.trials:
        assert trial.score == 0
