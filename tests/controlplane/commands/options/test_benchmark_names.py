"""A wrong benchmark, or a key as an option of one, is refused before anything starts.

    run --benchmark ecmo    ->    ... no benchmark 'ecmo'; did you mean 'ecom'?

`--set NAME=VALUE` sets an option of a benchmark. `CANARY_API_KEY` is a key that no message may show.
"""

import shlex
from pathlib import Path

import pytest

from tests.support.command import CANARY_API_KEY, CommandRunner, check_refused


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run --benchmark ecmo",
            "no benchmark 'ecmo'; did you mean 'ecom'?",
            id="misspelled",
        ),
        pytest.param(
            "run --benchmark :x",
            "no benchmark is named in ':x'; known: ecom, bitgn, folder",
            id="without a name",
        ),
    ],
)
def test_an_unknown_benchmark_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            f"run --benchmark bitgn:x --set api_key={CANARY_API_KEY}",
            "set BITGN_API_KEY",
            id="api_key",
        ),
        pytest.param(
            f"run --benchmark bitgn:x --set BITGN_API_KEY={CANARY_API_KEY}",
            "set BITGN_API_KEY",
            id="name of the variable",
        ),
    ],
)
def test_a_key_as_an_option_of_a_benchmark_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """It belongs into a variable of the environment, and the message does not show it."""
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)
