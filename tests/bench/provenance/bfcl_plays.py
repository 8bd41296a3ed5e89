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

from controlplane import Task
from tests.bench.provenance.bfcl_environment import bfcl_task
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
