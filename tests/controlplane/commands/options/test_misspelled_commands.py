"""A misspelled command or option, or a key on the command line, is refused before anything starts.

    controlplane rnu    ->    controlplane: No such command 'rnu'. Did you mean 'run'?

The exit code is 2. In an expected message, "…" stands for any text.
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


def test_a_key_on_the_command_line_is_refused(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """Other users of the machine could see it. The message does not show it, but tells its right
    place."""
    refused = run_command_here("run", "--api-key-env", CANARY_API_KEY)

    check_refused(
        refused, tmp_path, "No such option … set api_key_env in controlplane.toml"
    )
