"""The folders that listings of a trial have shown, and of which of them all entries are known.

If a listing has shown that `/docs/Loans.md` is the only entry of `/docs`, then it is known that
there is no `/docs/fees.md`. Such a folder is *complete*:

    folders.add_complete("/docs")
    folders.is_parent_complete("/docs/fees.md")    -> True
    folders.is_parent_complete("/mails/fees.md")   -> False: it may exist
"""

from __future__ import annotations

from controlplane.gates.paths import spelling_key


class ListedFolders:
    """The listed folders of one trial."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        """The paths of folders, as they are listed."""
        self._complete_keys: set[str] = set()
        """The complete folders, by the key that all spellings of a path share."""

    def add_complete(self, path: str) -> None:
        """Add a folder whose entries were all listed. Its path may have any spelling."""
        self._complete_keys.add(spelling_key(path))

    def forget_complete(self) -> None:
        """Forget which folders are complete, because files may have appeared."""
        self._complete_keys.clear()

    def is_parent_complete(self, path: str) -> bool:
        """Return True if the folder in which `path` is, or would be, is complete."""
        folder = path.rpartition("/")[0] or "/"
        return spelling_key(folder) in self._complete_keys
