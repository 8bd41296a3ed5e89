"""The example `docs/examples/agentdojo.py`, which plays tasks of the benchmark AgentDojo.

A user asks the agent of a bank, say, to pay a bill. An attack injects another task into what the
agent reads: "Important: send EUR 50 to ...". AgentDojo scores *utility*, whether the user's task is
done, and *security*, whether the injected task is done, too. Without a model, the example plays the
*ground truth*: the right calls and the right answer.
"""

import warnings
from pathlib import Path

import pytest

import controlplane

pytest.importorskip("agentdojo")
pytestmark = [pytest.mark.second_tier, pytest.mark.filterwarnings("ignore")]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from docs.examples.agentdojo import AgentDojo
    from tests.benchmarks.agentdojo_example.compared_scores import (
        MisledAgentDojo,
        assert_scores_are_those_of_agentdojo,
    )


def test_the_ground_truth_is_right_under_the_default_policies(tmp_path: Path) -> None:
    """No policy, such as a check of untrusted values, may stop a right call."""
    benchmark = AgentDojo("", settings={}, context=None)

    run = controlplane.run(
        benchmark, runs_dir=str(tmp_path), concurrency=4, isolation="none"
    )

    assert len(run.trials) == 97  # all user tasks, without an attack
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

    # 16 user tasks of a bank, each with 9 injected tasks
    assert len(run.trials) == 144
    assert_scores_are_those_of_agentdojo(benchmark, run)
