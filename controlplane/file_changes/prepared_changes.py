"""A set of changes on disk, from its preparation until it can be undone.

1. `prepare` copies the old and the new bytes of every file to a work folder. The step
   list, a JSON file, says which file gets which bytes.
2. `make` makes the steps of the list: each moves one new file into its place.
3. It then moves the old versions to a folder of their own, and the step list becomes
   the undo list.

If the process is killed after 1, a later process finds the step list and does 2 and 3.
So a set of changes is never made in part.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from pathlib import Path

from controlplane.errors import UsageError
from controlplane.file_changes.change_steps import ChangeSet, Step, hash_of
from controlplane.file_changes.file_change import ChangeRefused, FileChange
from controlplane.journal.journal_files import private_bytes, state_path
from controlplane.sandbox.files import PERMISSIONS, write_whole
from controlplane.sandbox.interface import bounds


@dataclass(frozen=True, slots=True)
class PreparedChanges:
    """The files on disk that belong to a set of changes.

    The caller holds the lock by which only one process changes files at a time.
    """

    old_versions: Path
    """The folder that keeps the files as they were before the
    last changes. The paths of all other files follow from it."""

    @property
    def exist(self) -> bool:
        """True if changes are prepared and not made yet."""
        return self._step_list().exists()

    @property
    def work_folder(self) -> Path:
        """The folder that holds the old and new versions while changes are being made."""
        return self.old_versions.with_name(f"{self.old_versions.name}.new")

    def _step_list(self, *, makes_folder: bool = False) -> Path:
        """Return the file with the steps of the changes that are being made."""
        return self._state_file("changes", makes_folder=makes_folder)

    def _undo_list(self) -> Path:
        """Return the file with the steps of the last changes."""
        return self._state_file("changed")

    def _state_file(self, kind: str, *, makes_folder: bool = False) -> Path:
        """Return a file in the user's state folder, which only the user can write.

        Each folder of old versions has a file of its own, with a hash of the folder's
        path in its name: `controlplane/changes-3f9a0c12be45d678.json`.
        """
        path = os.fsencode(self.old_versions.absolute())
        digest = hashlib.sha256(path).hexdigest()[:16]
        return state_path(f"controlplane/{kind}-{digest}.json", makes=makes_folder)

    def last_steps(self) -> list[Step]:
        """Return the steps of the last changes, from which they can be undone."""
        return _read_steps(self._undo_list())

    def prepare(
        self,
        changes: Mapping[str, FileChange],
        new_bytes: Mapping[str, bytes | None],
    ) -> None:
        """Copy the old and the new versions to the work folder, and then write the step list.

        The step list comes last, because any process that finds it makes the changes.
        Raises `UsageError` if something cannot be written.
        """
        shutil.rmtree(self.work_folder, ignore_errors=True)
        try:
            steps = self._copied(changes, new_bytes)
            # Put the copies on disk first: after a crash of the machine, the step list
            # must name no file that is lost.
            os.sync()
            _write_steps(self._step_list(makes_folder=True), steps)
        except OSError as error:
            shutil.rmtree(self.work_folder, ignore_errors=True)
            msg = f"{self.old_versions} cannot be written: {error.strerror}; nothing is written"
            raise UsageError(msg) from error

    def _copied(
        self,
        changes: Mapping[str, FileChange],
        new_bytes: Mapping[str, bytes | None],
    ) -> list[Step]:
        """Copy the old and the new versions, and return the steps. Raises `OSError`."""
        if self.old_versions.is_symlink():
            raise OSError(errno.ELOOP, "it is a link")
        old_copies = self.work_folder / "old"
        # It later becomes the folder of the old versions, so it is made even if all files
        # are new and it stays empty.
        old_copies.mkdir(parents=True, exist_ok=True, mode=0o700)
        steps = []
        for number, (path, change) in enumerate(changes.items()):
            step = _copied_step(
                change,
                new_bytes[path],
                old_copy=old_copies / path.lstrip("/"),
                new_copy=self.work_folder / "new" / str(number),
                root=self.old_versions.parent,
            )
            steps.append(step)
        return steps

    def make(self) -> bool:
        """Make the remaining steps of the step list. Return True if there is a list.

        If a step cannot be made, all steps are undone. The list is removed in any case.
        Raises `ChangeRefused`.
        """
        step_list = self._step_list()
        steps = _read_steps(step_list)
        if not steps:
            return False

        change_set = ChangeSet(steps)
        try:
            change_set.make()
            self._keep_old_versions()
            _write_steps(self._undo_list(), steps)
        except ChangeRefused:
            change_set.undo()
            raise
        except OSError as error:
            change_set.undo()
            reason = f"it cannot be written: {error.strerror}"
            raise ChangeRefused(Path(change_set.current_place), reason) from error
        finally:
            step_list.unlink(missing_ok=True)
            shutil.rmtree(self.work_folder, ignore_errors=True)
        return True

    def _keep_old_versions(self) -> None:
        """Replace the folder of old versions by the copies. Raises `OSError`."""
        shutil.rmtree(self.old_versions, ignore_errors=True)
        (self.work_folder / "old").rename(self.old_versions)


def _copied_step(
    change: FileChange,
    new_bytes: bytes | None,
    *,
    old_copy: Path,
    new_copy: Path,
    root: Path,
) -> Step:
    """Copy the old and the new version of a file, and return the step that changes it.

    Both copies are below `root`. Raises `OSError`.
    """
    permissions = change.mode & PERMISSIONS
    if change.old_bytes is not None:
        # Make a copy and not a hard link, which would change with the file if a program
        # edits the file in place.
        write_whole(old_copy, change.old_bytes, root, mode=0o600)
        old_copy.chmod(permissions)
    if new_bytes is not None:
        write_whole(new_copy, new_bytes, root)
        if change.old_bytes is not None:
            new_copy.chmod(permissions)
    return Step(
        place=str(change.place),
        root=str(change.root),
        old_copy=str(old_copy) if change.old_bytes is not None else "",
        new_copy=str(new_copy) if new_bytes is not None else "",
        old_hash=hash_of(change.old_bytes),
        new_hash=hash_of(new_bytes),
    )


def _write_steps(file: Path, steps: list[Step]) -> None:
    values = [astuple(step) for step in steps]
    write_whole(file, json.dumps(values).encode(), mode=0o600)


def _read_steps(file: Path) -> list[Step]:
    """Return the steps in a file; none if the file does not exist."""
    name = file.relative_to(state_path("")).as_posix()
    data = private_bytes(name, bounds.MOST_UNDO_BYTES)
    return [Step(*values) for values in json.loads(data or b"[]")]
