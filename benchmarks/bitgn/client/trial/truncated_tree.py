"""Finds out whether a tree that the platform has cut off is complete enough.

The platform marks a tree as truncated also if it only lacks levels that were not
requested. Such a tree is complete.
"""

from __future__ import annotations

from typing import Final

from controlplane.sandbox.interface import CallError, Plain, error_codes

TOO_LARGE: Final = "the tree is too large for one reply; list its folders one by one"


def check_depth(root: Plain, requested_levels: Plain) -> None:
    """Raise `CallError` if a truncated tree lacks some of the requested levels."""
    requests_all = not requested_levels  # 0 or missing
    is_too_shallow = (
        isinstance(requested_levels, int) and _depth(root) < requested_levels
    )
    if requests_all or is_too_shallow:
        raise CallError(error_codes.RESOURCE_EXHAUSTED, TOO_LARGE)


def _depth(root: Plain) -> int:
    """Return the number of levels below the root of a tree. A node is `{"children": [...]}`."""
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
