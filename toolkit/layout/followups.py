"""What a listing invites to open: its documents, and the help of its tools."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

_DOCUMENT: Final = ".md"


def followup_reads(tree: Mapping[str, Any], root: str, *, opened: Collection[str] = ()) -> list[str]:
    """Return the documents of a tree, in its order, without those that were opened. `root` is the tree's own path."""
    return [path for path in _files(tree, root) if path.casefold().endswith(_DOCUMENT) and path not in opened]


def followup_helps(
    tree: Mapping[str, Any], root: str, *, tools: Collection[str] | None = None, helped: Collection[str] = ()
) -> list[str]:
    """Return the tools of a tree whose help was not asked for.

    `tools` are those that the workspace declares; None if it declares none: then files without an extension are.
    """
    found = (path for path in _files(tree, root) if path not in helped)
    return [path for path in found if (path in tools if tools is not None else "." not in path.rsplit("/", 1)[-1])]


def _files(node: Mapping[str, Any], path: str) -> Iterator[str]:
    children = node.get("children")
    if not children:
        return
    for child in children:
        below = f"{path.rstrip('/')}/{child['name']}"
        if child.get("children") or child.get("is_dir"):
            yield from _files(child, below)
        else:
            yield below
