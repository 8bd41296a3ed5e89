"""The example `docs/examples/tau2.py`, which plays tasks of the benchmark tau2.

A task is about a customer of a telephone company or a shop, whose data an agent changes by calls.
Without a model, the example plays the ground truth, which is the right calls and answer. The tests
compare the scores with those that tau2's own evaluators give for the same calls.
"""

from pathlib import Path
from typing import Any

import pytest

import controlplane

tau2 = pytest.importorskip("docs.examples.tau2", exc_type=ImportError)
pytestmark = [pytest.mark.second_tier, pytest.mark.filterwarnings("ignore")]


def ground_truth_history(benchmark: Any, task: Any) -> list[Any]:
    """Return the messages of a conversation in which the ground truth is carried out.

    Each right call is a message, followed by its result; the answer comes last.
    """
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
        # Some calls are made by the user, such as a restart of the telephone.
        is_by_agent = action.requestor == "assistant"
        message_class = tau2.AssistantMessage if is_by_agent else tau2.UserMessage
        call = tau2.ToolCall(
            name=action.name, arguments=action.arguments, requestor=action.requestor
        )
        message = message_class(
            role=action.requestor, tool_calls=[call.model_copy(deep=True)]
        )
        result = world.get_response(call.model_copy(deep=True))
        history += [message, result]

    answer = " ".join(task.evaluation_criteria.communicate_info or ()) or "Done."
    history.append(tau2.AssistantMessage(role="assistant", content=answer))
    return history


def rewards_by_tau2(benchmark: Any, task_id: str) -> dict[str, float]:
    """Return the rewards that tau2 by itself gives to the ground truth: `{"DB": 1.0, ...}`.

    A task names the kinds of rewards that count. One that no evaluator gives is 1.
    """
    task = benchmark.tasks[task_id]
    history = ground_truth_history(benchmark, task)

    environment_reward = tau2.EnvironmentEvaluator.calculate_reward(
        benchmark.domain.get_environment, task, history
    )
    action_reward = tau2.ActionEvaluator.calculate_reward(task, history)
    communication_reward = tau2.CommunicateEvaluator.calculate_reward(task, history)
    rewards = dict(environment_reward.reward_breakdown or {})
    rewards.update(action_reward.reward_breakdown)
    rewards.update(communication_reward.reward_breakdown)

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
        rewards = rewards_by_tau2(benchmark, trial.task_id)
        assert trial.metrics == rewards, trial.task_id
        assert trial.score == min(rewards.values()), trial.task_id


def test_an_agent_that_makes_no_calls_gets_no_reward(tmp_path: Path) -> None:
    class WithoutCalls(tau2.Tau2):  # type: ignore[misc] # an example, loaded without types
        def truth(self, task_id: str) -> controlplane.Truth:
            return controlplane.Truth([], "Done.")

    benchmark = WithoutCalls("telecom", {}, None)

    run = controlplane.run(benchmark, limit=5, runs_dir=str(tmp_path))

    assert len(run.trials) == 5
    for trial in run.trials:
        assert trial.score == 0
