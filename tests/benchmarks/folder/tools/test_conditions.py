"""Conditions of a task's tool: a call fits only if its file has the values that its key `when` names.

A *call* says what the tool does: `{"file": "/loan.json", "when": {"due": 1}, "set": {"due": 2}}` sets
a field of the file if it is 1. Of several calls, the first that fits is made.
"""

from tests.benchmarks.folder.tools.tool_runs import run_in, runtime_with


def test_a_call_fits_once_if_it_changes_the_value_that_it_needs() -> None:
    runtime = runtime_with(
        [
            {"file": "/loan.json", "when": {"due": 1}, "set": {"due": 2}},
            {"error": "not twice\n", "exit_code": 4},
        ],
        files={"/loan.json": '{"due": 1}'},
    )

    first_run = run_in(runtime)
    second_run = run_in(runtime)

    assert first_run.exit_code == 0
    assert second_run.exit_code == 4
    assert second_run.stderr == "not twice\n"


def test_true_is_not_the_same_as_1() -> None:
    runtime = runtime_with(
        [
            {"file": "/loan.json", "when": {"due": True}, "prints": "true\n"},
            {"file": "/loan.json", "when": {"due": 1}, "prints": "1\n"},
        ],
        files={"/loan.json": '{"due": 1}'},
    )

    assert run_in(runtime).stdout == "1\n"


def test_a_call_with_a_condition_does_not_fit_a_missing_file() -> None:
    runtime = runtime_with(
        [
            {"file": "/loan.json", "when": {"due": 1}, "prints": "1\n"},
            {"error": "no loan\n", "exit_code": 4},
        ],
        files={},
    )

    assert run_in(runtime).exit_code == 4
