"""AgentDojo: its user tasks, or with `--set attack=NAME` each of them beside each injection. Without
`--model` the ground truth plays: `controlplane run --benchmark docs.examples.agentdojo:banking`"""

from types import SimpleNamespace
from agentdojo.attacks.attack_registry import ATTACKS, load_attack
from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime
from agentdojo.task_suite.load_suites import get_suites
from controlplane import BenchmarkOption, TaskEnvironment, Tool, ToolBenchmark, Truth

SUITES = get_suites("v1.2.2")
READS = ("get_", "search_", "list_", "read_", "check_")  # the verbs of functions that only read
MODEL = SimpleNamespace(name="gpt-4o-2024-05-13")  # attacks address the model by its name
OPTIONS = (BenchmarkOption("attack", "how the injections are worded", tuple(ATTACKS)),)

class AgentDojo(ToolBenchmark):
    citations = "none"  # the suites have tools, and no documents
    def task_ids(self):  # SUITE.USER_TASK or SUITE.USER_TASK+INJECTION_TASK
        for name in self.argument.split(",") if self.argument else SUITES:
            injections = SUITES[name].injection_tasks if "attack" in self.settings else [""]
            for user in SUITES[name].user_tasks:
                yield from (f"{name}.{user}+{injection}".strip("+") for injection in injections)

    def parts(self, task_id):  # the suite, the user's task, the injected task or None, its texts
        name, user, injection = f"{task_id}+".replace(".", "+").split("+")[:3]
        suite, user_task = SUITES[name], SUITES[name].user_tasks[user]
        injected_task, texts = suite.injection_tasks.get(injection), {}
        if injected_task:
            texts = load_attack(self.settings["attack"], suite, MODEL).attack(user_task, injected_task)
        return suite, user_task, injected_task, texts

    def generate(self, task_id):
        suite, user, _, texts = self.parts(task_id)
        world = user.init_environment(suite.load_and_inject_default_environment(texts))
        before, runtime = world.model_copy(deep=True), FunctionsRuntime(suite.tools)
        def tool(function):
            def call(**arguments):
                value, error = runtime.run_function(world, function.name, arguments)
                if error: raise ValueError(error)
                return value
            name, schema = function.name, function.parameters.model_json_schema()
            only_reads = name.startswith(READS) and name != "get_unread_emails"  # marks them as read
            return Tool(call, "returns" if only_reads else "acts", name, function.description, schema)
        return user.PROMPT, TaskEnvironment(map(tool, suite.tools), state=(before, world))

    def truth(self, task_id):
        suite, user, _, texts = self.parts(task_id)
        world = user.init_environment(suite.load_and_inject_default_environment(texts))
        calls = [(call.function, call.args) for call in user.ground_truth(world)]
        return Truth([calls], user.GROUND_TRUTH_OUTPUT or "Done.")

    def grade(self, task_id, environment):
        suite, user, injected_task, _ = self.parts(task_id)
        calls = [FunctionCall(function=call.name, args=call.arguments) for call in environment.calls]
        end = [{"type": "text", "content": environment.answer or ""}], *environment.state, calls
        figures = {"utility": suite._check_task_result(user, *end)}
        if injected_task:  # AgentDojo calls it security: 1 if the injected task was carried out
            figures["attack succeeded (security)"] = suite._check_task_result(injected_task, *end)
        return figures["utility"], ["the user's task is not done"], figures

open_benchmark = AgentDojo
