"""An API key in the wrong place, or with characters that no key has, is refused and never shown.

    OPENAI_BASE_URL=http://:KEY@127.0.0.1/v1 controlplane run    ->    ... OPENAI_API_KEY

A user may have put the key into the address of the model's server. The message names the variable
in which it belongs. `CANARY_API_KEY` is a key for which `check_refused` searches what is printed.
In an expected message, "…" stands for any text.
"""

from pathlib import Path

import pytest

from tests.support.command import CANARY_API_KEY, CommandRunner, check_refused


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "OPENAI_BASE_URL",
            f"http://:{CANARY_API_KEY}@127.0.0.1/v1",
            "OPENAI_BASE_URL: … OPENAI_API_KEY",
        ),
        (
            "OPENAI_API_KEY",
            f"{CANARY_API_KEY}\nexport X",
            "OPENAI_API_KEY holds characters that no key has",
        ),
        (
            "OPENAI_API_KEY",
            f"{CANARY_API_KEY}é",
            "OPENAI_API_KEY holds characters that no key has",
        ),
    ],
)
def test_a_wrong_environment_variable_is_refused_by_name(
    name: str,
    value: str,
    message: str,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    """The run is refused before it asks the model, whose server does not exist here."""
    variables = {"MODEL_ID": "m", "OPENAI_BASE_URL": "https://127.0.0.1:9/v1"}
    variables[name] = value

    refused = run_command_here("run", **variables)

    check_refused(refused, tmp_path, message)
