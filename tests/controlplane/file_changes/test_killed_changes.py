"""Changes of files that are cut off because a process is killed.

`make_changes` first writes the new versions of all files to a work folder, `kept.new/new/0`,
`kept.new/new/1` and so on, with a list of *steps*: a step moves one of them into its place. A child
process makes the steps; if it is killed, its parent goes on. If both are killed, the next process
that finds the list makes the steps that remain, by `finish_changes`.
"""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane.file_changes.file_change import ChangeRefused
from controlplane.file_changes.making_changes import finish_changes
from tests.controlplane.file_changes.text_folder import TextFolder
from tests.support.command import wait_until

OsReplace = Callable[..., None]
"""`os.replace(source, target)`: a step calls it to move a new version into its place."""


def change_in_fork(
    folder: TextFolder, new_texts: dict[str, str], replace: OsReplace
) -> int:
    """Change files in a fork of this process, in which steps call `replace` for `os.replace`.

    Returns the exit code of the fork: -9 if it was killed.
    """
    fork = os.fork()
    if fork == 0:
        os.replace = replace
        folder.change(**new_texts)
        os._exit(0)
    _, status = os.waitpid(fork, 0)
    return os.waitstatus_to_exitcode(status)


def is_step(source: str | Path, number: int, folder: TextFolder) -> bool:
    """Return whether `os.replace(source, ...)` is the step of this number, counted from 0."""
    new_version = folder.root / f"kept.new/new/{number}"
    return str(source).startswith(str(new_version))


def change_until_kill_before_second_step(
    folder: TextFolder, new_texts: dict[str, str]
) -> int:
    """Change files in a fork of this process, and kill the fork and its child before the second
    step, which both try to make. Return the exit code of the fork: -9 if it was killed.
    """
    real_replace = os.replace

    def replace_or_die(source: str, target: str, **folders: int) -> None:
        if is_step(source, 1, folder):
            os.kill(os.getpid(), signal.SIGKILL)
        real_replace(source, target, **folders)

    return change_in_fork(folder, new_texts, replace_or_die)


class TestKilledChanges:
    """Both processes that change three files are killed after the first of three steps."""

    def test_changes_that_were_cut_off_by_a_kill_are_finished_later(
        self, folder: TextFolder
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
        self, folder: TextFolder
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


def is_running(process_id: int) -> bool:
    """Return whether a process runs; the command line of one that has ended is empty."""
    command_line = Path(f"/proc/{process_id}/cmdline")
    return command_line.exists() and command_line.read_bytes() != b""


class TestKilledParent:
    """A child process makes the steps, and its parent waits."""

    def test_the_child_finishes_all_changes_if_its_parent_is_killed(
        self, folder: TextFolder
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
