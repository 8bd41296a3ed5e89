"""Reads the tree of an environment's files, and draws it for the first message.

An environment may declare the call `tree /`, which lists all files. The drawing tells the model
which there are. A folder with many files takes one line:

    docs/
      rules.md
      old/ (312: 2019.md ..)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.initial_calls.sent_call import SentCall
from controlplane.agent.retrieval.listing.listed_files import ListedFiles
from controlplane.agent.retrieval.listing.tree_drawing import drawn_tree
from controlplane.agent.retrieval.listing.unlisted_files import paths_of_tree
from controlplane.sandbox.interface import FILE_OPERATIONS, Plain, error_codes

FIND: Final = "find"
"""The operation that finds files by their names."""
ALL_LEVELS: Final = 40
"""Stands for all levels of a tree. No real folder has as many."""


def tree_root(tree: DeclaredCall) -> str:
    """Return the folder whose tree a call lists."""
    return str(tree.arguments.get(tree.operation.subject) or "/")


def tree_levels(tree: DeclaredCall) -> int:
    """Return how many levels of folders a call lists: 2 for `tree / level=2`.

    A call without `level` has the default that its operation declares. If this is 0 or
    missing, the call lists all levels.
    """
    defaults = {
        parameter.name: parameter.default for parameter in tree.operation.parameters
    }
    levels = tree.arguments.get("level", defaults.get("level"))
    if not isinstance(levels, int) or levels == 0:
        return ALL_LEVELS
    return levels


def tree_files(sent: SentCall, calls: InitialCalls) -> list[str] | None:
    """Wait for the call that lists a tree, and return all files; None if they are unknown.

    A tree may be too large for one result. Its call then fails with `RESOURCE_EXHAUSTED`,
    and a `find` call lists the files instead.
    """
    root = tree_root(sent.declared)
    outcome = sent.call.outcome()
    if outcome.result:
        levels = tree_levels(sent.declared)
        return paths_of_tree(outcome.result, root.rstrip("/"), levels)
    error = outcome.error
    if error is not None and error.code == error_codes.RESOURCE_EXHAUSTED:
        return _found_files(root, calls)
    return None


def _found_files(root: str, calls: InitialCalls) -> list[str] | None:
    """Return all files below a folder, found by a `find` call; None if they are unknown.

    They are if the call fails, or gives only a part of them, or cannot be made: there is no
    operation `find`, or the environment has one of its own, with other arguments.
    """
    is_standard_find = calls.tool_schema.operation(FIND) in FILE_OPERATIONS
    if not is_standard_find:
        return None

    arguments: dict[str, Plain] = {
        "name": "*",
        "root": root,
        "kind": "files",
        "limit": 0,
    }
    result = calls.result(calls.send(FIND, arguments))
    paths = result.get("paths")
    if not isinstance(paths, list) or result.get("truncated"):
        return None
    return sorted(str(path) for path in paths)


def draw_tree(
    tree: DeclaredCall, listed: ListedFiles, named_folders: Iterable[str], room: int
) -> str:
    """Return the drawing of a tree, in `room` characters if possible.

    An environment may declare the `longest_listing` of a folder. A folder with more files
    takes one line, except the `named_folders`, which the request names.
    """
    root = tree_root(tree)
    longest_listing = tree.longest_listing
    if longest_listing is None:
        longest_listing = len(listed.files)  # All folders are drawn in full.
    drawing = drawn_tree(
        listed.files, longest_listing, root=root, in_full=named_folders
    )
    if len(drawing) <= room:
        return drawing
    return drawn_tree(listed.files, 0, root=root)  # Every folder takes one line.
