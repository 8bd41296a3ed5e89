"""Learns which files and folders there are, from the lists in the result of a call.

A later call with a misspelt path is then helped by the listed ones. Environments differ in the
names of the fields, so the paths are taken from all lists of a result:

    {"entries": [{"path": "/docs", "is_dir": true}, {"path": "/a.md"}]}   /docs, a folder; /a.md
    {"paths": ["/docs/b.md"], "count": 1}                                 /docs/b.md
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.paths.listed_folders import ListedFolders
from controlplane.agent.evidence.paths.listed_paths import ListedPaths
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class ListedEntries:
    """Adds the entries of lists to the listed paths of one trial."""

    paths: ListedPaths
    """Gets the paths of all entries, as many as there is room for."""
    folders: ListedFolders
    """Gets the paths of folders, and which folders were listed completely."""

    def learn(self, requested_path: str, result: Mapping[str, Plain]) -> None:
        """Learn the paths in all lists of a result, and if they are all that is in the folder.

        `requested_path` is the path of the folder, as the script has spelled it.
        """
        for items in result.values():
            if not isinstance(items, list):
                continue
            for item in items:
                if isinstance(item, str):
                    self.paths.add(item)
                elif isinstance(item, dict):
                    self._learn_entry(item)

        # The result of a search has no `entries`: the files that do not fit are missing in it.
        is_complete = result.get("truncated") is not True and "entries" in result
        if is_complete:
            self._learn_complete_folder(requested_path)

    def _learn_entry(self, entry: Mapping[str, Plain]) -> None:
        """Learn one entry of a list, such as `{"path": "/docs", "is_dir": true}`."""
        path = entry.get("path")
        if not isinstance(path, str):
            return
        is_folder = entry.get("is_dir") is True
        if is_folder and self.paths.may_add(path):  # There is room for it.
            self.folders.paths.add(canonical(path))
        self.paths.add(path)

    def _learn_complete_folder(self, path: str) -> None:
        """Learn that a path is a folder whose entries were all listed."""
        # `/Docs`, if the script asks for `/docs`
        path_as_listed = self.paths.spelling_of(path)
        self.folders.paths.add(path_as_listed)
        if self.paths.may_add(path):
            self.folders.add_complete(path)
