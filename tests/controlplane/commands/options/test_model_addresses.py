"""A wrong address of the model is refused before anything starts.

`--base-url` names the address at which a model is served.

    run --model m --base-url localhost:8080/v1    ->    ... begins with http:// or https://

In an expected message, "…" stands for any text. `CANARY_API_KEY` is a key that no message may show.
"""

import shlex
from pathlib import Path

import pytest

from tests.support.command import CANARY_API_KEY, CommandRunner, check_refused


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
