"""The folder in which scripts may change files, and the changes that cannot be made there.

`ask --write docs` lets scripts write files below `docs`. At the end, the user decides whether
the changes are written to disk. A change that could not be written then, for example because a
folder on its path is a link, is refused at once.
"""

from __future__ import annotations

from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.file_changes.file_change import ChangeRefused, FileChange
from controlplane.sandbox import normal_path
from controlplane.sandbox.interface import CallError, error_codes


class WritableFolder:
    """The folder of one question."""

    def __init__(self, folder: str) -> None:
        """Take the folder's path, such as `docs`; empty if scripts may change nothing."""
        self._prefix = normal_path(folder).rstrip("/") + "/" if folder else ""

    def allows(self, path: str) -> bool:
        """Return True if scripts may write to a path: in the folder, and not hidden."""
        is_hidden = "/." in path  # In `/docs/.git/config`, a folder is hidden.
        if not self._prefix or is_hidden:
            return False
        return f"{path}/".startswith(self._prefix)

    def check_change(
        self, sources: SourceFiles, path: str, content: str | None
    ) -> None:
        """Raise `CallError` if a change could not be written to disk, as below a link.

        Changes stay in memory until the trial ends. Checking them now lets the script choose
        another change. `content` is the file's new text, or None for a deletion.
        """
        if not sources.is_on_disk or not self.allows(path):
            return
        try:
            change = FileChange.of(sources.root, path, content)
            # Texts converted from a PDF or the like have no encoding on disk.
            has_encoding = path not in sources.texts_in_memory
            if has_encoding:
                # Raises if the file's encoding lacks a character of the text.
                _ = change.new_bytes
        except ChangeRefused as error:
            raise CallError(error_codes.FAILED_PRECONDITION, str(error)) from None
