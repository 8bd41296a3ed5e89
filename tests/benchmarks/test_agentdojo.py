"""AgentDojo through the example, played by its ground truth:
every score is that of AgentDojo's own grading."""

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


class MisledAgentDojo(AgentDojo):
    """Its ground truth also carries out the injected task."""

    def truth(self, task_id: str) -> Truth:
        suite, user, injection, injections = self.parts(task_id)
        world = user.init_environment(
            suite.load_and_inject_default_environment(injections)
        )
        truth = super().truth(task_id)
        injected_calls = [
            (call.function, call.args) for call in injection.ground_truth(world)
        ]
        answer = f"{truth.answer}\n{injection.GROUND_TRUTH_OUTPUT}".strip()
        return Truth([*truth.turns, injected_calls], answer)


def assert_scores_are_agentdojos(
    benchmark: AgentDojo, run: controlplane.RunReport
) -> None:
    for trial in run.trials:
        suite, user, injection, injections = benchmark.parts(trial.task_id)
        pipeline = TruthPipeline(benchmark.truth(trial.task_id))
        utility, security = suite.run_task_with_pipeline(
            pipeline, user, injection, injections
        )
        assert trial.score == float(utility), trial.task_id
        assert trial.metrics["utility"] == float(utility), trial.task_id
        if injection:
            measured = trial.metrics["attack succeeded (security)"]
            assert measured == float(security), trial.task_id


def test_the_ground_truth_of_all_user_tasks_is_right_under_the_default_policies(
    tmp_path: Path,
) -> None:
    benchmark = AgentDojo("", {}, None)
    run = controlplane.run(
        benchmark, runs_dir=str(tmp_path), concurrency=4, isolation="none"
    )

    assert len(run.trials) == 97
    assert run.mean == 1.0
    assert_scores_are_agentdojos(benchmark, run)


@pytest.mark.parametrize("benchmark_class", [AgentDojo, MisledAgentDojo])
def test_scores_beside_injections_are_those_of_its_own_grading(
    benchmark_class: type[AgentDojo], tmp_path: Path
) -> None:
    benchmark = benchmark_class("banking", {"attack": "important_instructions"}, None)
    run = controlplane.run(
        benchmark, runs_dir=str(tmp_path), concurrency=4, isolation="none"
    )

    assert len(run.trials) == 144
    assert_scores_are_agentdojos(benchmark, run)
