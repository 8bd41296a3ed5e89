"""A set of changes on disk, from its preparation until it can be undone.

1. `prepare` copies the old and the new bytes of every file to a work folder. The step
   list, a JSON file, says which file gets which bytes.
2. `make` makes the steps of the list: each moves one new file into its place.
3. It then writes the steps to the undo list, moves the old versions to a folder of their own,
   and removes the step list.

If the process is killed after 1, a later process finds the step list and does 2 and 3, as far
as they are not done. So a set of changes is never made in part.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from controlplane.errors import UsageError
from controlplane.file_changes.change_set import ChangeSet
from controlplane.file_changes.change_steps import Step
from controlplane.file_changes.file_change import ChangeRefused, FileChange
from controlplane.file_changes.step_list import StepList
from controlplane.file_changes.version_copies import VersionCopies


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
        return self._step_list.path.exists()

    @property
    def work_folder(self) -> Path:
        """The folder that holds the old and new versions while changes are being made."""
        return self.old_versions.with_name(f"{self.old_versions.name}.new")

    @property
    def _copies(self) -> VersionCopies:
        """The copies of the old and new versions in the work folder."""
        return VersionCopies(self.work_folder)

    @property
    def _step_list(self) -> StepList:
        """The steps of the changes that are being made."""
        return StepList("changes", self.old_versions)

    @property
    def _undo_list(self) -> StepList:
        """The steps of the last changes, which were made."""
        return StepList("changed", self.old_versions)

    def last_steps(self) -> list[Step]:
        """Return the steps of the last changes, from which they can be undone."""
        return self._undo_list.read()

    def prepare(
        self,
        changes: Mapping[str, FileChange],
        new_bytes: Mapping[str, bytes | None],
    ) -> None:
        """Copy the old and the new versions to the work folder, and then write the step list.

        The step list comes last, because any process that finds it makes the changes.
        Raises `UsageError` if something cannot be written.

        `new_bytes` has the new bytes of each file, by the same keys as `changes`; None to delete it.
        """
        shutil.rmtree(self.work_folder, ignore_errors=True)
        try:
            if self.old_versions.is_symlink():
                raise OSError(errno.ELOOP, "it is a link")
            steps = self._copies.copied(changes, new_bytes, self.old_versions.parent)
            # Put the copies on disk first: after a crash of the machine, the step list
            # must name no file that is lost.
            os.sync()
            self._step_list.write(steps, makes_folder=True)
        except OSError as error:
            shutil.rmtree(self.work_folder, ignore_errors=True)
            msg = f"{self.old_versions} cannot be written: {error.strerror}; nothing is written"
            raise UsageError(msg) from error

    def make(self) -> bool:
        """Make the remaining steps of the step list. Return True if there is a list.

        If a step cannot be made, all steps are undone. The list is removed in any case.
        Raises `ChangeRefused`.
        """
        steps = self._step_list.read()
        if not steps:
            return False

        change_set = ChangeSet(steps)
        try:
            change_set.make()
            # The old versions are moved last: until then, `undo` can restore the files from them.
            self._undo_list.write(steps)
            self._keep_old_versions()
        except ChangeRefused:
            change_set.undo()
            raise
        except OSError as error:
            change_set.undo()
            reason = f"it cannot be written: {error.strerror}"
            raise ChangeRefused(Path(change_set.current_place), reason) from error
        finally:
            self._step_list.path.unlink(missing_ok=True)
            shutil.rmtree(self.work_folder, ignore_errors=True)
        return True

    def _keep_old_versions(self) -> None:
        """Replace the folder of old versions by the copies. Raises `OSError`."""
        if not self._copies.old_copies.exists():
            return  # An earlier process was killed after it had moved them.
        shutil.rmtree(self.old_versions, ignore_errors=True)
        self._copies.old_copies.rename(self.old_versions)
