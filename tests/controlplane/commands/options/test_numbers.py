"""A number of an option that is out of range is refused before anything starts.

    run --limit -3    ->    ... --limit: ... not -3

In an expected message, "…" stands for any text.
"""

import shlex
from pathlib import Path

import pytest

from tests.support.command import CommandRunner, check_refused


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run --limit many",
            "--limit … 'many' is not a valid integer … run --help",
            id="not a number",
        ),
        pytest.param("run --limit -3", "--limit: … not -3", id="negative number"),
        pytest.param(
            "run --repeats 100000000",
            "--repeats: … not 100000000",
            id="too large a number",
        ),
        pytest.param(
            "run --trial-time inf", "--trial-time: … not inf", id="infinite time"
        ),
        pytest.param(
            "run --step-time nan",
            "--step-time: … not nan",
            id="time that is not a number",
        ),
        pytest.param(
            "run --poll-time 1e300", "--poll-time: … not 1e+300", id="too long a time"
        ),
        pytest.param(
            "serve --reveal-after -1",
            "-1.0 is not in the range x>=0",
            id="negative time",
        ),
    ],
)
def test_a_number_out_of_range_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)
