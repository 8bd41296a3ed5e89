"""The child process that changes files finishes all changes if its parent is killed.

A child process makes the changes one after the other, and its parent waits. Here the child kills its
parent after the first of two.
"""

import os
import signal
from pathlib import Path

from tests.controlplane.file_changes.killed_changes.forked_changes import (
    change_in_fork,
    is_step,
)
from tests.controlplane.file_changes.text_folder import TextFolder
from tests.support.command import wait_until


def is_running(process_id: int) -> bool:
    """Return whether a process runs; the command line of one that has ended is empty."""
    command_line = Path(f"/proc/{process_id}/cmdline")
    return command_line.exists() and command_line.read_bytes() != b""


def test_the_child_finishes_all_changes_if_its_parent_is_killed(
    folder: TextFolder,
) -> None:
    """The child kills its parent after the first step. It has to make the second, and to
    end."""
    child_id_file = folder.root / "child_id"
    real_replace = os.replace

    def replace_and_kill_parent(source: str, target: str, **folders: int) -> None:
        real_replace(source, target, **folders)
        if is_step(source, 0, folder):
            child_id_file.write_text(str(os.getpid()))
            os.kill(os.getppid(), signal.SIGKILL)

    new_texts = {"one": "new\n", "two": "new\n"}
    exit_code = change_in_fork(folder, new_texts, replace_and_kill_parent)

    assert exit_code == -signal.SIGKILL
    child_id = int(child_id_file.read_text())
    wait_until(lambda: not is_running(child_id))
    assert folder.texts() == new_texts
