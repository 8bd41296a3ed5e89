"""A tool has a list of calls, of which the first that fits is made."""

import pytest

from tests.benchmarks.folder.tools.tool_runs import run_in, runtime_with


@pytest.mark.parametrize(
    ("argument", "stdout"),
    [
        pytest.param("ab", "begins with a\n", id="the first two fit"),
        pytest.param("b", "is b\n", id="only the third fits"),
    ],
)
def test_the_first_call_that_fits_the_arguments_is_made(
    argument: str, stdout: str
) -> None:
    runtime = runtime_with(
        [
            {"args": "a.*", "prints": "begins with a\n"},
            {"args": "ab", "prints": "is ab\n"},
            {"args": "b", "prints": "is b\n"},
        ],
        files={},
    )

    assert run_in(runtime, argument).stdout == stdout


class TestConditions:
    """A call fits only if its file has the values that its key `when` names."""

    def test_a_call_fits_once_if_it_changes_the_value_that_it_needs(self) -> None:
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

    def test_true_is_not_the_same_as_1(self) -> None:
        runtime = runtime_with(
            [
                {"file": "/loan.json", "when": {"due": True}, "prints": "true\n"},
                {"file": "/loan.json", "when": {"due": 1}, "prints": "1\n"},
            ],
            files={"/loan.json": '{"due": 1}'},
        )

        assert run_in(runtime).stdout == "1\n"

    def test_a_call_with_a_condition_does_not_fit_a_missing_file(self) -> None:
        runtime = runtime_with(
            [
                {"file": "/loan.json", "when": {"due": 1}, "prints": "1\n"},
                {"error": "no loan\n", "exit_code": 4},
            ],
            files={},
        )

        assert run_in(runtime).exit_code == 4
