"""`rerun` selects nothing, or its options are wrong: no run begins.

    rerun first --trials seat-999    ->    ... no trial 'seat-999'

The run "first" is over: all of its 25 trials have ended, five with a wrong answer.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import CommandRunner, check_error_line


@pytest.mark.parametrize(
    ("flags", "message_part"),
    [
        pytest.param(("--failed",), "list them with: ", id="no trial failed to end"),
        pytest.param(
            ("--trials", "seat-999"), "no trial 'seat-999'", id="no such trial"
        ),
        pytest.param(
            ("--base-url", "ftp://x"),
            "--base-url",
            id="a wrong address of the model",
        ),
    ],
)
def test_a_rerun_that_cannot_be_played_is_refused_and_leaves_no_journal(
    flags: tuple[str, ...],
    message_part: str,
    run_command_here: CommandRunner,
    first_run: Path,
) -> None:
    refused = run_command_here("rerun", "first", *flags)

    check_error_line(refused, UsageError.exit_code, message_part)
    assert list(first_run.parent.glob("*.jsonl")) == [first_run]
