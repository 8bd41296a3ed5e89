"""A profile in `controlplane.toml` has a key that no profile has, or lacks its model.

A profile is a table that describes a model: here it is [profiles.a]. `api_key_env` has the name of
an environment variable that holds the API key.

    [profiles.a]
    colour = 'red'        ->    controlplane.toml: profiles.a.colour: there is no such key

Other keys are looked at before the model is missed. `check_refused` asserts that a command was
refused with a message, in which "…" stands for any text, and that it did not print
`CANARY_API_KEY`.
"""

from pathlib import Path

import pytest

from tests.support.command import (
    CANARY_API_KEY,
    CommandRunner,
    check_refused,
    write_config,
)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            "colour = 'red'",
            "toml: profiles.a.colour: there is no such key",
        ),
        ("temprature = 1", "profiles.a.temprature … did you mean 'temperature'?"),
        (
            f"api_key_env = '{CANARY_API_KEY}'",
            "toml: profiles.a.api_key_env: this is not a variable's",
        ),
        (
            f"api_key = '{CANARY_API_KEY}'",
            "toml: profiles.a.api_key: there is no such key … did you mean 'api_key_env'?",
        ),
    ],
)
def test_a_wrong_profile_of_a_model_is_refused_by_its_key(
    lines: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    text = f"[profiles.a]\nmodel = 'm'\n{lines}\n"
    write_config(tmp_path / "controlplane.toml", text)

    check_refused(run_command_here("run"), tmp_path, message)


def test_a_profile_without_a_model_is_refused(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    write_config(tmp_path / "controlplane.toml", "[profiles.a]\napi_key_env = 'K'\n")

    result = run_command_here("run")

    check_refused(result, tmp_path, "toml: profiles.a.model: it is required")


def test_a_profile_without_a_model_is_refused_by_its_wrong_key_first(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    lines = f"[profiles.a]\napi_key = '{CANARY_API_KEY}'\n"
    write_config(tmp_path / "controlplane.toml", lines)

    result = run_command_here("run")

    check_refused(result, tmp_path, "toml: profiles.a.api_key: there is no such key")
