"""Reads the listings of a trial: which paths they show, and which of these are folders.

A *listing* is the result of a call such as `list("/docs")`. It has one of three forms:

| form | example | it teaches |
|---|---|---|
| a tree | `{"name": "docs", "children": [{"name": "a.md"}]}` | `/docs`, a folder; `/docs/a.md` |
| facts | `{"path": "/docs", "is_dir": true}` | that `/docs` is a folder |
| flat lists | `{"entries": [{"path": "/docs/a.md"}]}` | `/docs/a.md`; no other file is in `/docs` |
| | `{"paths": ["/a.md"]}`, of a search | `/a.md` |
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.paths.listed_folders import ListedFolders
from controlplane.agent.evidence.paths.listed_paths import ListedPaths
from controlplane.agent.evidence.paths.listed_tree import ListedTree
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Plain


class Listings:
    """The paths that the listings of one trial have shown."""

    def __init__(self) -> None:
        self.paths = ListedPaths()
        """All listed paths of files and folders. There is room for a limited number."""
        self.folders = ListedFolders()
        """Which paths are folders, and of which of these all entries are listed."""

    def learn(self, requested_path: str, result: Mapping[str, Plain]) -> None:
        """Learn the paths in the result of a listing of `requested_path`."""
        is_folder = result.get("is_dir")
        is_complete = result.get("truncated") is not True
        if isinstance(result.get("children"), list):
            tree = ListedTree(self.paths, self.folders, is_complete)
            tree.learn(canonical(requested_path), result)
        elif is_folder is True:
            self.folders.paths.add(requested_path)
        elif is_folder is False:
            # The file is not added, as listings may spell its path in another way. An exception:
            # if there is a file `/a.csv#row=7`, citing it no longer means row 7 of `/a.csv`.
            if "#" in requested_path:
                self.paths.add(requested_path)
        else:
            self._learn_lists(result)
            if is_complete and "entries" in result:
                # The path is as a script spelled it. Listings may spell it in another way.
                self.folders.paths.add(self.paths.spelling_of(requested_path))
                if self.paths.may_add(requested_path):
                    self.folders.add_complete(requested_path)

    def _learn_lists(self, result: Mapping[str, Plain]) -> None:
        """Learn the paths in all lists of a result."""
        for items in result.values():
            if not isinstance(items, list):
                continue
            for item in items:
                if isinstance(item, str):
                    self.paths.add(item)
                elif isinstance(item, dict):
                    self._learn_entry(item)

    def _learn_entry(self, entry: Mapping[str, Plain]) -> None:
        """Learn one entry of a list, such as `{"path": "/docs", "is_dir": true}`."""
        path = entry.get("path")
        if not isinstance(path, str):
            return
        if entry.get("is_dir") is True and self.paths.may_add(path):
            self.folders.paths.add(canonical(path))
        self.paths.add(path)
