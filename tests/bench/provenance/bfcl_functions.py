"""The functions that models call in BFCL, a benchmark of function calls: declarations and methods.

    function_schemas(folder)["cd"]    # {"name": "cd", "description": "...", "parameters": {...}}
    bfcl_methods(question)["cd"]      # the method of a file system that is made for this task
    parsed_call("cd('docs')", methods)  # PlayedCall("cd", {"folder": "docs"})

Needs the package `bfcl-eval`.
"""

import ast
import importlib
import inspect
import json
import pathlib
from collections.abc import Callable
from typing import Any

from bfcl_eval.constants.executable_backend_config import (  # type: ignore[import-not-found, unused-ignore] # not in every environment
    CLASS_FILE_PATH_MAPPING,
    STATELESS_CLASSES,
)

from tests.bench.provenance.plays import PlayedCall, plain

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
