"""Draws a tree of folders as indented lines, from the paths of its files.

With at most one file a folder, `drawn_tree(["/a.md", "/docs/b.md", "/docs/c.md"], 1)` returns

    /
      a.md
      docs/ (2: b.md ..)
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.retrieval.listing.folder_lines import FolderLines, folder_key
from controlplane.agent.retrieval.listing.tree_folder import TreeFolder


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
    named_folders = frozenset(folder_key(folder) for folder in in_full)
    folder_lines = FolderLines(longest_listing, named_folders)
    return "\n".join(folder_lines.lines_of(TreeFolder(base, paths_below), depth=0))
