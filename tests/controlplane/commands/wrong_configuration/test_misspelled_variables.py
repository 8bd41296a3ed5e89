"""An environment variable that sets nothing, but resembles one that does, is refused.

A variable such as CONTROLPLANE_NAME sets an option of `run`, like `--name`. The model and the
address of its server are named by variables that other programs use, too: MODEL_ID, OPENAI_BASE_URL.

    CONTROLPLANE_NAMES=x controlplane run    ->    ... did you mean CONTROLPLANE_NAME?

In an expected message, "…" stands for any text.
"""

from pathlib import Path

import pytest

from tests.support.command import CommandRunner, check_refused


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "CONTROLPLANE_CONCURENCY",
            "3",
            "CONTROLPLANE_CONCURENCY … did you mean CONTROLPLANE_CONCURRENCY?",
        ),
        (
            "CONTROLPLANE_MODEL",
            "x",
            "CONTROLPLANE_MODEL, which sets nothing; did you mean MODEL_ID?",
        ),
        ("CONTROLPLANE_MODEL_ID", "x", "did you mean MODEL_ID?"),
        (
            "CONTROLPLANE_BASE_URL",
            "http://h/v1",
            "CONTROLPLANE_BASE_URL … did you mean OPENAI_BASE_URL?",
        ),
        ("CONTROLPLANE_BASEURL", "http://h/v1", "did you mean OPENAI_BASE_URL?"),
        ("CONTROLPLANE_NAMES", "x", "did you mean CONTROLPLANE_NAME?"),
    ],
)
def test_a_variable_that_sets_nothing_is_refused_by_name(
    name: str,
    value: str,
    message: str,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    variables = {"MODEL_ID": "m", "OPENAI_BASE_URL": "https://127.0.0.1:9/v1"}
    variables[name] = value

    refused = run_command_here("run", **variables)

    check_refused(refused, tmp_path, message)
