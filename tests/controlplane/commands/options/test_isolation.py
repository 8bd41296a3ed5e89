"""A wrong isolation is refused before anything starts.

Isolation layers are around the scripts of a model: "language", "process" and "kernel".

    run --isolation language,kernal    ->    ... did you mean 'kernel'?

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
            "run --isolation glass",
            "'glass' names no isolation layers … language, process, kernel",
            id="unknown layer",
        ),
        pytest.param(
            "run --isolation language,kernal",
            "did you mean 'kernel'?",
            id="second layer misspelled",
        ),
        pytest.param(
            "run --isolation ''",
            "'' names no isolation layers … or none",
            id="no layer",
        ),
    ],
)
def test_a_wrong_isolation_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)
