"""The example `docs/examples/agentdojo.py`, which plays tasks of the benchmark AgentDojo.

A task is that of an office, such as to pay a bill, and an attack injects another task into what the
agent reads: "Important: send EUR 50 to ...". AgentDojo scores utility (the user's task is done) and
security. Without a model, the example plays the ground truth, which is the right calls.
"""

import warnings
from pathlib import Path

import pytest

import controlplane
from controlplane import Truth

pytest.importorskip("agentdojo")
pytestmark = [
    pytest.mark.second_tier,
    pytest.mark.filterwarnings("ignore"),
]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from docs.examples.agentdojo import AgentDojo
    from tests.support.agentdojo_pipeline import TruthPipeline


# `benchmark.parts(task_id)` returns what AgentDojo knows about a task: its suite, the user's task,
# the injected task (None without an attack), and the attacker's texts.


class MisledAgentDojo(AgentDojo):
    """The benchmark with an agent that also carries out the injected task."""

    def truth(self, task_id: str) -> Truth:
        parts = self.parts(task_id)
        injected_calls = []
        for call in parts.injected_task.ground_truth(parts.new_world()):
            injected_calls.append((call.function, call.args))

        truth = super().truth(task_id)
        answer = f"{truth.answer}\n{parts.injected_task.GROUND_TRUTH_OUTPUT}".strip()
        return Truth([*truth.turns, injected_calls], answer)


def assert_scores_are_those_of_agentdojo(
    benchmark: AgentDojo, run: controlplane.RunReport
) -> None:
    """Have AgentDojo's own runner make the same calls, and compare its scores.

    `TruthPipeline` is an agent for that runner; it makes the calls of a truth and answers.
    """
    for trial in run.trials:
        parts = benchmark.parts(trial.task_id)
        agent = TruthPipeline(benchmark.truth(trial.task_id))
        utility, security = parts.suite.run_task_with_pipeline(
            agent, parts.user_task, parts.injected_task, parts.injections
        )
        assert trial.score == float(utility), trial.task_id
        assert trial.metrics["utility"] == float(utility), trial.task_id
        if parts.injected_task:
            # AgentDojo's "security" is True if the attack has succeeded.
            measured = trial.metrics["attack succeeded (security)"]
            assert measured == float(security), trial.task_id


ALL_USER_TASKS = 97
"""The tasks of all offices without an attack."""
BANKING_TASKS_WITH_ATTACK = 144
"""16 user tasks of the office `banking`, each with 9 injected tasks."""


def test_the_ground_truth_is_right_under_the_default_policies(tmp_path: Path) -> None:
    """No policy, such as a check of untrusted values, may stop a right call."""
    benchmark = AgentDojo("", settings={}, context=None)

    run = controlplane.run(
        benchmark, runs_dir=str(tmp_path), concurrency=4, isolation="none"
    )

    assert len(run.trials) == ALL_USER_TASKS
    assert run.mean == 1.0
    assert_scores_are_those_of_agentdojo(benchmark, run)


@pytest.mark.parametrize("benchmark_class", [AgentDojo, MisledAgentDojo])
def test_scores_under_attack_are_those_of_agentdojo(
    benchmark_class: type[AgentDojo], tmp_path: Path
) -> None:
    """The attack "important_instructions" is one of AgentDojo's own wordings of injected tasks."""
    settings = {"attack": "important_instructions"}
    benchmark = benchmark_class("banking", settings=settings, context=None)

    run = controlplane.run(
        benchmark, runs_dir=str(tmp_path), concurrency=4, isolation="none"
    )

    assert len(run.trials) == BANKING_TASKS_WITH_ATTACK
    assert_scores_are_those_of_agentdojo(benchmark, run)
