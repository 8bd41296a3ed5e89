"""Flat paths of records: without the folders between root and record.

Some worlds accept them: `/proc/carts/b7.json` for `/proc/carts/c1/b7.json`, where `c1` is
the customer. Ids are unique in a world, so a flat path means one record.
"""

from __future__ import annotations

from dataclasses import astuple
from functools import cached_property

from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.sandbox import FileTree, normal_path


class FlatPaths:
    """Finds records by their flat paths."""

    def __init__(self, workspace: Workspace, tree: FileTree) -> None:
        self._workspace = workspace
        self._tree = tree

    def in_full(self, path: str) -> str:
        """Return the path of a record for a flat path, and any other path unchanged."""
        tree = self._tree
        if not self._workspace.flat_paths_resolve or tree.resolve(path) is not None:
            return path
        full_path = self._records.get(normal_path(path).casefold())
        if full_path is None or tree.resolve(full_path) is None:  # It may be deleted.
            return path
        return full_path

    @cached_property
    def _records(self) -> dict[str, str]:
        """The path of each record, by its flat path in lower case."""
        records = {}
        roots = astuple(self._workspace.roots)  # the folder of each kind of record
        for root in roots:
            for path in self._workspace.files:
                if path.startswith(root + "/"):
                    name = path.rsplit("/", 1)[1]
                    records[f"{root}/{name}".casefold()] = path
        return records
