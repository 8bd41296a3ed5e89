"""The process that changes files makes all changes, also if the process that waits is killed.

    process of the test     starts the parent, by `change_in_fork`
    parent                  starts the child, and waits
    child                   makes one change after the other, by `os.replace`

Here the child kills its parent after the first of two changes.
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


def test_the_child_makes_all_changes_if_its_parent_is_killed(
    folder: TextFolder,
) -> None:
    child_id_file = folder.root / "child_id"
    real_replace = os.replace

    def replace_and_kill_parent(source: str, target: str, **directories: int) -> None:
        """Replace a file as `os.replace` does, for which the child calls this function."""
        real_replace(source, target, **directories)
        is_first_change = is_step(source, number=0, folder=folder)
        if is_first_change:
            child_id_file.write_text(str(os.getpid()))
            os.kill(os.getppid(), signal.SIGKILL)

    new_texts = {"one": "new\n", "two": "new\n"}
    exit_code_of_parent = change_in_fork(folder, new_texts, replace_and_kill_parent)

    assert exit_code_of_parent == -signal.SIGKILL
    child_id = int(child_id_file.read_text())
    wait_until(lambda: not is_running(child_id))
    assert folder.texts() == new_texts
