"""Reads the tree of an environment's files, and draws it for the first message.

The drawing tells the model which files there are:

    docs/
      rules.md
      old/ (312: 2019.md ..)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controlplane.agent.initial_calls.declared_calls import DeclaredCall, SentCall
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.retrieval.listed_files import ListedFiles, paths_of_tree
from controlplane.sandbox.interface import FILE_OPERATIONS, Plain, error_codes

FIND: Final = "find"
"""The operation that lists files by their names."""
TREE_LEVELS: Final = 40
"""Stands for "all levels" of a tree: deeper than any real folder."""


def tree_root(tree: DeclaredCall) -> str:
    """Return the folder whose tree a call lists."""
    return str(tree.arguments.get(tree.operation.subject) or "/")


def tree_files(tree: SentCall, calls: InitialCalls) -> list[str] | None:
    """Return all files of a tree; None if they cannot be known.

    A tree may be too large for one result. Its call then fails with `RESOURCE_EXHAUSTED`,
    and a `find` call lists the files instead. If that fails or is cut, return None.
    """
    root = tree_root(tree.declared)
    outcome = tree.call.outcome()
    if outcome.result:
        levels = tree.declared.arguments.get("level")
        if not isinstance(levels, int) or levels == 0:
            # Without `level`, or with 0, the call lists all levels.
            levels = TREE_LEVELS
        return paths_of_tree(outcome.result, root.rstrip("/"), levels)

    error = outcome.error
    if error is not None and error.code == error_codes.RESOURCE_EXHAUSTED:
        return _found_files(root, calls)
    return None


def _found_files(root: str, calls: InitialCalls) -> list[str] | None:
    """Return all files below a folder by a `find` call; None if it cuts its result."""
    find = calls.tool_schema.operation(FIND)
    is_standard_find = find in FILE_OPERATIONS
    if not is_standard_find:
        return None  # A `find` of the environment's own may have other arguments, or be missing.

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
    """Return the drawing of a tree in about `room` characters.

    Folders with many files are shortened, except the named ones.
    """
    root = tree_root(tree)
    longest = tree.call.longest_listing
    if longest is None:
        longest = len(listed.files)  # Every folder is drawn with all of its files.
    drawing = listed.drawn(longest, root=root, in_full=named_folders)
    if len(drawing) <= room:
        return drawing
    return listed.drawn(0, root=root)  # Each folder takes one line.
