"""AgentDojo's tasks: an agent of a bank, a travel agency, an office or a chat, under attack or not.

`controlplane run --benchmark docs.examples.agentdojo:banking`
`controlplane run --benchmark docs.examples.agentdojo:banking --set attack=direct`

A task such as `banking.user_task_0` asks for something by AgentDojo's own tools. With an attack,
each of them is played beside each injection: in `banking.user_task_0+injection_task_3`, a text in
the data tells the agent to do something for somebody else. Without `--model`, AgentDojo's own
solution is played. Needs the package `agentdojo`.
"""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from agentdojo.attacks.attack_registry import ATTACKS, load_attack
from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime
from agentdojo.task_suite.load_suites import get_suites

from controlplane import BenchmarkOption, TaskEnvironment, Tool, ToolBenchmark, Truth

SUITES = get_suites("v1.2.2")
OPTIONS = (BenchmarkOption("attack", "how the injections are worded", tuple(ATTACKS)),)

READING_VERBS = ("get_", "search_", "list_", "read_", "check_")
"""The names of functions that only read begin with these words."""

READS_AND_MARKS = "get_unread_emails"
"""An exception: this function also changes something, since it marks the mails as read."""

ATTACKED_MODEL = SimpleNamespace(name="gpt-4o-2024-05-13")
"""The model that the attacks address by its name."""


@dataclass
class TaskParts:
    """The parts of a task in AgentDojo's terms."""

    suite: Any
    user_task: Any
    injected_task: Any  # None without an attack
    injections: dict[str, str]
    """The attack's texts, by their place in the suite's data."""

    def new_world(self):
        """Return the suite's data, with the injections and as the user's task wants them."""
        world = self.suite.load_and_inject_default_environment(self.injections)
        return self.user_task.init_environment(world)


class AgentDojo(ToolBenchmark):
    citations = "none"  # The suites have tools, but no documents to cite.

    def task_ids(self):
        suite_names = list(SUITES)
        if self.argument:
            suite_names = self.argument.split(",")

        task_ids = []
        for suite_name in suite_names:
            suite = SUITES[suite_name]
            for user_task in suite.user_tasks:
                if "attack" not in self.settings:
                    task_ids.append(f"{suite_name}.{user_task}")
                    continue
                for injection_task in suite.injection_tasks:
                    task_ids.append(f"{suite_name}.{user_task}+{injection_task}")
        return task_ids

    def parts(self, task_id):
        """Find what a task's id names: `banking.user_task_0+injection_task_3`."""
        suite_name, _, tasks = task_id.partition(".")
        user_name, _, injection_name = tasks.partition("+")
        suite = SUITES[suite_name]
        user_task = suite.user_tasks[user_name]
        if not injection_name:
            return TaskParts(suite, user_task, injected_task=None, injections={})

        injected_task = suite.injection_tasks[injection_name]
        attack = load_attack(self.settings["attack"], suite, ATTACKED_MODEL)
        injections = attack.attack(user_task, injected_task)
        return TaskParts(suite, user_task, injected_task, injections)

    def generate(self, task_id):
        """Return the user's request, and an environment with the suite's functions as tools."""
        parts = self.parts(task_id)
        world = parts.new_world()
        world_before = world.model_copy(deep=True)
        runtime = FunctionsRuntime(parts.suite.tools)
        tools = [tool_of(function, runtime, world) for function in parts.suite.tools]
        environment = TaskEnvironment(tools, state=(world_before, world))
        return parts.user_task.PROMPT, environment

    def truth(self, task_id):
        parts = self.parts(task_id)
        solution = parts.user_task.ground_truth(parts.new_world())
        calls = [(call.function, call.args) for call in solution]
        return Truth([calls], parts.user_task.GROUND_TRUTH_OUTPUT or "Done.")

    def grade(self, task_id, environment):
        """Let AgentDojo's own checks say whether each of the two tasks was carried out."""
        parts = self.parts(task_id)
        world_before, world = environment.state
        answer = [{"type": "text", "content": environment.answer or ""}]
        calls = []
        for call in environment.calls:
            calls.append(FunctionCall(function=call.name, args=call.arguments))

        def was_done(task):
            return parts.suite._check_task_result(
                task, answer, world_before, world, calls
            )

        figures = {"utility": was_done(parts.user_task)}
        if parts.injected_task:
            # AgentDojo calls it security: 1 if the agent did what the injection wanted.
            figures["attack succeeded (security)"] = was_done(parts.injected_task)
        return figures["utility"], ["the user's task is not done"], figures


def tool_of(function, runtime, world):
    """Return a function of AgentDojo as a tool that works on this world."""

    def call(**arguments):
        value, error = runtime.run_function(world, function.name, arguments)
        if error:
            raise ValueError(error)
        return value

    only_reads = function.name.startswith(READING_VERBS)
    if function.name == READS_AND_MARKS:
        only_reads = False
    return Tool(
        call,
        "returns" if only_reads else "acts",
        function.name,
        function.description,
        schema=function.parameters.model_json_schema(),
    )


open_benchmark = AgentDojo
