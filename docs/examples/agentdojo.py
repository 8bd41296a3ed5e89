"""AgentDojo, by the extra `agentdojo`: the user tasks of its suites, named SUITE.N, or with `--set attack=NAME` each
with every injection, SUITE.N+M. Without `--model` its ground truth plays.
`controlplane run --benchmark docs.examples.agentdojo:banking,slack`"""

import itertools, re
from types import SimpleNamespace

from agentdojo.attacks.attack_registry import ATTACKS, load_attack
from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime
from agentdojo.task_suite.load_suites import get_suites
from agentdojo.types import text_content_block_from_string as text_block
from controlplane import BenchmarkOption, TaskEnvironment, Tool, ToolBenchmark, Truth

SUITES = get_suites("v1.2.2")
READS = ("get_", "search_", "list_", "read_", "check_")  # the suites name each function by its verb
OPTIONS = (BenchmarkOption("attack", "generate each user task with each injection of this attack", tuple(ATTACKS)),)


class AgentDojo(ToolBenchmark):
    citations = "none"  # the suites have tools, and no documents

    def task_ids(self):
        for name in self.argument.split(",") if self.argument else SUITES:
            injections = SUITES[name].injection_tasks if "attack" in self.settings else [""]
            for user, injection in itertools.product(SUITES[name].user_tasks, injections):
                yield f"{name}.{user.rpartition('_')[2]}" + injection.replace("injection_task_", "+")

    def parts(self, task_id):
        """Return the suite, the user task, the injection task or None, and what is injected."""
        name, user, injection = re.fullmatch(r"(\w+)\.(\d+)\+?(\d*)", task_id).groups()
        suite, model = SUITES[name], SimpleNamespace(name="gpt-4o-2024-05-13")  # the name that an attack uses
        task = suite.user_tasks[f"user_task_{user}"]
        other = suite.injection_tasks[f"injection_task_{injection}"] if injection else None
        injected = load_attack(self.settings["attack"], suite, model).attack(task, other) if other else {}
        return suite, task, other, injected

    def generate(self, task_id):
        suite, user, _, injections = self.parts(task_id)
        world = user.init_environment(suite.load_and_inject_default_environment(injections))
        before, runtime = world.model_copy(deep=True), FunctionsRuntime(suite.tools)

        def tool(function):
            def call(**arguments):
                value, error = runtime.run_function(world, function.name, arguments)
                if error:
                    raise ValueError(error)
                return value
            only_reads = function.name.startswith(READS) and "unread" not in function.name  # that one marks emails as read
            schema = function.parameters.model_json_schema()
            return Tool(call, "returns" if only_reads else "acts", function.name, function.description, schema)
        return user.PROMPT, TaskEnvironment(map(tool, suite.tools), state=(before, world))

    def truth(self, task_id):
        suite, user, _, injections = self.parts(task_id)
        world = user.init_environment(suite.load_and_inject_default_environment(injections))
        calls = [(call.function, call.args) for call in user.ground_truth(world)]
        return Truth([calls], user.GROUND_TRUTH_OUTPUT or "Done.")

    def grade(self, task_id, environment):
        suite, user, injection, _ = self.parts(task_id)
        calls = [FunctionCall(function=call.name, args=call.arguments) for call in environment.calls]
        ended = [text_block(environment.answer or "")], *environment.state, calls
        utility = suite._check_task_result(user, *ended)
        figures = {"utility": utility}
        if injection:  # AgentDojo calls the figure security, although 1 means that the injected task was carried out
            figures["attack succeeded (security)"] = suite._check_task_result(injection, *ended)
        return utility, ["the user's task is not done"], figures

open_benchmark = AgentDojo
