"""Draws a tree of folders as indented lines, from the paths of its files.

A large folder takes only one line, so that the drawing stays short. If a folder with more than one
file is large, `drawn_tree(["/a.md", "/docs/b.md", "/docs/c.md"], 1)` returns

    /
      a.md
      docs/ (2: b.md ..)

The folder `docs` has 2 files, of which the first is `b.md`.
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

    A folder with more than `longest_listing` files is large. `in_full` has the folders that the
    request names: their files are listed even if they are large, unless they are far too many.
    """
    base = root.rstrip("/") + "/"
    paths_below = [file.removeprefix(base) for file in files if file.startswith(base)]
    # The request may name a folder in another case, or without a slash at its end.
    named_folders = frozenset(folder_key(folder) for folder in in_full)
    folder_lines = FolderLines(longest_listing, named_folders)
    return "\n".join(folder_lines.lines_of(TreeFolder(base, paths_below), depth=0))
