"""Plays of BFCL, a benchmark of function calls: its tasks, and the right calls of each.

Its users say the next thing after each answer. So a play, the right calls of a task, has a call of `say`
between two turns:

    ground_truth [["cd('docs')", "ls()"], ["pwd()"]]
    -> Play([PlayedCall("cd", {"folder": "docs"}), PlayedCall("ls", {}),
             PlayedCall("say", {"text": "Done."}), PlayedCall("pwd", {})])

Needs the package `bfcl-eval`, of which only data and tools are used (`pip install --no-deps`).
"""

import pathlib
from typing import Any

import bfcl_eval  # type: ignore[import-not-found, unused-ignore] # not in every environment

from controlplane import Task, TaskEnvironment, Tool
from tests.bench.provenance.bfcl_functions import (
    bfcl_methods,
    function_schemas,
    json_lines,
    parsed_call,
)
from tests.bench.provenance.plays import Play, PlayedCall

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


def bfcl_task(name: str, question: dict[str, Any], schemas: dict[str, Any]) -> Task:
    """Return a task of BFCL. All its plays score 1: only which calls are held is counted."""
    user_texts = []
    for messages in question["question"]:  # The messages of one turn of the user
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
    """Return the environment of a task, whose user says one text after each answer.

    Every function counts as one that may change something.
    """
    tools = []
    for name, method in bfcl_methods(question).items():
        if name in schemas:
            schema = schemas[name]
            tools.append(
                Tool(method, "acts", name, schema["description"], schema["parameters"])
            )
    texts = iter(further_texts)
    return TaskEnvironment(tools, user=lambda answer: next(texts, None))
