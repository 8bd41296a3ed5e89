"""Reads a listing that is a tree of folders and files.

A call such as `tree("/docs")` returns the folder with all that is in it, down to some depth:

    {"name": "docs", "children": [
        {"name": "a.md"},
        {"name": "old", "is_dir": true}]}

It shows the paths `/docs`, `/docs/a.md` and `/docs/old`. `/docs` and `/docs/old` are folders.
Of `/docs`, all entries are listed. `/docs/old` may have entries that are too deep to be shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.paths.listed_folders import ListedFolders
from controlplane.agent.evidence.paths.listed_paths import ListedPaths
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class ListedTree:
    """Adds the paths of a tree to the listed ones."""

    paths: ListedPaths
    """Gets all paths of the tree, as many as there is room for."""
    folders: ListedFolders
    """Gets those of folders."""
    is_complete: bool
    """False if the environment has left something out, because the tree is large."""

    def learn(self, path: str, node: Mapping[str, Plain]) -> None:
        """Add the paths of the tree whose root `node` is at `path`."""
        if not self.paths.may_add(path):
            return  # There is no room for it, and so none for its children.
        self.paths.add(path)
        children = node.get("children")
        if node.get("is_dir") is True or children:
            self.folders.paths.add(path)
        if not isinstance(children, list) or not children:
            return
        if self.is_complete:
            self.folders.add_complete(path)
        for child in children:
            if not isinstance(child, dict):
                continue
            name = child.get("name")
            if isinstance(name, str):
                self.learn(canonical(f"{path}/{name}"), child)
