"""Plays of BFCL, a benchmark of function calls: its tasks, and the right calls of each.

Its users say the next thing after each answer. So a play, the right calls of a task, has a call of `say`
between two turns:

    ground_truth [["cd('docs')", "ls()"], ["pwd()"]]
    -> Play([PlayedCall("cd", {"folder": "docs"}), PlayedCall("ls", {}),
             PlayedCall("say", {"text": "Done."}), PlayedCall("pwd", {})])

Needs the package `bfcl-eval`, of which only data and tools are used (`pip install --no-deps`).
"""

import ast
import importlib
import inspect
import json
import pathlib
from collections.abc import Callable
from typing import Any

import bfcl_eval  # type: ignore[import-not-found, unused-ignore] # not in every environment
from bfcl_eval.constants.executable_backend_config import (
    CLASS_FILE_PATH_MAPPING,  # type: ignore[import-not-found, unused-ignore] # not in every environment
    STATELESS_CLASSES,  # type: ignore[import-not-found, unused-ignore] # not in every environment
)

from controlplane import Task, TaskEnvironment, Tool
from tests.bench.provenance.held_calls import Play, PlayedCall, plain

# The functions that models call in BFCL, a benchmark of function calls: declarations and methods.
#
#     function_schemas(folder)["cd"]    # {"name": "cd", "description": "...", "parameters": {...}}
#     bfcl_methods(question)["cd"]      # the method of a file system that is made for this task
#     parsed_call("cd('docs')", methods)  # PlayedCall("cd", {"folder": "docs"})
#
# Needs the package `bfcl-eval`.

JSON_TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": "string"}
"""BFCL's names of types that JSON schema calls otherwise."""


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


def json_lines(path: pathlib.Path) -> list[dict[str, Any]]:
    """Return the objects of a file with a JSON object on each line."""
    lines = path.read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


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


# Tasks of BFCL, a benchmark of function calls, whose user says one text after each answer.
#
# The plays count which calls the product *holds*: stops until the user confirms them.
#
#     question = {"question": [[{"role": "user", "content": "Go to the folder."}], [...]], ...}
#
# is a task whose user first says "Go to the folder.", and more in the next turn.


def bfcl_task(name: str, question: dict[str, Any], schemas: dict[str, Any]) -> Task:
    """Return a task of BFCL. Every play scores 1, because only held calls are counted."""
    user_texts: list[str] = []
    for messages in question[
        "question"
    ]:  # One list of messages for each turn of the user
        user_texts.append(" ".join(message["content"] for message in messages))
    return Task(
        name,
        instruction=user_texts[0],
        environment=lambda: bfcl_environment(question, user_texts[1:], schemas),
        grade=lambda end: 1.0,
    )


def bfcl_environment(
    question: dict[str, Any], further_texts: list[str], schemas: dict[str, Any]
) -> TaskEnvironment:
    """Return the environment of a task, whose user says one text after each answer."""
    tools: list[Tool] = []
    for name, method in bfcl_methods(question).items():
        if name in schemas:
            tool = Tool(
                method,
                effect="acts",  # Any function may change something, so its calls may be held.
                name=name,
                description=schemas[name]["description"],
                schema=schemas[name]["parameters"],
            )
            tools.append(tool)
    texts = iter(further_texts)
    return TaskEnvironment(tools, user=lambda answer: next(texts, None))


SAY = "say"
"""The tool by which the model talks to the user, who then says what comes next."""

BFCL_CATEGORY = "multi_turn_long_context"


def bfcl_tasks() -> tuple[list[Task], dict[str, Play]]:
    """Return the tasks of BFCL's category, and their plays by the tasks' names.

    BFCL has the questions in one file and the right calls, in the same order, in another.
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
        tasks.append(bfcl_task(name, question, schemas))
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
