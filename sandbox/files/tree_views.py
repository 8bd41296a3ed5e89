"""What a tree of files contains: its paths, without the texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from itertools import islice
from typing import Final

from controlplane.sandbox.files.directory_index import Entry, tree_node
from controlplane.sandbox.files.file_paths import (
    base_name,
    check_glob,
    content_type,
)
from controlplane.sandbox.files.tree_paths import TreePaths
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import INVALID_ARGUMENT, CallError
from controlplane.sandbox.interface.plain_data import Plain

KINDS: Final = ("all", "files", "dirs")


class TreeViews:
    """The operations by which a script sees the paths of a tree, without the texts.

    `harness.list("/docs")` calls `list`. All methods raise `CallError`, for example if the
    path does not exist.
    """

    def __init__(self, paths: TreePaths, writable: Callable[[str], bool]) -> None:
        """`writable(path)` says whether a path may be written or deleted."""
        self._paths = paths
        self._writable = writable

    def stat(self, path: str) -> dict[str, Plain]:
        """Return what a path is, as in `{"path": "/docs/a.md", "is_dir": False, ...}`.

        The content type, such as `text/markdown`, is empty for a directory.
        """
        resolved = self._paths.existing(path)
        is_dir = self._paths.is_dir(resolved)
        return {
            "path": resolved,
            "is_dir": is_dir,
            "content_type": "" if is_dir else content_type(resolved),
            "writable": self._writable(resolved),
        }

    def list(self, path: str = "/") -> dict[str, Plain]:
        """Return the entries of a directory, sorted by name. Raises `CallError` for a file.

        Each entry is a mapping: `{"name": "a.md", "path": "/docs/a.md", "is_dir": False}`.
        """
        resolved = self._paths.existing(path)
        if not self._paths.is_dir(resolved):
            raise CallError(INVALID_ARGUMENT, f"{resolved} is a file, not a directory")
        entries = self._paths.index.entries_in(resolved)
        return {"entries": [_shown_entry(entry) for entry in entries]}

    def tree(self, root: str = "/", level: int = 2) -> dict[str, Plain]:
        """Return a file or directory with everything below it, `level` directories deep (0: all).

        Each node has its `name`, `is_dir` and `children`.
        """
        if level < 0:
            msg = f"level {level} is negative; 0 means all levels"
            raise CallError(INVALID_ARGUMENT, msg)
        # No tree has more levels than this, so it means all of them.
        levels = level or bounds.MOST_FOLDER_LEVELS + 1
        return tree_node(self._paths.index, self._paths.existing(root), levels)

    def find(
        self, name: str, root: str = "/", kind: str = "all", limit: int = 10
    ) -> dict[str, Plain]:
        """Return the paths below `root` whose name matches the glob `name`, such as `*.md`.

        The result is `{"paths": ["/docs/a.md"], "truncated": False}`: at most `limit` paths
        (0: all), and whether there are more. `kind` is `all`, `files` or `dirs`. An empty
        glob matches every name.
        """
        if kind not in KINDS:
            msg = f"kind {kind!r} is not one of {', '.join(KINDS)}"
            raise CallError(INVALID_ARGUMENT, msg)
        check_glob(name)
        found = self._found_paths(name or "*", self._paths.existing(root), kind)
        if limit <= 0:
            return {"paths": [*found], "truncated": False}
        first_paths = [*islice(found, limit)]
        has_more = next(found, None) is not None
        return {"paths": [*first_paths], "truncated": has_more}

    def _found_paths(self, glob: str, root: str, kind: str) -> Iterator[str]:
        """Yield the paths below `root` that have the kind, and a name that matches the glob."""
        folded = self._paths.folded  # In lower case, if the tree ignores case.
        folded_glob = folded(glob)
        for entry in self._paths.index.below(root):
            if not _has_kind(entry, kind):
                continue
            if fnmatchcase(folded(base_name(entry.path)), folded_glob):
                yield entry.path


def _has_kind(entry: Entry, kind: str) -> bool:
    """Return True if an entry has one of the `KINDS`: `all`, `files` or `dirs`."""
    match kind:
        case "files":
            return not entry.is_dir
        case "dirs":
            return entry.is_dir
        case _:
            return True


def _shown_entry(entry: Entry) -> dict[str, Plain]:
    """Return an entry of a directory as `list` shows it to a script."""
    return {
        "name": base_name(entry.path),
        "path": entry.path,
        "is_dir": entry.is_dir,
    }
