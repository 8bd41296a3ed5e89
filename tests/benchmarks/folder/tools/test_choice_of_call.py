r"""A tool of a task has a list of calls, of which the first that fits the arguments is made.

A *call* says what the tool does for some arguments: `{"args": "a.*", "prints": "begins with a\n"}`.
"""

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
