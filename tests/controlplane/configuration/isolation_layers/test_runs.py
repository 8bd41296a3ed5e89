"""A run is refused on a machine without a layer of isolation, unless its user does without it.

Scripts of a model run in a sandbox of three layers: language, process and kernel. By default, a run
wants all three. The setting `isolation = "language,process"` does without the kernel layer. The
fixture `no_kernel_layer` lets the sandbox report that this layer does not work.
"""

from pathlib import Path

import pytest

from tests.controlplane.configuration.isolation_layers.missing_layers import (
    RUN,
    check_refused_for_missing_layer,
)
from tests.support.command import run_in_process, write_config

pytestmark = pytest.mark.usefixtures("no_kernel_layer")


def test_a_models_scripts_do_not_run_with_fewer_layers_than_the_settings_want(
    tmp_path: Path,
) -> None:
    """The run is refused before it begins, so that nothing is recorded."""
    result = run_in_process(*RUN, cwd=tmp_path)

    check_refused_for_missing_layer(result)
    assert not list(tmp_path.glob("runs/*"))


def test_fewer_layers_are_accepted_by_a_flag(tmp_path: Path) -> None:
    result = run_in_process(*RUN, "--isolation", "language,process", cwd=tmp_path)

    assert result.code == 0


def test_fewer_layers_are_accepted_by_the_environment(tmp_path: Path) -> None:
    """Each setting may be given by an environment variable."""
    result = run_in_process(
        *RUN, cwd=tmp_path, CONTROLPLANE_ISOLATION="language,process"
    )

    assert result.code == 0


def test_fewer_layers_are_accepted_by_a_trusted_file_unless_a_flag_wants_all(
    tmp_path: Path,
) -> None:
    """The flag `--isolation all` is stronger than the file `controlplane.toml`."""
    write_config(
        tmp_path / "controlplane.toml", '[run]\nisolation = "language,process"\n'
    )

    assert run_in_process(*RUN, cwd=tmp_path).code == 0
    check_refused_for_missing_layer(
        run_in_process(*RUN, "--isolation", "all", cwd=tmp_path)
    )
