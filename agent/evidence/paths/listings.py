"""Reads the listings of a trial: which paths they show, and which of these are folders.

A listing is the result of a call such as `harness.list("/docs")`. It has one of three forms:

- a tree: `{"name": "docs", "is_dir": true, "children": [{"name": "a.md"}]}`
- facts on one path: `{"path": "/docs", "is_dir": true}`
- flat lists: `{"entries": [{"path": "/docs/a.md", "is_dir": false}]}`, `{"paths": ["/a.md"]}`
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.paths.listed_paths import ListedFolders, ListedPaths
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Plain


class Listings:
    """The paths that the listings of one trial have shown, and which of these are folders.

    A listing is the result of a call such as `list("/docs")`. `learn` adds one of any form.
    """

    def __init__(self) -> None:
        self.paths = ListedPaths()
        """All listed paths of files and folders. There is room for a limited number."""
        self.folders = ListedFolders()
        """Those that are folders, and which of these are complete: all their entries were
        listed."""

    def learn(self, requested_path: str, result: Mapping[str, Plain]) -> None:
        """Learn the paths in the result of a listing of `requested_path`."""
        is_folder = result.get("is_dir")
        is_complete = result.get("truncated") is not True
        if isinstance(result.get("children"), list):
            # A tree: `{"name": "docs", "is_dir": true, "children": [{"name": "a.md"}]}`
            root = canonical(requested_path)
            self._learn_tree(root, result, is_complete=is_complete)
        elif isinstance(is_folder, bool):
            # Facts on one path: `{"path": "/docs", "is_dir": true}`
            self._learn_facts(requested_path, is_folder=is_folder)
        else:
            # Flat lists: `{"entries": [{"path": "/docs/a.md"}]}`, `{"paths": ["/a.md"]}`
            self._learn_lists(result)
            if is_complete and "entries" in result:
                self._learn_complete_folder(requested_path)

    def _learn_tree(
        self, path: str, node: Mapping[str, Plain], *, is_complete: bool
    ) -> None:
        """Learn the paths of a tree whose root `node` is at `path`.

        A folder is complete if all its entries were listed. In a complete tree, this is true
        for every folder with `children`. A folder without them may be so deep in the tree that
        its entries are not shown.
        """
        if not self.paths.may_add(path):
            return  # There is no room for it, and so none for its children.
        self.paths.add(path)
        children = node.get("children")
        if node.get("is_dir") is True or children:
            self.folders.paths.add(path)
        if not isinstance(children, list) or not children:
            return
        if is_complete:
            self.folders.add_complete(path)
        for child in children:
            if not isinstance(child, dict):
                continue
            name = child.get("name")
            if isinstance(name, str):
                child_path = canonical(f"{path}/{name}")
                self._learn_tree(child_path, child, is_complete=is_complete)

    def _learn_facts(self, path: str, *, is_folder: bool) -> None:
        """Learn from a result about one path that it is a folder or a file.

        A file is not added to the listed paths, because `path` is as the script spelled it:
        listings may spell the same file in another way.
        """
        if is_folder:
            self.folders.paths.add(path)
        elif "#" in path:
            # An exception: once it is known that there is a file `/a.csv#row=7`, a citation of
            # this path no longer means row 7 of `/a.csv`.
            self.paths.add(path)

    def _learn_lists(self, result: Mapping[str, Plain]) -> None:
        """Learn the paths in the lists of a result."""
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

    def _learn_complete_folder(self, path: str) -> None:
        """Learn that a listing had all entries of the folder at a path, as a script spelled it."""
        self.folders.paths.add(self.paths.spelling_of(path))
        if self.paths.may_add(path):
            self.folders.add_complete(path)
