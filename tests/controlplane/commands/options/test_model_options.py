"""A wrong model, or a wrong address of one, is refused before anything starts.

`--model NAME` names a model, and `--base-url` the address at which it is served. Two names are not
of models: "scripted:FILE" replies from a file, and "baseline" is a program of the benchmark. In an
expected message, "…" stands for any text.
"""

import shlex
from pathlib import Path

import pytest

from tests.support.command import CANARY_API_KEY, CommandRunner, check_refused


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


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            "run --model m --base-url localhost:8080/v1",
            "--base-url: … begins with http:// or https://",
            id="without http",
        ),
        pytest.param(
            "run --base-url http://h:port/v1",
            "--base-url: … Port",
            id="port that is not a number",
        ),
        pytest.param(
            "run --base-url 'http://h/v1 --model m'",
            "--base-url: … spaces or line breaks",
            id="another option within its quotation marks",
        ),
        pytest.param(
            "run --base-url http://h/v1/chat/completions",
            "--base-url: … ends before /chat/completions",
            id="path of one operation",
        ),
    ],
)
def test_an_address_in_another_form_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        pytest.param(
            f"run --base-url http://u:{CANARY_API_KEY}@h/v1",
            "--base-url: … OPENAI_API_KEY",
            id="as a password",
        ),
        pytest.param(
            f"run --base-url 'http://h/v1?key={CANARY_API_KEY}'",
            "--base-url: … OPENAI_API_KEY",
            id="as a parameter",
        ),
    ],
)
def test_an_address_with_a_key_is_refused(
    command: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The message does not show the key, but tells its right place, a variable of the environment."""
    refused = run_command_here(*shlex.split(command))

    check_refused(refused, tmp_path, message)
