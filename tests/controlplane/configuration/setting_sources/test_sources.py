"""A setting comes from a flag, else from the environment, else from the file, else from a default.

`--seed 9` sets the seed by a flag, `CONTROLPLANE_SEED=8` by the environment, and `seed = 1` in the
file `controlplane.toml`. `resolve` returns the settings, and where each comes from.
"""

from pathlib import Path

import pytest

from controlplane.configuration.setting_sources import resolve
from tests.support.command import write_config


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
    setting: str, expected_value: int, expected_source: str, tmp_path: Path
) -> None:
    """Each setting is named in one place less than the one before it."""
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
