"""The name of a run that does not exist is refused.

`show first` names the run "first", and `show last` the last one. Runs are looked for in the folder
`runs`, which is empty here.

    show last    ->    ... no journals in runs ...

In an expected message, "…" stands for any text.
"""

import shlex
from pathlib import Path

import pytest

from tests.support.command import CommandRunner, check_refused


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param("replay nope", "no journals in runs … --runs-dir", id="name"),
        pytest.param(
            "replay nope.jsonl",
            "cannot read nope.jsonl: No such file or directory",
            id="file",
        ),
        pytest.param("show last", "no journals in runs", id="last"),
        pytest.param(
            "show last --runs-dir /dev/null",
            "cannot read the folder of the journals /dev/null: Not a directory",
            id="last, of a folder that is none",
        ),
        pytest.param(
            "runs --runs-dir /dev/null",
            "cannot read the folder of the journals /dev/null … with --runs-dir",
            id="all, of a folder that is none",
        ),
    ],
)
def test_a_run_that_does_not_exist_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)
