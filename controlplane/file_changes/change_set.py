"""A set of changes that are made together. Each changes one file."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controlplane.file_changes.change_steps import Step
from controlplane.file_changes.file_change import ChangeRefused
from controlplane.sandbox.files import open_parent

CHANGED_MEANWHILE: Final = (
    "it was changed meanwhile; ask again to work on it as it is now"
)


@dataclass(frozen=True, slots=True)
class FileStamp:
    """Values that change whenever a file is replaced or written to.

    They can be read faster than a hash of the file.
    """

    inode: int
    changed_at_ns: int
    size: int


def stamp_of(path: str, folder: int | None = None) -> FileStamp | None:
    """Return the stamp of a file; None if it does not exist.

    `path` is relative to the open folder `folder`, if that is given.
    """
    try:
        status = os.lstat(path, dir_fd=folder)
    except FileNotFoundError:
        return None
    return FileStamp(status.st_ino, status.st_ctime_ns, status.st_size)


class ChangeSet:
    """Steps, each of which changes one file, that are made together: all or none.

    If `make` raises an error, the caller calls `undo`, which takes the made steps back.
    """

    def __init__(self, steps: list[Step]) -> None:
        self.steps = steps
        self.current_place = ""
        """The file that was checked or changed last.
        An `OSError` that `make` raises is about this file."""
        self._steps_to_undo: list[Step] = []
        """The steps that are made, and one that failed: it may have changed its file."""
        self._new_folders = _missing_folders(steps)

    def make(self) -> None:
        """Make the steps that are not made yet.

        All files are checked before the first one is changed. Raises `ChangeRefused` if a
        file has neither its old bytes (from before the step) nor its new ones, and
        `OSError`.
        """
        stamps: dict[Step, FileStamp | None] = {}
        for step in self.steps:
            if not self._is_made(step):
                stamps[step] = stamp_of(step.place)
        for step, stamp in stamps.items():
            self._make(step, stamp)

    def _is_made(self, step: Step) -> bool:
        """Return True if the file already has its new bytes, and note that it may be undone.

        Then an earlier process has made the step, and was killed before the others.
        Raises `ChangeRefused` if the file has neither its old nor its new bytes.
        """
        self.current_place = step.place
        present_hash = step.present_hash()
        if present_hash == step.new_hash:
            self._steps_to_undo.append(step)
            return True
        if present_hash != step.old_hash:
            raise ChangeRefused(Path(step.place), CHANGED_MEANWHILE)
        return False

    def _make(self, step: Step, checked_stamp: FileStamp | None) -> None:
        """Make a step, if its file has not changed since it was checked.

        Its stamp shows that (inode, time of change and size). It is read in no time, while
        another program could change the file as long as it is hashed again.
        """
        place = Path(step.place)
        self.current_place = step.place
        with open_parent(place, Path(step.root), create_folders=True) as parent:
            folder, name = parent
            if stamp_of(name, folder) != checked_stamp:
                raise ChangeRefused(place, CHANGED_MEANWHILE)
            self._steps_to_undo.append(step)
            step.make(folder, name)

    def undo(self) -> None:
        """Undo the made steps, and remove the folders that were created for them."""
        for step in self._steps_to_undo:
            step.undo()
        for folder in self._new_folders:
            with suppress(OSError):  # The folder is not empty, or was not created.
                folder.rmdir()


def _missing_folders(steps: list[Step]) -> list[Path]:
    """Return the folders that the steps will create, the deepest first."""
    missing = set()
    for step in steps:
        for folder in Path(step.place).parents:
            if not folder.exists():
                missing.add(folder)
    return sorted(missing, key=lambda folder: -len(folder.parts))
