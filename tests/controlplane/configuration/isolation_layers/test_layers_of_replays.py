"""The user of a replay may do without a layer of isolation that does not work here.

`replay last --verify` runs the scripts of a journal again, in a sandbox of three layers: language,
process and kernel. `--isolation language,process` does without the kernel layer.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import check_error_line, run_in_process

pytestmark = pytest.mark.usefixtures("journal")


def test_a_replay_with_fewer_layers_is_accepted_by_a_flag(tmp_path: Path) -> None:
    replay = run_in_process(
        "replay", "last", "--verify", "--isolation", "language,process", cwd=tmp_path
    )

    assert replay.code == 0


def test_a_replay_with_fewer_layers_is_accepted_by_the_environment(
    tmp_path: Path,
) -> None:
    """Each setting may be given by an environment variable."""
    replay = run_in_process(
        "replay",
        "last",
        "--verify",
        cwd=tmp_path,
        CONTROLPLANE_ISOLATION="language,process",
    )

    assert replay.code == 0


def test_a_layer_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    """A run with a misspelt layer would have one layer less."""
    replay = run_in_process(
        "replay", "last", "--verify", "--isolation", "glass", cwd=tmp_path
    )

    check_error_line(replay, UsageError.exit_code, "names no isolation layers")
