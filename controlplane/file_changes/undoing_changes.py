"""Finds the changes that undo the last set of changes."""

from __future__ import annotations

from pathlib import Path

from controlplane.errors import UsageError
from controlplane.file_changes.change_steps import Step, hash_of
from controlplane.file_changes.file_change import ChangeRefused, FileChange
from controlplane.file_changes.prepared_changes import PreparedChanges
from controlplane.sandbox.files import read_whole
from controlplane.sandbox.interface import bounds
from controlplane.text_files import decode_text


def undoing_changes(old_versions: Path) -> dict[str, FileChange]:
    """Return the changes that undo the last set of changes, by path below the changed folder.

    Raises `UsageError` if there is nothing to undo,
    and `ChangeRefused` if a file was changed since.
    """
    changes: dict[str, FileChange] = {}
    for step in PreparedChanges(old_versions).last_steps():
        path_below_root = Path(step.place).relative_to(step.root)
        path = f"/{path_below_root}"
        changes[path] = _undoing_change(
            step, path, old_versions / path_below_root, old_versions
        )
    if not changes:
        msg = f"there is no change to undo: none was made with the journals in {old_versions.parent}"
        raise UsageError(msg)
    return changes


def _undoing_change(
    step: Step, path: str, old_version: Path, old_versions: Path
) -> FileChange:
    """Return the change that restores the old version of a file.

    Raises as `undoing_changes` does.
    """
    # The old version must still be what the step replaced.
    old_bytes = None
    if step.old_copy and old_versions.is_dir():
        file = read_whole(old_version, old_versions, bounds.MOST_EDITED_BYTES)
        old_bytes = None if file is None else file[0]
    if hash_of(old_bytes) != step.old_hash:
        msg = f"{old_versions}: the old version of {path} is gone or was changed; nothing is undone"
        raise UsageError(msg)

    # The present file must still be what the step made of it.
    old_text = None if old_bytes is None else decode_text(old_bytes).text
    change = FileChange.of(Path(step.root), path, old_text, restored_bytes=old_bytes)
    if hash_of(change.old_bytes) != step.new_hash:
        reason = (
            f"it was changed since: nothing is undone; its old version is {old_version}"
        )
        raise ChangeRefused(change.place, reason)
    return change
