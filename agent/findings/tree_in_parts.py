"""Reads a tree of files that is too large for one result: folder by folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

AskListings: TypeAlias = Callable[[Sequence[tuple[str, dict[str, Any]]]], Sequence[Mapping[str, Any] | None]]
"""Makes calls of `list` and `tree`, and returns the result of each; None for one that is too large."""


def tree_in_parts(ask: AskListings, root: str) -> dict[str, Any]:
    """Return the tree below `root` as one call of `tree` gives it; a folder too large for a list has None as children.

    A folder whose tree is too large is listed, and the trees of its folders are asked for.
    """
    top: dict[str, Any] = {"name": root.rstrip("/").rsplit("/", 1)[-1] or "/", "is_dir": True, "children": None}
    large = [(root, top)]
    while large:
        below: list[tuple[str, dict[str, Any]]] = []
        listings = ask([("list", {"path": path}) for path, _ in large])
        for (_, folder), listing in zip(large, listings, strict=True):
            if listing is not None:
                children = [
                    ({"name": each["name"], "is_dir": each["is_dir"]}, each["path"]) for each in listing["entries"]
                ]
                folder["children"] = [child for child, _ in children]
                below += [(path, child) for child, path in children if child["is_dir"]]
        trees = ask([("tree", {"root": path, "level": 0}) for path, _ in below])
        for (_, folder), tree in zip(below, trees, strict=True):
            folder["children"] = tree["children"] if tree else None
        large = [found for found, tree in zip(below, trees, strict=True) if tree is None]
    return top
