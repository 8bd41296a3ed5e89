"""Finds out whether a tree of files that the platform has cut off lacks what was requested.

The platform marks a tree as truncated even if it only lacks levels that nobody requested:
`tree("/", level=1)` of `/docs/a.md` is the folder `docs` alone, and complete.
"""

from __future__ import annotations

from controlplane.sandbox.interface import Plain


def lacks_requested_levels(root: Plain, requested_levels: Plain) -> bool:
    """Return True if a truncated tree has fewer levels than requested.

    `{"name": "/", "children": [{"name": "docs"}]}` has one level.
    """
    requests_all = not requested_levels  # 0 or missing
    if requests_all:
        return True
    return isinstance(requested_levels, int) and _depth(root) < requested_levels


def _depth(root: Plain) -> int:
    """Return the number of levels below the root of a tree."""
    depth = 0
    level = _children(root)
    while level:
        depth += 1
        next_level: list[Plain] = []
        for node in level:
            next_level += _children(node)
        level = next_level
    return depth


def _children(node: Plain) -> list[Plain]:
    """Return the nodes below a node. A malformed node has none."""
    if not isinstance(node, dict):
        return []
    children = node.get("children")
    return children if isinstance(children, list) else []
