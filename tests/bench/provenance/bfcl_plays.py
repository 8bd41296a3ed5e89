"""Plays of BFCL: tasks of several turns, in which the user says the next thing after each answer.

BFCL's data has the right calls of each turn as lines of Python, such as `cd('docs')`. Needs the
package `bfcl-eval`, of which only the data and the tools are used (`pip install --no-deps`).
"""

import ast
import functools
import importlib
import inspect
import json
import pathlib
from collections.abc import Callable
from typing import Any

import bfcl_eval  # type: ignore[import-not-found, unused-ignore] # not in every environment
from bfcl_eval.constants.executable_backend_config import (  # type: ignore[import-not-found, unused-ignore] # not in every environment
    CLASS_FILE_PATH_MAPPING,
    STATELESS_CLASSES,
)

from controlplane import Task, TaskEnvironment, Tool
from tests.bench.provenance.plays import Play, PlayedCall, plain

SAY = "say"
"""The tool by which the model talks to the user, who then says what comes next."""

BFCL_CATEGORY = "multi_turn_long_context"

JSON_TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": "string"}
"""BFCL's names of types that JSON schema calls otherwise."""


def bfcl_tasks() -> tuple[list[Task], dict[str, Play]]:
    """Return the tasks of BFCL's category, and their plays by the tasks' names.

    BFCL has the questions in one file and the right calls, in the same order, in another.
    `question["question"]` has a list of messages for each turn of the user.
    """
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
