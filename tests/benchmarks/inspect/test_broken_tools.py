"""If a tool of a task of Inspect breaks, the run names it with its error.

Inspect is a framework for evaluations of models. The model is shown a `ToolError` of a tool. Any other
error is a fault of the tool, which leaves the trial, one try of a sample, without an answer of the model.
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
    write_replies(
        tmp_path, script_reply("numbers.one", code="harness.divide(0)", answer="x")
    )

    run = run_task(tmp_path, "numbers")

    (trial,) = run.json["trials"]
    assert trial["state"] == "fallback"
    broken_call = "the tool divide broke: ZeroDivisionError: division by zero"
    assert broken_call in trial["reason"]
