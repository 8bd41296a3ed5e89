"""A configuration `controlplane.toml` that is not a regular file is refused at once.

It may be a pipe, a folder, or a link to `/dev/zero`: to read it could never end.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import check_error_line, run_in_process


def make_link_to_endless_file(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(os.mkfifo, id="pipe"),
        pytest.param(make_link_to_endless_file, id="link to an endless file"),
        pytest.param(os.mkdir, id="folder"),
    ],
)
@pytest.mark.parametrize("command", ["runs", "trust", "run"])
def test_a_configuration_that_is_not_a_file_is_refused_at_once(
    make: Callable[[Path], None], command: str, tmp_path: Path
) -> None:
    make(tmp_path / "controlplane.toml")

    result = run_in_process(command, cwd=tmp_path)

    check_error_line(result, UsageError.exit_code, "cannot read", "controlplane.toml")
