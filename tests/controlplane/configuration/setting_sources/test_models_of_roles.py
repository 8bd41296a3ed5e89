"""The model of the role `solve` becomes the model of the run.

A role is what an agent asks a model for, such as to solve a task (`solve`). `controlplane.toml` may
name a model for the run and another one for a role:

    [run]                       [roles]
    model = "big"               solve = "small"     ->    the model "small" solves tasks
"""

from pathlib import Path

import pytest

from controlplane.configuration.setting_sources import resolve
from tests.support.command import write_config

TWO_MODELS = """
[run]
model = "big"

[roles]
solve = "small"

[profiles.big]
model = "vendor/big"
base_url = "http://127.0.0.1:1/v1"

[profiles.small]
model = "vendor/small"
base_url = "http://127.0.0.1:2/v1"
"""
"""A profile tells which model a short name stands for, and how to reach it."""


@pytest.mark.parametrize(
    ("flags", "expected_model"),
    [
        pytest.param({}, "vendor/small", id="no flag: the role's model"),
        pytest.param(
            {"model": "big"},
            "vendor/big",
            id="a flag for the run: stronger than the file",
        ),
        pytest.param(
            {"model": "big", "role": {"solve": "small"}},
            "vendor/small",
            id="flags for the run and the role: the role's model",
        ),
    ],
)
def test_the_model_of_the_solving_role_is_the_model_of_the_run(
    flags: dict[str, object], expected_model: str, tmp_path: Path
) -> None:
    write_config(tmp_path / "controlplane.toml", TWO_MODELS, encoding="utf-8")

    resolved = resolve(flags, environ={}, folder=tmp_path)

    assert resolved.settings.model == expected_model
    # The settings have models of other roles only.
    assert resolved.settings.role == {}
