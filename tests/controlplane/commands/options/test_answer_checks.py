"""A wrong gate or rule set is refused before anything starts.

Gates, numbered 1 to 8, and rule sets check the answer of a model.

    run --gates 9    ->    ... '9' is not a gate ... give all, none, or gates from 1 to 8

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
