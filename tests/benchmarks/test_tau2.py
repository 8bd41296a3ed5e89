"""tau2 through the example, played by its ground truth:
every score is that of tau2's own evaluators."""

from pathlib import Path
from typing import Any

import pytest

import controlplane

tau2 = pytest.importorskip("docs.examples.tau2", exc_type=ImportError)
pytestmark = [pytest.mark.second_tier, pytest.mark.filterwarnings("ignore")]


def own_rewards(benchmark: Any, task_id: str) -> dict[str, float]:
    """Return the rewards that tau2 gives to the ground truth, without anything of this product."""
    task = benchmark.tasks[task_id]
    world = benchmark.domain.get_environment()
    history: list[Any] = []
    if task.initial_state:
        history = list(task.initial_state.message_history or ())
        world.set_state(
            task.initial_state.initialization_data,
            task.initial_state.initialization_actions,
            history,
        )
    for action in task.evaluation_criteria.actions or ():
        message_class = tau2.UserMessage
        if action.requestor == "assistant":
            message_class = tau2.AssistantMessage
        call = tau2.ToolCall(
            name=action.name, arguments=action.arguments, requestor=action.requestor
        )
        message = message_class(
            role=action.requestor, tool_calls=[call.model_copy(deep=True)]
        )
        history += [message, world.get_response(call.model_copy(deep=True))]
    answer = " ".join(task.evaluation_criteria.communicate_info or ()) or "Done."
    history.append(tau2.AssistantMessage(role="assistant", content=answer))

    environment_reward = tau2.EnvironmentEvaluator.calculate_reward(
        benchmark.domain.get_environment, task, history
    )
    rewards = dict(environment_reward.reward_breakdown or {})
    rewards |= tau2.ActionEvaluator.calculate_reward(task, history).reward_breakdown
    rewards |= tau2.CommunicateEvaluator.calculate_reward(
        task, history
    ).reward_breakdown
    return {
        kind.value: rewards.get(kind, 1.0)
        for kind in task.evaluation_criteria.reward_basis
    }


@pytest.mark.parametrize(
    ("domain", "limit"), [("mock", 9), ("telecom", 12), ("retail", 4)]
)
def test_scores_of_the_ground_truth_are_those_of_tau2(
    domain: str, limit: int, tmp_path: Path
) -> None:
    benchmark = tau2.Tau2(domain, {}, None)
    run = controlplane.run(benchmark, limit=limit, runs_dir=str(tmp_path))

    assert len(run.trials) == limit
    for trial in run.trials:
        rewards = own_rewards(benchmark, trial.task_id)
        assert trial.metrics == rewards, trial.task_id
        assert trial.score == min(rewards.values()), trial.task_id


def test_a_call_of_the_ground_truth_that_is_missing_costs_the_reward(
    tmp_path: Path,
) -> None:
    class Lazy(tau2.Tau2):  # type: ignore[misc] # an example, loaded without types
        def truth(self, task_id: str) -> controlplane.Truth:
            return controlplane.Truth([], "Done.")

    run = controlplane.run(Lazy("telecom", {}, None), limit=5, runs_dir=str(tmp_path))

    assert [trial.score for trial in run.trials] == [0] * 5
