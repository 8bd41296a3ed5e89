"""The files that an initial prompt's trees show, the drawing of such a tree, and the files that a text names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agent.first_message.ranking import BETWEEN_NAMES
from sandbox.interface import Plain

MOST_NODES: Final = 50_000
DEEPEST: Final = 40
MOST_LISTED: Final = 60
"""Max files of a folder that is to be listed in full."""


def collapsed_tree(tree: Mapping[str, Plain], longest: int, *, root: str = "/", in_full: Collection[str] = ()) -> str:
    """Return the drawing: a folder with more than `longest` files is one line, with their number and the first.

    A folder that holds only folders is drawn, one line each; the folders in `in_full` are listed up to `MOST_LISTED`.
    """
    listed = {folder.casefold().rstrip("/") for folder in in_full}
    return "\n".join(_drawn(tree, root.rstrip("/"), 0, longest, listed)[0])


def _drawn(
    node: Mapping[str, Plain], path: str, depth: int, longest: int, in_full: Collection[str]
) -> tuple[list[str], list[str], bool]:
    """Return a node's lines, the files below it, and whether a folder below is too large to be listed."""
    indent, name = "  " * depth, _node_name(node)
    if not node.get("is_dir"):
        return [indent + name], [path], False
    title = indent + (name if name == "/" else f"{name}/")
    if node.get("children", ()) is None:
        return [f"{title} (too large to be listed)"], [], True
    children = children_of(node) if depth < DEEPEST else ()
    lines, files, is_cut = [title], list[str](), depth >= DEEPEST
    for child in children:
        below, files_there, is_cut_there = _drawn(child, f"{path}/{_node_name(child)}", depth + 1, longest, in_full)
        lines += below
        files += files_there
        is_cut |= is_cut_there
    start, holds_records = len(path) + 1, depth > 1 or any(not child.get("is_dir") for child in children)
    if depth and path.casefold() in in_full and longest < len(files) <= MOST_LISTED:
        lines = [title, *(f"{indent}  {file[start:]}" for file in files)]
    elif (depth and len(files) > longest and holds_records) or depth >= DEEPEST:
        example = f": {files[0][start:]} .." if files else ""
        lines = [f"{title} ({len(files)}{' or more' if is_cut else ''}{example})"]
    return lines, files, is_cut


def children_of(node: Mapping[str, Plain]) -> Sequence[Mapping[str, Plain]]:
    """Return the children of a folder of a tree, as far as the tree shows them."""
    children = node.get("children")
    return [child for child in children if isinstance(child, dict)] if isinstance(children, list) else []


def _node_name(node: Mapping[str, Plain]) -> str:
    return str(node.get("name", ""))


@dataclass(slots=True)
class ListedFiles:
    """The files that trees show, in the order of the trees."""

    files: list[str] = field(default_factory=list)
    _roots: list[str] = field(default_factory=list)
    _cut: list[str] = field(default_factory=list)
    """The folders, with a slash behind them, whose content no tree shows."""

    def add(self, root: str, level: int, tree: Mapping[str, Plain]) -> None:
        """Add the files of a tree that shows `level` levels; 0: all. At most `MOST_NODES` nodes are looked at."""
        base = root.rstrip("/")
        self._roots.append(f"{base}/")
        left: list[tuple[str, Mapping[str, Plain], int]] = [(base, tree, 0)]
        for _ in range(MOST_NODES):
            if not left:
                return
            path, node, depth = left.pop()
            if not node.get("is_dir"):
                self.files.append(path)
            elif node.get("children", ()) is None or depth >= (level or DEEPEST):
                self._cut.append(f"{path}/")
            else:
                left += [(f"{path}/{_node_name(child)}", child, depth + 1) for child in reversed(children_of(node))]
        self._cut += [f"{path}/" for path, _, _ in left]

    def below(self, folder: str) -> list[str] | None:
        """Return all files below a folder, sorted; None if no tree shows whether these are all."""
        base = folder.rstrip("/") + "/"
        if not any(base.startswith(root) for root in self._roots):
            return None
        if any(base.startswith(cut) or cut.startswith(base) for cut in self._cut):
            return None
        return sorted(path for path in self.files if path.startswith(base))


def tree_of_paths(paths: Iterable[str], root: str = "/") -> dict[str, Plain]:
    """Return the tree of a folder that holds just these files."""
    tree: dict[str, Plain] = {"name": root.rpartition("/")[2] or "/", "is_dir": True, "children": []}
    folders = {root.rstrip("/"): tree}

    def folder(path: str) -> dict[str, Plain]:
        if path not in folders:
            above, _, name = path.rpartition("/")
            folders[path] = {"name": name, "is_dir": True, "children": []}
            _children(folder(above)).append(folders[path])
        return folders[path]

    for path in sorted(paths):
        above, _, name = path.rpartition("/")
        _children(folder(above)).append({"name": name, "is_dir": False})
    return tree


def _children(folder: dict[str, Plain]) -> list[Plain]:
    children = folder["children"]
    assert isinstance(children, list)
    return children


class NameIndex:
    """Files by path, and those below some folders by name and kind: the folder directly below such a root."""

    def __init__(self, files: Iterable[str], roots: Sequence[str]) -> None:
        bases = tuple(root.rstrip("/") + "/" for root in roots)
        self.kind_of: dict[str, str] = {}
        self._named: dict[str, list[str]] = defaultdict(list)
        for path in files:
            self._named[path.casefold()].append(path)
            if path.startswith(bases):
                base = next(base for base in bases if path.startswith(base))
                folder, is_below, _ = path.removeprefix(base).partition("/")
                self.kind_of[path] = base + folder if is_below else base
                self._named[_folded(path.rpartition("/")[2].partition(".")[0])].append(path)

    def named_in(self, text: str) -> list[str]:
        """Return the files whose path or name, as an exact id, is in `text`, in the order of the text."""
        files: dict[str, None] = {}
        for token in text[:100_000].translate(BETWEEN_NAMES).split():
            word = token.strip(".-_").casefold()
            files.update(dict.fromkeys(self._named.get(word) or self._named.get(_folded(word.strip("/"))) or ()))
        return [*files]

    def in_turn(self, paths: Iterable[str]) -> list[str]:
        """Return the files ordered so that the first of each kind come before the second of each."""
        seen, turns = defaultdict[str, int](int), dict[str, int]()
        for path in dict.fromkeys(paths):
            kind = self.kind_of.get(path, path)
            turns[path] = seen[kind]
            seen[kind] += 1
        return sorted(turns, key=lambda path: turns[path])


def _folded(name: str) -> str:
    return name.casefold().replace("_", "-")
