"""A wrong model is refused before anything starts.

`--model NAME` names a model. Two names are not of models: "scripted:FILE" replies from a file, and
"baseline" is a program of the benchmark.

    run --model baselien    ->    ... did you mean 'baseline'?

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
            "run --model baselien",
            "'baselien' needs a key in OPENAI_API_KEY … did you mean 'baseline'?",
            id="misspelled program",
        ),
        pytest.param(
            "run --model gpt",
            "'gpt' needs a key in OPENAI_API_KEY, or OPENAI_BASE_URL",
            id="model",
        ),
    ],
)
def test_a_model_without_an_address_or_a_key_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


def test_a_benchmark_without_a_program_needs_a_model(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here("run", "--benchmark", "tests.support.phonebook")

    check_refused(refused, tmp_path, "has no player of its own … --model … MODEL_ID")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param("run --model scripted", "scripted:FILE", id="not named"),
        pytest.param("run --model scripted:", "scripted:FILE", id="empty name"),
        pytest.param(
            "run --model scripted:.", "the replies file . is not a file", id="folder"
        ),
        pytest.param(
            "run --model scripted:/dev/zero",
            "the replies file /dev/zero is not a file",
            id="device",
        ),
        pytest.param(
            "run --model scripted:none.toml",
            "cannot read the replies file none.toml: No such file",
            id="missing",
        ),
    ],
)
def test_a_file_of_replies_that_cannot_be_read_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)
