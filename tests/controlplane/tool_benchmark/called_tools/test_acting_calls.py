"""An answer lists the calls that have changed something, and no talk with the user.

Of a tool, `Tool(resume_line, "acts")` says that it changes something, and "returns" that it only reads.
The model writes `scratchpad['changes'] = ['resume_line']`, and a check of the answer compares that with
its calls.
"""

from pathlib import Path

import controlplane
from controlplane import Task, TaskEnvironment, Tool
from controlplane.tool_benchmark.task_list import TaskList
from tests.controlplane.tool_benchmark.scripted_model import (
    ModelWithScripts,
    script_with_answer,
)


def test_an_answer_lists_the_calls_that_change_something_and_no_talk(
    tmp_path: Path,
) -> None:
    """A gate would send the answer back if its `changes` were not the calls of tools that act."""

    def resume_line() -> object:
        """Resume a line."""
        # It is no JSON, and not recorded; the call counts all the same.
        return object()

    tools = [Tool(resume_line, "acts")]
    task = Task(
        "line.1",
        "Resume the line.",
        environment=lambda: TaskEnvironment(tools, user=lambda text: "yes"),
    )
    model = ModelWithScripts(
        script_with_answer(
            "harness.say('Shall I?')",
            "print(harness.resume_line())",
            "scratchpad['changes'] = ['resume_line']",
        )
    )

    run = controlplane.run(
        TaskList([task], citations="none", player=model), runs_dir=str(tmp_path)
    )

    assert run["line.1"].state == "answered"
    assert len(model.requests) == 1  # The first answer is accepted.
