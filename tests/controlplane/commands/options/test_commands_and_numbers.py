"""Misspelled commands and options, and numbers out of range, are refused before anything starts.

`controlplane rnu` prints "controlplane: No such command 'rnu'. Did you mean 'run'?" and exits with
2. In an expected message, "…" stands for any text.
"""

import shlex
from pathlib import Path

import pytest

from tests.support.command import CANARY_API_KEY, CommandRunner, check_refused


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param("rnu", "No such command 'rnu'. Did you mean 'run'?", id="command"),
        pytest.param(
            "run --benchmrak ecom",
            "No such option '--benchmrak'. Did you mean '--benchmark'?",
            id="option",
        ),
        pytest.param(
            "show", "Missing argument 'RUN' … show --help", id="without its argument"
        ),
    ],
)
def test_a_misspelled_or_incomplete_command_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


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


def test_a_key_on_the_command_line_is_refused(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """Other users of the machine could see it. The message does not show it, but tells its right
    place."""
    refused = run_command_here("run", "--api-key-env", CANARY_API_KEY)

    check_refused(
        refused, tmp_path, "No such option … set api_key_env in controlplane.toml"
    )
