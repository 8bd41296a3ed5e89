"""`compare` refuses a wrong name, a run that is no rerun of another, and a file that cannot be written.

For example:

    compare before none    ->    controlplane: ... no run 'none' ...
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.controlplane.comparison.command.scored_runs import scores, write_run
from tests.support.command import CommandRunner, check_error_line


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(["before", "none"], "no run 'none'", id="no such run"),
        pytest.param(
            ["before", "after+before"],
            "before is not a rerun of after",
            id="not a rerun",
        ),
        pytest.param(
            ["before", "after+"],
            "no run 'after+'",
            id="a + without a rerun behind it",
        ),
        pytest.param(
            ["before", "after", "--junit", "runs"],
            "cannot write runs",
            id="a folder as the file of results",
        ),
    ],
)
def test_runs_that_cannot_be_compared_give_an_error_of_one_line(
    words: list[str],
    message: str,
    tmp_path: Path,
    run_command_here: CommandRunner,
) -> None:
    write_run(tmp_path, "before", scores(1))
    write_run(tmp_path, "after", scores(1))

    result = run_command_here("compare", *words)

    check_error_line(result, UsageError.exit_code, message)
