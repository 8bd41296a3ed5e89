"""If a tool of a task of Inspect breaks, the run names it with its error.

Inspect is a framework for evaluations of models. A tool may raise a `ToolError`, which is for the
model. Any other error is a fault of the tool: it ends the trial, one try of a sample. A trial
without an answer of the model has the state `fallback`.
"""

from pathlib import Path

import pytest

from tests.benchmarks.inspect.inspect_runs import (
    run_task,
    script_reply,
    write_replies,
    write_task,
)

pytest.importorskip("inspect_ai")


def test_a_tool_that_breaks_is_named_with_its_error(tmp_path: Path) -> None:
    """The model's script divides by 0, by the task's tool, before it would answer."""
    write_task(
        tmp_path,
        '''
@tool
def divide():
    async def execute(number: int) -> str:
        """Divide one by a number.

        Args:
            number: the number
        """
        return str(1 / number)

    return execute


@task
def numbers():
    sample = Sample(input="Divide.", id="one")
    return Task(dataset=[sample], solver=[use_tools(divide()), generate()], scorer=includes())
''',
    )
    divides_by_0 = script_reply(
        "numbers.one", code="harness.divide(0)", answer="never given"
    )
    write_replies(tmp_path, divides_by_0)

    run = run_task(tmp_path, "numbers")

    (trial,) = run.json["trials"]
    assert trial["state"] == "fallback"
    broken_call = "the tool divide broke: ZeroDivisionError: division by zero"
    assert broken_call in trial["reason"]
