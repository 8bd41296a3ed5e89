"""Draws the tree of an environment's files for the first message, in the room that is left.

The drawing tells the model which files there are. A folder with many files takes one line. The
tree of `/docs`, with the declared `longest_listing` 4, if the request does not name `/docs/old`:

    docs/
      rules.md
      old/ (312: 2019.md ..)
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.agent.loop.initial_prompt.listings.tree_files import tree_root
from controlplane.agent.retrieval.listing.listed_files import ListedFiles
from controlplane.agent.retrieval.listing.tree_drawing import drawn_tree


def drawing_of(
    tree: DeclaredCall, listed: ListedFiles, named_folders: Iterable[str], room: int
) -> str:
    """Return the drawing of a tree, in `room` characters if possible.

    `tree` is the declared call that lists it. The `named_folders` are drawn in full.
    """
    root = tree_root(tree)
    longest_listing = tree.longest_listing  # A folder with more files takes one line.
    if longest_listing is None:
        longest_listing = len(listed.files)
    drawing = drawn_tree(
        listed.files, longest_listing, root=root, in_full=named_folders
    )
    if len(drawing) <= room:
        return drawing
    return drawn_tree(listed.files, 0, root=root)  # Every folder takes one line.
