"""Tasks of BFCL, a benchmark of function calls, whose user says one text after each answer."""

from typing import Any

from controlplane import Task, TaskEnvironment, Tool
from tests.bench.provenance.bfcl_functions import bfcl_methods


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
