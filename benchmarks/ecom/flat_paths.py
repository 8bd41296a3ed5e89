"""Flat paths of records: without the folders between root and record.

Some worlds accept them: `/proc/carts/b7.json` for `/proc/carts/c1/b7.json`, where `c1` is
the customer. Ids are unique in a world, so a flat path means one record.
"""

from __future__ import annotations

from dataclasses import astuple
from functools import cached_property
from random import Random

from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.sandbox import FileTree, normal_path

# Calls of tools that time out in some worlds, as in a shop whose systems are slow.
#
# In a world with the share 0.02, 2 percent of the calls time out. Such a call does nothing, and
# succeeds when it is made again.


class ToolTimeouts:
    """Decides which calls time out.

    They are the same in every trial of a world, and each times out at most once.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._clock = workspace.clock
        """The time in the world, which stands still. It tells worlds apart."""
        self._share = workspace.limits.timeout_share
        self._timed_out: set[bytes] = set()
        """The calls that have timed out."""

    def times_out(self, path: str, args: list[str], stdin: str) -> bool:
        """Return True if a call times out, and record that it did."""
        text = f"{self._clock}|{path}|{args}|{stdin}"
        call = text.encode("utf-8", "surrogatepass")
        if call in self._timed_out or args == ["--help"]:
            return False
        # A number from 0 to 1, for which the call is the seed. So a trial that is run again
        # gets the same timeouts.
        draw = Random(call).random()
        if draw >= self._share:
            return False
        self._timed_out.add(call)
        return True


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
