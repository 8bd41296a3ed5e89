"""If a tool or the solvers of a task of Inspect break a trial, the run says why."""

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
    """A `ToolError` is shown to the model. Any other error is a fault of the tool, which leaves the
    trial without an answer of the model."""
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


def test_a_second_call_of_generate_is_the_reason_for_no_score(tmp_path: Path) -> None:
    """The agent answers in place of the first call, which ends its trial."""
    write_task(
        tmp_path,
        """
@task
def generates_twice():
    sample = Sample(input="x", id="one")
    return Task(dataset=[sample], solver=[generate(), generate()], scorer=includes())
""",
    )
    write_replies(tmp_path, script_reply("generates_twice.one", answer="x"))

    run = run_task(tmp_path, "generates_twice")

    (trial,) = run.json["trials"]
    assert trial["score"] is None
    assert "generates_twice: its solvers call generate again" in trial["reason"]
