"""Changes of files that were cut off by a kill are finished, or undone, by the next process.

A process makes three changes, one after the other, and is killed after the first. `finish_changes`
then makes those that remain.
"""

import os
import signal

import pytest

from controlplane.file_changes import ChangeRefused, finish_changes
from tests.controlplane.file_changes.killed_changes.forked_changes import (
    change_in_fork,
    is_step,
)
from tests.controlplane.file_changes.text_folder import TextFolder


def change_until_kill_before_second_step(
    folder: TextFolder, new_texts: dict[str, str]
) -> int:
    """Change files in a fork of this process, which is killed before it changes the second one.

    The fork lets a child make the changes, and makes those that remain itself if the child dies.
    So each of the two is killed when it calls `os.replace` for the second file. Returns the exit
    code of the fork: -9, as it was killed.
    """
    real_replace = os.replace

    def replace_or_die(source: str, target: str, **folders: int) -> None:
        if is_step(source, 1, folder):  # counted from 0
            os.kill(os.getpid(), signal.SIGKILL)
        real_replace(source, target, **folders)

    return change_in_fork(folder, new_texts, replace_or_die)


def test_changes_that_were_cut_off_by_a_kill_are_finished_later(
    folder: TextFolder,
) -> None:
    folder.write(one="old 1", two="old 2", three="old 3")
    new_texts = {"one": "new 1", "two": "new 2", "three": "new 3"}
    exit_code = change_until_kill_before_second_step(folder, new_texts)
    assert exit_code == -signal.SIGKILL
    assert folder.texts() == {"one": "new 1", "two": "old 2", "three": "old 3"}
    assert not list(folder.root.glob(".*"))  # no half-written file

    assert finish_changes(folder.old_versions)

    assert folder.texts() == {"one": "new 1", "two": "new 2", "three": "new 3"}
    assert not finish_changes(folder.old_versions)  # There is nothing left to do.


def test_changes_that_were_cut_off_by_a_kill_are_undone_after_an_edit(
    folder: TextFolder,
) -> None:
    """After the kill, the user edits a file that was to change next. Not all changes can be
    made any more, so the one that was made is undone."""
    folder.write(one="old 1", two="old 2", three="old 3")
    new_texts = {"one": "new 1", "two": "new 2", "three": "new 3"}
    exit_code = change_until_kill_before_second_step(folder, new_texts)
    assert exit_code == -signal.SIGKILL
    assert folder.texts() == {"one": "new 1", "two": "old 2", "three": "old 3"}

    folder.write(two="edited")
    with pytest.raises(ChangeRefused, match=r"two.txt: it was changed meanwhile"):
        finish_changes(folder.old_versions)

    assert folder.texts() == {"one": "old 1", "two": "edited", "three": "old 3"}
    assert not finish_changes(folder.old_versions)
