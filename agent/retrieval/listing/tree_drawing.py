"""Draws the folders of a tree as indented lines, large folders on one line.

With at most 4 files a folder, for a request that names `/news`:

    /
      docs/                               small: its files and folders
        rules.md
        logs/ (too large to be listed)    the call that lists files has left it out
      old/ (312: 2019.md ..)              large: the number of files, and the first one
      news/                               large, but named: all files
        2031/may.md
      records/                            large, directly below the root, and only folders are in it
        loans/ (40: l-4.json ..)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.agent.retrieval.listing.tree_folder import TreeFolder
from controlplane.gates.paths import base_name
from controlplane.sandbox.interface import bounds


def drawn_tree(
    files: Iterable[str],
    longest_listing: int,
    *,
    root: str = "/",
    in_full: Iterable[str] = (),
) -> str:
    """Return the drawing of the tree below `root`. `files` has the paths of all files.

    A folder with more than `longest_listing` files is large. The folders that the request
    names are `in_full`: up to `SHOWN_FOLDER_FILES` files of each are listed.
    """
    base = root.rstrip("/") + "/"
    paths_below = [file.removeprefix(base) for file in files if file.startswith(base)]
    named_folders = frozenset(_folder_key(folder) for folder in in_full)
    drawing = _TreeDrawing(longest_listing, named_folders)
    return "\n".join(drawing.lines_of(TreeFolder(base, paths_below), depth=0))


@dataclass(frozen=True, slots=True)
class _TreeDrawing:
    longest_listing: int
    named_folders: frozenset[str]  # by `_folder_key`

    def lines_of(self, folder: TreeFolder, depth: int) -> list[str]:
        """Return the lines of a folder, `depth` levels below the root."""
        indent = "  " * depth
        title = f"{indent}{base_name(folder.path)}/"
        if folder.is_unlisted:
            return [f"{title} (too large to be listed)"]
        files = folder.listed_files()
        if depth == 0 or len(files) <= self.longest_listing:
            return [title, *self._lines_in(folder, depth)]

        # The folder is large.
        is_named = _folder_key(folder.path) in self.named_folders
        if is_named and len(files) <= bounds.SHOWN_FOLDER_FILES:
            return [title, *(f"{indent}  {file}" for file in files)]
        # `/records` may only have `loans/` and `cards/`: each kind of records gets a line.
        has_only_folders = all("/" in file for file in files)
        if depth == 1 and has_only_folders:
            return [title, *self._lines_in(folder, depth)]
        # Some of its folders may be too large to be listed, so their files are not counted.
        has_unlisted = len(files) < len(folder.paths_below)
        or_more = " or more" if has_unlisted else ""
        return [f"{title} ({len(files)}{or_more}: {files[0]} ..)"]

    def _lines_in(self, folder: TreeFolder, depth: int) -> list[str]:
        """Return a line for each file directly in a folder, and the lines of its folders."""
        indent = "  " * (depth + 1)
        lines: list[str] = []
        for name, subfolder in folder.children().items():
            if subfolder is None:
                lines.append(f"{indent}{name}")
            else:
                lines += self.lines_of(subfolder, depth + 1)
        return lines


def _folder_key(folder: str) -> str:
    """Return a key of a folder that ignores case and a slash at its end."""
    return folder.casefold().rstrip("/")
