"""Reads the listings of a trial: which paths they show, and which of these are folders.

A script may ask for `/docs/loans.md`, where only `/docs/Loans.md` exists. What exists is known
from *listings*, the results of calls such as `list("/docs")`. They have one of three forms:

| form | example | what is known then |
|---|---|---|
| a tree | `{"name": "docs", "children": [{"name": "a.md"}]}` | `/docs` is a folder with `a.md` |
| a fact | `{"path": "/docs", "is_dir": true}` | `/docs` is a folder |
| a flat list | `{"entries": [{"path": "/docs/a.md"}]}` | `/docs` has `a.md`, and no other file |
| | `{"paths": ["/a.md"]}`, of a search | there is `/a.md` |

A path may have several *spellings*, such as `/Docs/` and `/docs`. That of a listing counts.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.paths.listed_entries import ListedEntries
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
        self._entries = ListedEntries(self.paths, self.folders)

    def learn(self, requested_path: str, result: Mapping[str, Plain]) -> None:
        """Learn the paths in the result of a listing of `requested_path`.

        This may have the script's spelling, such as `/Docs` for `/docs`.
        """
        is_folder = result.get("is_dir")
        if isinstance(result.get("children"), list):
            is_complete = result.get("truncated") is not True
            tree = ListedTree(self.paths, self.folders, is_complete)
            # The paths in the tree begin with this one: without a `/` at its end.
            tree.learn(canonical(requested_path), result)
        elif isinstance(is_folder, bool):
            self._learn_fact(requested_path, is_folder=is_folder)
        else:
            self._entries.learn(requested_path, result)

    def _learn_fact(self, path: str, *, is_folder: bool) -> None:
        """Learn whether a path is that of a folder or of a file.

        A file is not added to the listed paths, as listings may spell its path in another way. But
        a file with a `#` is: scripts cite row 7 of `/a.csv` as `/a.csv#row=7`, which means the
        file of that name if there is one.
        """
        if is_folder:
            self.folders.paths.add(path)
        elif "#" in path:
            self.paths.add(path)
