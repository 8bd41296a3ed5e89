"""Keeps the files of the folder trees that calls list.

A call may list only a part of a tree, so a folder may have files that are not listed. The
list then has an entry with a name that no real file can have: `/logs/UNLISTED`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from controlplane.agent.retrieval.tree_drawing import TreeDrawing, folder_key
from controlplane.agent.retrieval.unlisted_files import UNLISTED, is_unlisted
from controlplane.sandbox.interface import Plain, bounds


@dataclass(slots=True)
class ListedFiles:
    """The files in all folder trees that a trial has listed. `add` is called for each tree.

    A tree may be listed only in part. A path such as `/logs/UNLISTED` then says that the folder
    `/logs` may have further files. `UNLISTED` is a name that no real file can have.
    """

    files: list[str] = field(default_factory=list)
    """The paths of the files, in the order of the trees, with those that end in `UNLISTED`."""
    _roots: list[str] = field(default_factory=list)
    """The root folders of the trees, each with a slash at its end."""

    def add(self, root: str, paths: Iterable[str]) -> None:
        """Add the files below a tree's root, at most `MOST_FOLDER_FILES` of them.

        A file that another tree has listed, too, is not added again.
        """
        base = root.rstrip("/") + "/"
        self._roots.append(base)
        remaining = iter(paths)
        first_paths = islice(remaining, bounds.MOST_FOLDER_FILES)
        self.files = list(dict.fromkeys((*self.files, *first_paths)))
        has_more = next(remaining, None) is not None
        if has_more:
            self.files.append(base + UNLISTED)

    def below(self, folder: str) -> list[str] | None:
        """Return all files below a folder, sorted; None if some of them may be unknown.

        That is the case if no tree includes the folder, or if the folder, a folder above it
        or a folder below it has unlisted files.
        """
        base = folder.rstrip("/") + "/"
        if not any(base.startswith(root) for root in self._roots):
            return None
        for incomplete_folder in self._incomplete_folders():
            if base.startswith(incomplete_folder) or incomplete_folder.startswith(base):
                return None
        return sorted(path for path in self.files if path.startswith(base))

    def is_empty(self, folder: str) -> bool:
        """Return True if it is known that no file is below a folder."""
        return self.below(folder) == []

    def _incomplete_folders(self) -> Iterator[str]:
        """Yield the folders with unlisted files, each with a slash at its end."""
        for path in self.files:
            if is_unlisted(path):
                yield path.removesuffix(UNLISTED)

    def drawn(
        self, longest_listing: int, *, root: str = "/", in_full: Iterable[str] = ()
    ) -> str:
        """Return the drawing of the tree below `root`, such as:

            docs/
              rules.md
              old/ (312: 2019.md ..)

        A folder such as `old`, with more than `longest_listing` files below it,
        takes one line. For a folder named in `in_full`, up to `SHOWN_FOLDER_FILES`
        files are listed.
        """
        base = root.rstrip("/") + "/"
        files = [
            path.removeprefix(base) for path in self.files if path.startswith(base)
        ]
        full_folders = frozenset(folder_key(folder) for folder in in_full)
        tree = TreeDrawing(longest_listing, full_folders)
        return "\n".join(tree.lines_of(base, files, depth=0))


def paths_of_tree(node: Mapping[str, Plain], path: str, level: int) -> list[str]:
    """Return the paths of the files of a tree, for `ListedFiles`.

    `node` is the result of a call for `path`, such as `{"is_dir": true, "children":
    [{"name": "a.md"}]}`. It shows only `level` levels below `path`. The files of a
    folder on the last level are unlisted.
    """
    if not node.get("is_dir"):
        return [path]
    children = node.get("children", [])
    if level == 0 or not isinstance(children, list):
        return [f"{path}/{UNLISTED}"]
    paths: list[str] = []
    for child in children:
        if isinstance(child, dict):
            child_path = f"{path}/{child.get('name', '')}"
            paths += paths_of_tree(child, child_path, level - 1)
    return paths
