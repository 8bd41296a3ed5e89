"""A task of Inspect whose samples are played in containers, as the text of its file tasks.py.

The task `greetings` has two samples, and its scorer reads the file greeting.txt in the container.

- `plain`: the file says "hullo" at first. The setup script writes the variable COLOUR to colour.txt,
  so that a test sees that the setup was run, with the variables of `compose.yaml`.
- `several`: its file describes two containers, and does not say which one is that of the tools.

`greetings_containers.py` has the texts of the two compose files.
"""

TASKS = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import bash
from inspect_ai.util import sandbox


@scorer(metrics=[accuracy()])
def file_is_fixed():
    async def score(state, target):
        text = await sandbox().read_file("greeting.txt")
        is_fixed = text.strip() == target.text
        return Score(value="C" if is_fixed else "I", explanation=text)

    return score


@task
def greetings():
    samples = [
        Sample(
            input="Put the word hello into greeting.txt.",
            target="hello",
            id="plain",
            files={"greeting.txt": "hullo"},
            setup="#!/bin/sh\\necho $COLOUR >colour.txt",
        ),
        Sample(
            input="Put the word hello into greeting.txt.",
            target="hello",
            id="several",
            sandbox=("docker", "several-compose.yaml"),
        ),
    ]
    return Task(
        dataset=samples,
        solver=[use_tools(bash(timeout=60)), generate()],
        scorer=file_is_fixed(),
        sandbox=("docker", "compose.yaml"),
    )
"""
