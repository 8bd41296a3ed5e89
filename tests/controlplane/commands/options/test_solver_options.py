"""A wrong solver, gate, rule set or isolation is refused before anything starts.

The solver, "cited" or "exoskeleton", lets a model work on a task. Gates, numbered 1 to 8, and rule
sets check its answer. Isolation layers are around its scripts. In an expected message, "…" stands
for any text.
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
    """`--parts` switches parts of a solver on or off, and `--role` gives a part a model of its own."""
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run --rule-sets nope", "no rule set is called 'nope'", id="rule set"
        ),
        pytest.param(
            "run --gates non",
            "'non' is not a gate … did you mean 'none'?",
            id="misspelled none",
        ),
        pytest.param(
            "run --gates 6=blok", "did you mean 'block'?", id="misspelled enforcement"
        ),
        pytest.param(
            "run --gates 9",
            "'9' is not a gate … give all, none, or gates from 1 to 8",
            id="gate above 8",
        ),
        pytest.param(
            "run --gates one",
            "'one' is not a gate … give all, none, or gates from 1 to 8",
            id="number in words",
        ),
    ],
)
def test_a_wrong_check_of_answers_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


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
