"""What the listings of a trial have shown: paths, and which of them are folders."""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.paths.listed_paths import ListedPaths
from controlplane.agent.evidence.paths.listing import (
    ListedEntry,
    is_complete,
    is_tree,
    list_entries,
    tree_entries,
)
from controlplane.gates.paths import canonical, spelling_key
from controlplane.sandbox.interface import Plain


class Listings:
    """The listed paths and folders of one trial."""

    def __init__(self) -> None:
        self.paths = ListedPaths()
        """All listed paths, with those of folders in trees and lists."""
        self.folders: set[str] = set()
        """The paths of folders."""
        self._complete_folders: set[str] = set()
        """The spelling keys of folders of which a listing showed all entries."""

    def learn(self, requested_path: str, result: Mapping[str, Plain]) -> None:
        """Learn the paths in the result of a listing."""
        is_folder = result.get("is_dir")
        if is_tree(result):
            for entry in tree_entries(
                requested_path,
                result,
                is_complete=is_complete(result),
                may_add=self.paths.may_add,
            ):
                self._add_entry(entry)
        elif isinstance(is_folder, bool):
            self._add_facts(requested_path, is_folder=is_folder)
        else:
            for entry in list_entries(result):
                self._add_entry(entry)
            if is_complete(result) and "entries" in result:
                self._add_complete_folder(requested_path)

    def _add_entry(self, entry: ListedEntry) -> None:
        """Add one path, if there is room for it."""
        if not self.paths.may_add(entry.path):
            return
        self.paths.add(entry.path)
        if entry.is_folder:
            self.folders.add(canonical(entry.path))
        if entry.has_all_children:
            self._complete_folders.add(spelling_key(entry.path))

    def _add_facts(self, path: str, *, is_folder: bool) -> None:
        """Add a path that is a folder, or a file with a `#` in its name.

        Other files are not added, since a listing may spell the path in another way. But
        a file `/a.csv#row=7` would otherwise be taken for a row of `/a.csv`.
        """
        if is_folder:
            self.folders.add(path)
        elif "#" in path:
            self.paths.add(path)

    def _add_complete_folder(self, path: str) -> None:
        """Add a folder of which a listing had all entries."""
        self.folders.add(self.paths.spelling_of(path))
        if not self.paths.is_full:
            self._complete_folders.add(spelling_key(path))

    def forget_complete_folders(self) -> None:
        """Forget which folders are complete, because files may have appeared."""
        self._complete_folders.clear()

    def have_all_beside(self, path: str) -> bool:
        """Return True if a listing showed all entries of the folder in which `path` is."""
        folder = path.rpartition("/")[0] or "/"
        return spelling_key(folder) in self._complete_folders
