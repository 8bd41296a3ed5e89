"""The changes of a tree of files: files that are written or deleted."""

from __future__ import annotations

from collections.abc import Callable
from posixpath import dirname
from typing import TypeAlias

from controlplane.sandbox.files.changed_files import ChangedFiles
from controlplane.sandbox.files.file_paths import normal_path
from controlplane.sandbox.files.tree_paths import TreePaths
from controlplane.sandbox.files.tree_texts import sha256_of
from controlplane.sandbox.interface.error_codes import (
    FAILED_PRECONDITION,
    PERMISSION_DENIED,
    CallError,
)
from controlplane.sandbox.interface.plain_data import Plain

OnChange: TypeAlias = Callable[[str, str | None], None]
"""Called with the path and the new text of a file, before it is written;
the text is None before it is deleted."""


class TreeWriter:
    """The operations by which a script changes a tree. All of them raise `CallError`.

    `harness.write("/docs/a.md", "# Rules")` calls `write`.
    """

    def __init__(
        self,
        files: ChangedFiles,
        paths: TreePaths,
        writable: Callable[[str], bool],
        on_change: OnChange,
    ) -> None:
        """`writable(path)` says whether a path may be written or deleted.

        `on_change(path, text)` is called before each change; the text is None for a deletion.
        """
        self._files = files
        self._paths = paths
        self._writable = writable
        self.on_change = on_change

    def write(
        self, path: str, content: str, if_match_sha256: str = ""
    ) -> dict[str, Plain]:
        """Write a file, and make missing directories above it. Returns its path.

        With `if_match_sha256`, the file is written only if its present text has that hash,
        so that a change made since the script read it is not lost. Raises `CallError`.
        """
        # An existing file keeps its spelling; a new one has that of `path`.
        target = self._paths.resolve(path) or normal_path(path)
        self._check_target(target)
        if if_match_sha256:
            self._check_hash(target, if_match_sha256)
        self.apply(target, content)
        return {"path": target}

    def delete(self, path: str) -> dict[str, Plain]:
        """Remove a file, and return its path: `{"path": "/docs/a.md"}`. A directory is refused."""
        resolved = self._paths.existing(path)
        if self._paths.is_dir(resolved):
            msg = f"{resolved} is a directory; delete its files one by one"
            raise CallError(FAILED_PRECONDITION, msg)
        if not self._writable(resolved):
            raise CallError(PERMISSION_DENIED, f"{resolved} may not be deleted")
        self.apply(resolved, None)
        return {"path": resolved}

    def apply(self, path: str, text: str | None) -> None:
        """Write a file, or delete it if `text` is None. The path is not checked.

        Raises `CallError` if all changes together would take too many bytes, and whatever
        `on_change` raises. In both cases nothing has changed.
        """
        change = self._files.possible_change(path, text)
        # Before the change is made: this may fail, for example because a disk is full.
        self.on_change(path, text)
        self._files.make(change)
        self._paths.add_change(change)

    def _check_target(self, target: str) -> None:
        """Raise `CallError` if no file may be written at a path.

        That is a directory, a path below a file, or a path that `writable` does not permit.
        """
        if self._paths.is_dir(target):
            raise CallError(FAILED_PRECONDITION, f"{target} is a directory")
        folder_above = dirname(target)
        while folder_above != "/":
            if self._files.text(folder_above) is not None:
                msg = f"{folder_above} is a file; nothing can be written below it"
                raise CallError(FAILED_PRECONDITION, msg)
            folder_above = dirname(folder_above)
        if not self._writable(target):
            raise CallError(PERMISSION_DENIED, f"{target} may not be written")

    def _check_hash(self, target: str, expected_sha256: str) -> None:
        """Raise `CallError` unless the present text of a file has the expected hash.

        A missing file has no hash, so it is refused, too.
        """
        present_text = self._files.text(target)
        actual_sha256 = "" if present_text is None else sha256_of(present_text)
        if actual_sha256 != expected_sha256.lower():
            msg = f"{target} has sha256 {actual_sha256 or '(no file)'}; read it again"
            raise CallError(FAILED_PRECONDITION, msg)
