"""Runs commands, each in a copy of its own of a folder, so that all find the same state.

    check_each_works([["show", "last"], ["resume", "last"]], folder)

fails if `controlplane show last` or `controlplane resume last` is refused.
"""

import shutil
import tempfile
from pathlib import Path

from tests.support.command import run_in_process


def check_each_works(commands: list[list[str]], folder: Path) -> None:
    """Assert that each command works in a copy of the folder."""
    for command in commands:
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(folder, copy, symlinks=True, dirs_exist_ok=True)
            result = run_in_process(*command, cwd=Path(copy))
        # 1: the command works, but a trial has not ended, or has no answer.
        assert result.code in (0, 1), (command, result.err)
        assert "usage" not in result.err.lower(), (command, result.err)
