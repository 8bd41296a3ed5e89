"""Draws a tree of files with its long folders on one line each, and lists the files that it holds."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from sandbox.interface import Plain

MOST_NODES: Final = 50_000
DEEPEST: Final = 40
MOST_LISTED: Final = 60
"""Files of a folder that is to be listed in full."""


def files_below(tree: Mapping[str, Plain], root: str = "/") -> list[str]:
    """Return the paths of all files of a tree, in its order; at most `MOST_NODES` nodes are looked at."""
    files: list[str] = []
    left: list[tuple[str, Mapping[str, Plain], int]] = [(root.rstrip("/"), tree, 0)]
    for _ in range(MOST_NODES):
        if not left:
            break
        path, node, depth = left.pop()
        if not node.get("is_dir"):
            files.append(path)
        elif depth < DEEPEST:
            left += [(f"{path}/{_name(each)}", each, depth + 1) for each in reversed(children_of(node))]
    return files


def collapsed_tree(tree: Mapping[str, Plain], longest: int, *, root: str = "/", in_full: Collection[str] = ()) -> str:
    """Return the drawing: a folder with more than `longest` files is one line, with their number, first and last.

    A folder that holds nothing but folders is drawn, one line each; those `in_full` are listed up to `MOST_LISTED`.
    """
    listed = {each.casefold().rstrip("/") for each in in_full}
    return "\n".join(_lines(tree, root.rstrip("/"), 0, longest, listed))


def _lines(node: Mapping[str, Plain], path: str, depth: int, longest: int, in_full: Collection[str]) -> list[str]:
    indent, name = "  " * depth, _name(node)
    if not node.get("is_dir"):
        return [indent + name]
    title = indent + (name if name == "/" else f"{name}/")
    if node.get("children", ()) is None:
        return [f"{title} (too large to be listed)"]
    children = children_of(node)
    files = [each.removeprefix(f"{path}/") for each in files_below(node, path)] if depth else []
    if path.casefold() in in_full and longest < len(files) <= MOST_LISTED:
        return [title, *(f"{indent}  {each}" for each in files)]
    holds_records = depth > 1 or any(not each.get("is_dir") for each in children)
    if (len(files) > longest and holds_records) or depth >= DEEPEST:
        between = f": {files[0]} … {files[-1]}" if files else ""
        return [f"{title} ({len(files)} files{between})"]
    lines = [title]
    for each in children:
        lines += _lines(each, f"{path}/{_name(each)}", depth + 1, longest, in_full)
    return lines


def children_of(node: Mapping[str, Plain]) -> Sequence[Mapping[str, Plain]]:
    """Return what a folder of a tree holds, as far as the tree shows it."""
    children = node.get("children")
    return [each for each in children if isinstance(each, dict)] if isinstance(children, list) else []


def _name(node: Mapping[str, Plain]) -> str:
    return str(node.get("name", ""))
