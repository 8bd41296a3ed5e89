"""The files of a folder tree, of which a call may have listed only a part.

The call `tree(root="/", level=1)` shows one level of folders. Its result for a file `/a.md` and
a folder `/logs` has these paths:

    /a.md
    /logs/UNLISTED    the folder `/logs` may have files that are not listed

`UNLISTED` is a name that no real file can have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.sandbox.interface import Plain

UNLISTED: Final = "\0"
"""The name that stands for the unlisted files of a folder."""


def is_unlisted(path: str) -> bool:
    """Return True if a path stands for the unlisted files of a folder."""
    return path.endswith(UNLISTED)


def paths_of_tree(node: Mapping[str, Plain], path: str, level: int) -> list[str]:
    """Return the paths of the files of a tree, with those that stand for unlisted ones.

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
