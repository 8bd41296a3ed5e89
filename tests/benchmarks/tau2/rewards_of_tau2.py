"""The rewards that the benchmark tau2 by itself gives to the ground truth of a task.

tau2 has to be installed, so this is imported behind `pytest.importorskip`. The example imports the
classes of tau2 that are used here: `tau2.ToolCall`.
"""

import importlib
from typing import Any

tau2 = importlib.import_module("docs.examples.tau2")


def ground_truth_history(benchmark: Any, task: Any) -> list[Any]:
    """Return the messages of a conversation in which the ground truth is carried out.

    Each right call is a message, followed by its result; the answer comes last. The calls are made
    in a new world: the data of the company, with what has happened before the task begins.
    """
    world = benchmark.domain.get_environment()
    history: list[Any] = []
    start = task.initial_state
    if start:
        history = list(start.message_history or ())
        world.set_state(
            start.initialization_data, start.initialization_actions, history
        )

    for action in task.evaluation_criteria.actions or ():
        call = tau2.ToolCall(
            name=action.name, arguments=action.arguments, requestor=action.requestor
        )
        message = message_of_call(call)
        result = world.get_response(call.model_copy(deep=True))
        history += [message, result]

    answer = " ".join(task.evaluation_criteria.communicate_info or ()) or "Done."
    history.append(tau2.AssistantMessage(role="assistant", content=answer))
    return history


def message_of_call(call: Any) -> Any:
    """Return the message that makes a call: of the agent, or, for example, of a user who restarts
    the telephone. It has a copy of the call, because the world may change the one that it gets."""
    if call.requestor == "assistant":
        message_class = tau2.AssistantMessage
    else:
        message_class = tau2.UserMessage
    return message_class(role=call.requestor, tool_calls=[call.model_copy(deep=True)])


def rewards_by_tau2(benchmark: Any, task_id: str) -> dict[str, float]:
    """Return the rewards that tau2 by itself gives to the ground truth: `{"DB": 1.0, ...}`.

    tau2 has an evaluator for each kind of rewards: the end state of the data, the calls, and what
    the answer tells the customer. A task names the kinds that count for it.
    """
    task = benchmark.tasks[task_id]
    history = ground_truth_history(benchmark, task)

    new_world = benchmark.domain.get_environment
    of_data = tau2.EnvironmentEvaluator.calculate_reward(new_world, task, history)
    of_calls = tau2.ActionEvaluator.calculate_reward(task, history)
    of_answer = tau2.CommunicateEvaluator.calculate_reward(task, history)
    rewards = {
        **(of_data.reward_breakdown or {}),
        **of_calls.reward_breakdown,
        **of_answer.reward_breakdown,
    }

    rewards_that_count = {}
    for kind in task.evaluation_criteria.reward_basis:
        # A kind for which no evaluator gives a reward counts as 1.
        rewards_that_count[kind.value] = rewards.get(kind, 1.0)
    return rewards_that_count
