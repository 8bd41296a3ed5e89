"""A wrong option of a benchmark is refused before anything starts.

`--set NAME=VALUE` sets an option. The benchmark "ecom", which is played unless another is named, has
the option `policy`, which is "open" or "blind". In an expected message, "…" is any text.

    run --set policy=blnd    ->    ... there is no 'blnd'; did you mean 'blind'?
"""

import shlex
from pathlib import Path

import pytest

from tests.support.command import CommandRunner, check_refused


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run --set seed", "--set takes KEY=VALUE, not 'seed'", id="without a value"
        ),
        pytest.param("run --set nope=1", "no option 'nope' … policy", id="unknown"),
        pytest.param(
            "run --set polcy=open",
            "the benchmark 'ecom' has no option 'polcy'; did you mean 'policy'?",
            id="misspelled",
        ),
        pytest.param(
            "run --benchmark bitgn:x --set hots=http://x",
            "did you mean 'host'?",
            id="misspelled, of bitgn",
        ),
        pytest.param(
            "run --benchmark bitgn:x --set call_timeout=3",
            "did you mean 'call_timeout_s'?",
            id="without its unit",
        ),
        pytest.param(
            "run --benchmark docs.examples.wordbook --set size=3",
            "has no option 'size'; known: none",
            id="of a benchmark without options",
        ),
    ],
)
def test_an_unknown_option_of_a_benchmark_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run --set policy=blnd",
            "--set policy: there is no 'blnd'; did you mean 'blind'?",
            id="misspelled",
        ),
        pytest.param(
            "run --set policy=",
            "--set policy: there is no ''; known: open, blind",
            id="empty",
        ),
    ],
)
def test_an_unknown_value_of_an_option_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)
