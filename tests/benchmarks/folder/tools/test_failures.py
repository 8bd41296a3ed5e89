r"""A run of a task's tool that fails prints why on stderr, and has an exit code, as a program would.

A *call* says what the tool does for some arguments: `{"args": "fail", "error": "no\n"}`.
"""

import pytest

from tests.benchmarks.folder.tools.tool_runs import run_tool


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["what"], id="an unknown argument"),
        pytest.param(["l-1", "7", "x"], id="an argument too many"),
    ],
)
def test_arguments_that_no_call_fits_are_refused(arguments: list[str]) -> None:
    call = {"args": r"(l-\d) (\d)", "prints": "renewed\n"}

    run = run_tool(call, *arguments, files={})

    assert run.stdout == ""
    assert run.stderr == "renew: it takes no such arguments; see --help\n"
    assert run.exit_code == 1


def test_a_call_may_be_defined_to_fail() -> None:
    """A task's author decides that some arguments are refused, with a text and an exit code."""
    call = {"args": "fail", "error": "no\n", "exit_code": 3}

    run = run_tool(call, "fail", files={})

    assert run.stdout == ""
    assert run.stderr == "no\n"
    assert run.exit_code == 3
