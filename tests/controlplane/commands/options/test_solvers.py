"""A wrong solver, or a wrong part of one, is refused before anything starts.

The solver, "cited" or "exoskeleton", lets a model work on a task. `--parts` switches parts of it on or
off, and `--role` gives a part a model of its own.

    run --agent citd    ->    ... no agent 'citd'; did you mean 'cited'?
"""

import shlex
from pathlib import Path

import pytest

from tests.support.command import CommandRunner, check_refused


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run --agent citd",
            "no agent 'citd'; did you mean 'cited'?",
            id="misspelled solver",
        ),
        pytest.param(
            "run --agent exoskeleton --parts classifier",
            "write -classifier to switch",
            id="part that is on already",
        ),
        pytest.param(
            "run --agent exoskeleton --parts -clasifier",
            "did you mean 'classifier'?",
            id="misspelled part",
        ),
        pytest.param(
            "run --role clasify=big",
            "--role: there is no role 'clasify'; did you mean 'classify'?",
            id="misspelled role",
        ),
        pytest.param(
            "run --role classify=bigg",
            "--role: there is no profile 'bigg'",
            id="unknown model of a role",
        ),
    ],
)
def test_a_wrong_solver_or_part_of_one_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)
