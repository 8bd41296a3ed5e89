"""Lists all files of a folder by a call of `find`, for a tree that is too large for one result.

A call of `tree` then fails with `RESOURCE_EXHAUSTED`. `find` returns less: only paths.

    find("*", root="/", kind="files", limit=0)   -> ["/a.md", "/docs/b.md", ...]
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.sandbox.interface import FILE_OPERATIONS, Plain

FIND: Final = "find"
"""The operation that finds files by their names."""


def found_files(root: str, calls: InitialCalls) -> list[str] | None:
    """Return all files below a folder, found by a `find` call; None if they are unknown.

    They are unknown if the call fails, or gives only a part of them, or cannot be made.
    """
    # An environment may have a `find` of its own, with other arguments.
    is_standard_find = calls.tool_schema.operation(FIND) in FILE_OPERATIONS
    if not is_standard_find:
        return None

    arguments: dict[str, Plain] = {
        "name": "*",
        "root": root,
        "kind": "files",
        "limit": 0,
    }
    result = calls.send(FIND, arguments).result()
    paths = result.get("paths")
    if not isinstance(paths, list) or result.get("truncated"):
        return None
    return sorted(str(path) for path in paths)
