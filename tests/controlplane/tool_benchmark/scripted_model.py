"""A model whose replies are scripts that a test writes, one for each step of a trial.

    model = ModelWithScripts("print(harness.stock('A-7'))", script_with_answer())
    run = run_without_gates([task], model, tmp_path)

The second script answers "Done.", which ends the trial.
"""

import json
from pathlib import Path

import controlplane
from controlplane import Task
from controlplane.agent.model import Model, ModelRequest, Reply
from controlplane.tool_benchmark.task_list import TaskList


def script_with_answer(*lines: str) -> str:
    """Return a script of these lines that answers "Done." at its end."""
    last_lines = (
        'scratchpad["answer"], scratchpad["outcome"] = "Done.", "OUTCOME_OK"',
        'harness.answer(scratchpad, lambda sp: sp["outcome"] == "OUTCOME_OK")',
    )
    return "\n".join([*lines, *last_lines])


class ModelWithScripts(Model):
    """Replies with its scripts in every trial, and keeps the requests."""

    name = "scripts"

    def __init__(self, *scripts: str) -> None:
        self.scripts = scripts
        self.requests: list[ModelRequest] = []

    def reply_to(self, request: ModelRequest) -> Reply:
        """Reply with the script of this step: the first if the trial has no reply yet."""
        self.requests.append(request)
        earlier_replies = [
            message for message in request.messages if message["role"] == "assistant"
        ]
        code = self.scripts[len(earlier_replies)]
        fields = {"state": "", "plan": [], "done": True, "code": code}
        return Reply(text=json.dumps(fields))


def run_without_gates(
    tasks: list[Task], model: Model, folder: Path
) -> controlplane.RunReport:
    """Run tasks with a model. Without gates, the checks of answers, any answer is accepted."""
    benchmark = TaskList(tasks, player=model)
    return controlplane.run(benchmark, gates="none", runs_dir=str(folder))
