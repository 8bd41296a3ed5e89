"""Copies the old and the new versions of files, before the files are changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from controlplane.file_changes.change_steps import Step, hash_of
from controlplane.file_changes.file_change import FileChange
from controlplane.sandbox.files import PERMISSIONS, write_whole


@dataclass(frozen=True, slots=True)
class VersionCopies:
    """The folder that holds the old and new versions while changes are being made."""

    folder: Path

    @property
    def old_copies(self) -> Path:
        """The old versions, under the paths of their files."""
        return self.folder / "old"

    def copied(
        self,
        changes: Mapping[str, FileChange],
        new_bytes: Mapping[str, bytes | None],
        root: Path,
    ) -> list[Step]:
        """Copy the old and the new versions, and return the steps that change the files.

        `new_bytes` are the encoded new texts; None for a file to delete. The folder is below
        `root`. Raises `OSError`.
        """
        # `PreparedChanges` later moves this folder to keep the old versions. So it is made even
        # if all files are new and it stays empty.
        self.old_copies.mkdir(parents=True, exist_ok=True, mode=0o700)
        steps = []
        for number, (path, change) in enumerate(changes.items()):
            step = _copied_step(
                change,
                new_bytes[path],
                old_copy=self.old_copies / path.lstrip("/"),
                new_copy=self.folder / "new" / str(number),
                root=root,
            )
            steps.append(step)
        return steps


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
