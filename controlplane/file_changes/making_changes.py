"""Makes sets of changes of files, each as a whole or not at all."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn

from controlplane.errors import ControlPlaneError, UsageError
from controlplane.file_changes.file_change import FileChange
from controlplane.file_changes.prepared_changes import PreparedChanges
from controlplane.journal.state_files import open_regular, state_path

CHANGES_LOCK: Final = "controlplane/changes.lock"
"""A file in the user's state folder. A process locks it while it changes files."""


def make_changes(changes: Mapping[str, FileChange], old_versions: Path) -> None:
    """Make all changes, or none. The keys are the paths of the files below their roots.

    The folder `old_versions` keeps the files as they were, under the same paths.
    What it held before is deleted. A child process makes the changes, and goes on
    if this process is killed. If both are killed, a later call of `finish_changes`
    makes the remaining ones.

    Raises `ChangeRefused` if a file has changed meanwhile, cannot be written, or its
    encoding lacks a character, and `UsageError` if the old versions cannot be kept.
    """
    new_bytes = {path: change.new_bytes for path, change in changes.items()}
    prepared = PreparedChanges(old_versions)
    with _changes_lock():
        prepared.make()  # Finish the changes of a process that was killed, if any.
        prepared.prepare(changes, new_bytes)
        _make_in_child_process(prepared)


def finish_changes(old_versions: Path) -> bool:
    """Make the remaining changes of a process that was killed. Return True if there were any.

    If one cannot be made, all are undone. Raises as `make_changes` does.
    """
    prepared = PreparedChanges(old_versions)
    if not prepared.exist:
        return False
    with _changes_lock():
        return prepared.make()


@contextmanager
def _changes_lock() -> Iterator[None]:
    """Wait until no other process of this user changes files, and keep the others waiting.

    Without the lock, two processes could both find a file unchanged, and the second
    would overwrite the change of the first. A forked child shares the lock: if this
    process is killed, the lock is held until the child ends. Raises `UsageError`.
    """
    try:
        path = state_path(CHANGES_LOCK, makes=True)
        file = open_regular(path, os.O_WRONLY | os.O_CREAT)
    except (OSError, RuntimeError) as error:
        msg = f"no file can be changed safely: the user's state folder cannot be written: {error}"
        raise UsageError(msg) from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _make_in_child_process(prepared: PreparedChanges) -> None:
    """Make the prepared changes in a child process, which goes on if this process is killed.

    Raises `ChangeRefused` and `UsageError`, as the child reports them. If the child is
    killed before it reports, this process makes the remaining changes.

    The child is forked, because a worker of a process pool would wait for more work,
    and never end, if this process were killed.
    """
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        _make_and_report(prepared, sender)

    os.close(sender)
    with os.fdopen(receiver, "rb") as file:
        report = file.read()
    os.waitpid(child, 0)
    if not report:
        prepared.make()
        return
    reported_error: ControlPlaneError | None = pickle.loads(report)
    if reported_error is not None:
        raise reported_error


def _make_and_report(prepared: PreparedChanges, sender: int) -> NoReturn:
    """Make the prepared changes, write the error or None to the pipe `sender`, and exit.

    This is all that the child process does. It never returns to the code of its parent.
    """
    error_to_report: ControlPlaneError | None = None
    try:
        # In a session of its own, the child does not get signals for the parent's group,
        # such as Ctrl-C.
        os.setsid()
        prepared.make()
    except ControlPlaneError as error:
        error_to_report = error
    except BaseException as error:  # noqa: BLE001 - the border of a process
        text = f"the changes cannot be made: {type(error).__name__}: {error}"
        error_to_report = UsageError(text)
    os.write(sender, pickle.dumps(error_to_report))
    os._exit(0)
