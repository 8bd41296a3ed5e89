"""The model of the role that solves tasks is the model of the run.

A role is a task of an agent for which it asks a model. `controlplane.toml` may name a model for the
run, `model = "big"`, and another one for a role, `solve = "small"`. A flag for either is stronger
than both.
"""

from pathlib import Path

import pytest

from controlplane.configuration.setting_sources import resolve
from tests.support.command import write_config

MODEL_PROFILES = """
[run]
temperature = 0.2
model = "big"

[profiles.big]
model = "vendor/big"
base_url = "http://127.0.0.1:1/v1"
reasoning_effort = "high"
model_headers = {X-Team = "blue", X-Api-Key = "$GATE_KEY"}
model_body = {provider = {order = ["a"]}}
prices = {input = 0.5, output = 2}

[profiles.small]
model = "vendor/small"
base_url = "http://127.0.0.1:2/v1"
api = "responses"
temperature = 0

[roles]
solve = "small"
"""
"""A profile names a model and how to reach it. A role, such as `solve`, is a task of an agent for
which it asks a model; the run's own model is that of the role `solve`."""


@pytest.mark.parametrize(
    ("flags", "expected_model"),
    [
        pytest.param({}, "vendor/small", id="no flag: the role's model"),
        pytest.param({"model": "big"}, "vendor/big", id="a flag names a model"),
        pytest.param(
            {"model": "big", "role": {"solve": "small"}},
            "vendor/small",
            id="flags name a model, and another for the role",
        ),
    ],
)
def test_the_model_of_the_solving_role_is_the_model_of_the_run(
    flags: dict[str, object], expected_model: str, tmp_path: Path
) -> None:
    """The run's own model is the one that solves, so that the role has no entry in the
    settings."""
    write_config(tmp_path / "controlplane.toml", MODEL_PROFILES, encoding="utf-8")

    resolved = resolve(flags, environ={}, folder=tmp_path)

    assert resolved.settings.model == expected_model
    assert resolved.settings.role == {}
