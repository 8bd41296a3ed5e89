"""Tasks of BFCL, a benchmark of function calls, whose user says one text after each answer.

The plays count which calls the product *holds*: stops until the user confirms them.

    question = {"question": [[{"role": "user", "content": "Go to the folder."}], [...]], ...}

is a task whose user first says "Go to the folder.", and more in the next turn.
"""

from typing import Any

from controlplane import Task, TaskEnvironment, Tool
from tests.bench.provenance.bfcl_functions import bfcl_methods


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
