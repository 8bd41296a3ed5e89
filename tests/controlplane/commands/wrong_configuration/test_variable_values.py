"""An environment variable with a value of the wrong kind is refused in one line that names it.

    CONTROLPLANE_CONCURRENCY=many controlplane run    ->    ... CONTROLPLANE_CONCURRENCY: ... 'many'

Variables such as CONTROLPLANE_MODEL_BODY and OPENAI_BASE_URL describe the model of a run and the
address of its server. In an expected message, "…" stands for any text.
"""

from pathlib import Path

import pytest

from tests.support.command import CommandRunner, check_refused


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("CONTROLPLANE_CONCURRENCY", "many", "CONTROLPLANE_CONCURRENCY: … 'many'"),
        (
            "CONTROLPLANE_MODEL_BODY",
            "{",
            "CONTROLPLANE_MODEL_BODY: this is not a JSON object",
        ),
        (
            "CONTROLPLANE_MODEL_BODY",
            "[]",
            "CONTROLPLANE_MODEL_BODY: a JSON object is needed",
        ),
        (
            "CONTROLPLANE_MODEL_HEADERS",
            '{"a b": "c"}',
            "CONTROLPLANE_MODEL_HEADERS: 'a b' with its value is not",
        ),
        ("OPENAI_BASE_URL", "127.0.0.1:8080", "OPENAI_BASE_URL: … http://"),
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
