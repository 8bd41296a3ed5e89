"""Runs a task of Inspect, a framework for evaluations of models, with replies that a test writes.

    write_task(folder, '''
    @task
    def greeting():
        return Task(dataset=[Sample(input="Greet.", target="day", id="one")], scorer=includes())
    ''')
    write_replies(folder, script_reply("greeting.one", answer="Good day."))
    run_task(folder, "greeting").json["score"]  # 1.0

`controlplane run --benchmark inspect:tasks.py@greeting` plays each sample as a trial: our own agent
answers in place of Inspect's `generate`, which would ask the model.
"""

import json
from pathlib import Path

from tests.support.command import CommandResult, run_controlplane

IMPORTS = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import (
    Score, accuracy, choice, includes, mean, model_graded_qa, scorer
)
from inspect_ai.solver import (
    chain_of_thought, generate, multiple_choice, solver, system_message, use_tools
)
from inspect_ai.tool import ToolError, tool
from inspect_ai.util import store
"""


def write_task(folder: Path, code: str) -> None:
    """Write the file `tasks.py` with the code of a task, which may use what `IMPORTS` imports."""
    (folder / "tasks.py").write_text(IMPORTS + code)


def script_reply(sample: str, *, answer: str, code: str = "") -> str:
    """Return what the model replies to a sample: a script that runs `code` and gives the answer.

    A sample is named as `words.heron`: the sample `heron` of the task `words`.
    """
    script = f"""{code}
scratchpad["answer"] = {answer!r}
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["outcome"] == "OUTCOME_OK")
"""
    return f"[[reply]]\ntask = {json.dumps(sample)}\ncode = {json.dumps(script)}\n"


def write_replies(folder: Path, *replies: str) -> None:
    """Write the file of the scripted model with which `run_task` runs."""
    (folder / "replies.toml").write_text("".join(replies))


def run_task(
    folder: Path, task: str, *options: str, file: str = "tasks.py"
) -> CommandResult:
    """Run a task of a file: `run_task(folder, "words", "--limit", "1")`."""
    return run_controlplane(
        "run",
        f"--benchmark=inspect:{file}@{task}",
        "--model=scripted:replies.toml",
        "--json",
        *options,
        cwd=folder,
    )


def scores_of(run: CommandResult) -> dict[str, float]:
    """Return the score of each sample: `{"words.heron": 1.0, "words.2": 0.0}`."""
    assert run.out, run.err
    return {trial["task_id"]: trial["score"] for trial in run.json["trials"]}
