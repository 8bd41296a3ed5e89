"""A model lists in its answer the calls that have changed something, and a gate checks the list.

`Tool(resume_line, "acts")` declares that calls of the tool change something. Talk with the user,
such as `harness.say('Shall I?')`, does not belong into the list.
"""

from pathlib import Path

import pytest

import controlplane
from controlplane import Task, TaskEnvironment, Tool
from controlplane.tool_benchmark.task_list import TaskList
from tests.controlplane.tool_benchmark.scripted_model import (
    ModelWithScripts,
    script_with_answer,
)


@pytest.mark.parametrize(
    "result",
    [
        pytest.param("resumed", id="text as result"),
        pytest.param(object(), id="result that is not JSON, and so not recorded"),
    ],
)
def test_a_list_of_the_acting_calls_without_talk_is_accepted(
    result: object, tmp_path: Path
) -> None:
    """The model calls `say` and `resume_line`, and lists only the latter."""

    def resume_line() -> object:
        """Resume a line."""
        return result

    resume = Tool(resume_line, "acts")
    task = Task(
        "line.1",
        "Resume the line.",
        environment=lambda: TaskEnvironment([resume], user=lambda text: "yes"),
    )
    script = script_with_answer(
        "harness.say('Shall I?')",
        "print(harness.resume_line())",
        "scratchpad['changes'] = ['resume_line']",
    )
    model = ModelWithScripts(script)
    benchmark = TaskList([task], citations="none", player=model)

    run = controlplane.run(benchmark, runs_dir=str(tmp_path))

    assert run["line.1"].state == "answered"
    # A gate that rejects an answer makes the model answer once more.
    assert len(model.requests) == 1
