"""Reads the paths in the result of a listing, which has one of three forms.

- a tree: `{"name": "docs", "is_dir": true, "children": [{"name": "a.md"}]}`
- facts on one path: `{"path": "/docs", "is_dir": true}`
- flat lists: `{"entries": [{"path": "/docs/a.md", "is_dir": false}]}`, `{"paths": ["/a.md"]}`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class ListedEntry:
    """One path that a listing shows."""

    path: str
    """As the listing spells it. It may be any text."""
    is_folder: bool = False
    has_all_children: bool = False
    """True for a folder of which the listing shows all entries."""


def is_tree(result: Mapping[str, Plain]) -> bool:
    """Return True if a listing is a tree of folders and files."""
    return isinstance(result.get("children"), list)


def is_complete(result: Mapping[str, Plain]) -> bool:
    """Return True if a listing has all that was asked for."""
    return result.get("truncated") is not True


def tree_entries(
    path: str,
    node: Mapping[str, Plain],
    *,
    is_complete: bool,
    may_add: Callable[[str], bool],
) -> Iterator[ListedEntry]:
    """Yield the paths of a tree, whose root `node` is at `path`.

    In a complete tree, every folder with `children` has all of them. A folder
    without them is empty, or so deep that they are not shown. A path for which `may_add`
    returns False is left out, and so is everything below it.
    """
    if not may_add(path):
        return
    children = node.get("children")
    is_folder = node.get("is_dir") is True or bool(children)
    if not isinstance(children, list) or not children:
        yield ListedEntry(path, is_folder)
        return
    yield ListedEntry(path, is_folder, has_all_children=is_complete)
    for child in children:
        name = child.get("name") if isinstance(child, dict) else None
        if isinstance(child, dict) and isinstance(name, str):
            child_path = canonical(f"{path}/{name}")
            yield from tree_entries(
                child_path, child, is_complete=is_complete, may_add=may_add
            )


def list_entries(result: Mapping[str, Plain]) -> Iterator[ListedEntry]:
    """Yield the paths in the lists of a result."""
    for items in result.values():
        if not isinstance(items, list):
            continue
        for item in items:
            if isinstance(item, str):
                yield ListedEntry(item)
                continue
            path = item.get("path") if isinstance(item, dict) else None
            if isinstance(item, dict) and isinstance(path, str):
                yield ListedEntry(path, is_folder=item.get("is_dir") is True)
