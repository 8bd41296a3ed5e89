"""The list of a workspace's files, which finds the file that a misspelled path means.

`//docs/./Returns.MD` means `/docs/returns.md`. For a path that means no file, a message names the
closest ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from functools import cached_property
from posixpath import normpath, splitext
from typing import Final

from controlplane.benchmarks.shop.workspace.identity import folded_id, id_of
from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader
from controlplane.gates.paths import record_id
from controlplane.sandbox.functions import CannotRead

_MAX_COMPARED_CHARS: Final = 100
"""The most characters of a name that are compared, because comparing long names is slow."""


class FileList:
    """The paths of all files. They are listed when they are first needed."""

    def __init__(self, reader: WorkspaceReader) -> None:
        self.reader = reader

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths of all files."""
        return tuple(self.reader.paths())

    @cached_property
    def path_set(self) -> frozenset[str]:
        """The same paths, to look one up quickly."""
        return frozenset(self.paths)

    def text_of(self, path: str) -> str:
        """Return the whole text of a file.

        Raises `CannotRead`, with the closest paths, if it does not exist.
        """
        try:
            return self.reader.read(path)
        except LookupError:
            msg = f"there is no file {path}; closest: {self.closest(path)}"
            raise CannotRead(msg) from None

    def spelled(self, path: str) -> str:
        """Return a path as the list of files or the declared tools spell it.

        Case, slashes and dots may differ: `//docs/./Returns.MD` -> `/docs/returns.md`.
        An unknown path is only normalized.
        """
        normal = normpath(f"/{path.lstrip('/')}")
        if normal in self.path_set or normal in self.reader.tools:
            return normal
        folded = normal.casefold()
        for known_path in (*self.reader.tools, *self.paths):
            if known_path.casefold() == folded:
                return known_path
        return normal

    def closest(self, name: str, among: Sequence[str] = ()) -> str:
        """Return the three paths with the names most like a given name, as a text for a message.

        `basket 2` -> `/proc/carts/basket_0002.json, ...`. The name may be a path. Only paths with
        the same extension count, or with `.json` if the name has none. Without any, the result
        is `none`.
        """
        extension = splitext(name)[1].casefold() or ".json"
        # The names of files are compared without folder, extension and separators: `basket0002`.
        path_by_id = {}
        for path in among or self.paths:
            if path.casefold().endswith(extension):
                path_by_id[folded_id(record_id(path))] = path
        wanted_id = folded_id(id_of(name))[:_MAX_COMPARED_CHARS]
        close_ids = get_close_matches(wanted_id, path_by_id, n=3, cutoff=0)
        return ", ".join(path_by_id[close_id] for close_id in close_ids) or "none"
