"""Where each setting of a run comes from.

A setting such as `seed` comes from a flag (`--seed 9`), else from the environment, else from the
file `controlplane.toml`, else from a default.
"""

from pathlib import Path

import pytest

from controlplane.configuration.setting_sources import resolve
from controlplane.lifecycle.resources.gate_policies import parse_gates
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


class TestModelsOfRoles:
    """A model is named for the run, and another one for the role that solves tasks.

    A role is a task of an agent for which it asks a model. `MODEL_PROFILES` has `model = "big"`
    for the run, and `solve = "small"` for the role. A flag for either is stronger than both.
    """

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
        self, flags: dict[str, object], expected_model: str, tmp_path: Path
    ) -> None:
        """The run's own model is the one that solves, so that the role has no entry in the
        settings."""
        write_config(tmp_path / "controlplane.toml", MODEL_PROFILES, encoding="utf-8")

        resolved = resolve(flags, environ={}, folder=tmp_path)

        assert resolved.settings.model == expected_model
        assert resolved.settings.role == {}


class TestSources:
    """A setting is named by flags, in the environment and in the file, or nowhere.

    `resolve(flags, environ, folder)` returns the settings, and where each comes from.
    """

    @pytest.mark.parametrize(
        ("setting", "expected_value", "expected_source"),
        [
            ("seed", 9, "flag"),
            ("concurrency", 7, "environment"),
            ("repeats", 3, "controlplane.toml"),
            ("max_steps", 35, "default"),
        ],
    )
    def test_a_flag_beats_the_environment_beats_the_file_beats_the_default(
        self, setting: str, expected_value: int, expected_source: str, tmp_path: Path
    ) -> None:
        """Each setting is named in one place less than the one before it:

        | setting | flag | environment | file |
        |---|---|---|---|
        | seed | 9 | 8 | 1 |
        | concurrency | | 7 | 2 |
        | repeats | | | 3 |
        | max_steps | | | |
        """
        write_config(
            tmp_path / "controlplane.toml",
            "[run]\nseed = 1\nconcurrency = 2\nrepeats = 3\n",
        )

        resolved = resolve(
            flags={"seed": 9},
            environ={"CONTROLPLANE_SEED": "8", "CONTROLPLANE_CONCURRENCY": "7"},
            folder=tmp_path,
        )

        assert getattr(resolved.settings, setting) == expected_value
        assert resolved.sources[setting] == expected_source

    @pytest.mark.parametrize(
        ("text", "expected_error"),
        [
            pytest.param("9", "is not a gate", id="number of no gate"),
            pytest.param("none,4", "is not a gate", id="none, and a gate"),
            pytest.param("x", "is not a gate", id="letter"),
            pytest.param("", "is not a gate", id="nothing"),
            pytest.param("6=on", "sets no enforcement", id="unknown enforcement"),
            pytest.param("6=", "sets no enforcement", id="no enforcement"),
            pytest.param("=off", "sets no enforcement", id="enforcement of no gate"),
            pytest.param(
                "4,all=yes", "sets no enforcement", id="enforcement of all gates"
            ),
        ],
    )
    def test_a_wrong_value_of_the_option_gates_is_an_error(
        self, text: str, expected_error: str
    ) -> None:
        """Gates are checks of answers, with the numbers 1 to 8. `4,6` is right for two of them, and
        `6=off` for all but one."""
        with pytest.raises(ValueError, match=expected_error):
            parse_gates(text)
