"""A task of Inspect whose samples are played in containers, as the texts of the files that describe it.

The task `greetings` has two samples, and its scorer reads the file greeting.txt in the container. In that
of the sample `plain`, the file says "hullo" at first, and colour.txt has the variable COLOUR. The
script of the model writes "hello" into greeting.txt. The sample `several` needs two containers.
"""

from tests.benchmarks.harbor.base_image import BASE_IMAGE

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
"""The task `greetings`, whose scorer reads the file greeting.txt. In the container of the sample
`plain`, the file says "hullo" at first, and colour.txt has the variable COLOUR."""

COMPOSE_FILE = """
services:
  default:
    build: .
    init: true
    command: tail -f /dev/null
    working_dir: /work
    environment: {COLOUR: green}
    network_mode: none
"""

COMPOSE_FILE_WITH_TWO_SERVICES = f"""
services:
  a: {{image: '{BASE_IMAGE}'}}
  b: {{image: '{BASE_IMAGE}'}}
"""

DOCKERFILE = f"FROM {BASE_IMAGE}\n"
"""The files that describe containers: that of the sample `plain`, the two of the sample `several`,
and the image of the first."""

REPLIES = '''
[[reply]]
code = """
print(harness.bash(command="cat greeting.txt; echo; cat colour.txt; pwd").value)
harness.bash(command="echo hello >greeting.txt")
scratchpad["answer"] = "done"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp['answer'] == 'done')
"""
'''
"""The model's script. It prints the files greeting.txt and colour.txt, and the folder in which
commands run. Then it writes "hello" into greeting.txt."""
