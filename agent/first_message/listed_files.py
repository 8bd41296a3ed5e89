"""The files that an initial prompt's trees show, the drawing of such a tree, and the files that a text names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agent.first_message.ranking import BETWEEN_NAMES
from sandbox.interface import Plain

MOST_NODES: Final = 50_000
CUT: Final = "\0"
"""Stands for the files of a folder whose content no tree shows."""
MOST_LISTED: Final = 60
"""Max files of a folder that is to be listed in full."""


@dataclass(slots=True)
class ListedFiles:
    """The files that trees show, in the order of the trees, and the drawing of such a tree."""

    files: list[str] = field(default_factory=list)
    _roots: list[str] = field(default_factory=list)
    _cut: list[str] = field(default_factory=list)
    """The folders, with a slash behind them, whose content no tree shows."""

    def add(self, root: str, level: int, tree: Mapping[str, Plain]) -> None:
        """Add the files of a tree that shows `level` levels; 0: all. At most `MOST_NODES` nodes are looked at."""
        base = self._add_root(root)
        left: list[tuple[str, Mapping[str, Plain], int]] = [(base, tree, 0)]
        for _ in range(MOST_NODES):
            if not left:
                return
            path, node, depth = left.pop()
            if not node.get("is_dir"):
                self.files.append(path)
            elif not isinstance(children := node.get("children", []), list) or depth >= (level or 40):
                self._cut.append(f"{path}/")
            else:
                folders = [child for child in reversed(children) if isinstance(child, dict)]
                left += [(f"{path}/{child.get('name', '')}", child, depth + 1) for child in folders]
        self._cut += [f"{path}/" for path, _, _ in left]

    def add_paths(self, root: str, paths: Iterable[str]) -> None:
        """Add all files of a folder."""
        self._add_root(root)
        self.files += sorted(paths)

    def _add_root(self, root: str) -> str:
        base = root.rstrip("/")
        self._roots.append(f"{base}/")
        return base

    def below(self, folder: str) -> list[str] | None:
        """Return all files below a folder, sorted; None if no tree shows whether these are all."""
        base = folder.rstrip("/") + "/"
        if not any(base.startswith(root) for root in self._roots):
            return None
        if any(base.startswith(cut) or cut.startswith(base) for cut in self._cut):
            return None
        return sorted(path for path in self.files if path.startswith(base))

    def drawn(self, longest: int, *, root: str = "/", in_full: Collection[str] = ()) -> str:
        """Return the drawing: a folder with more than `longest` files is one line, with their number and the first.

        A folder that holds only folders is drawn, one line each; the folders in `in_full` are listed up to
        `MOST_LISTED`.
        """
        base, listed = root.rstrip("/") + "/", {folder.casefold().rstrip("/") for folder in in_full}
        files = [file.removeprefix(base) for file in self.files if file.startswith(base)]
        cut = [f"{folder.removeprefix(base)}{CUT}" for folder in self._cut if folder.startswith(base)]
        return "\n".join(_drawn([*files, *cut], base, 0, longest, listed))


def _drawn(files: Sequence[str], path: str, depth: int, longest: int, in_full: Collection[str]) -> list[str]:
    """Return the lines of a folder, whose files are relative to its path."""
    indent, whole = "  " * depth, [file for file in files if not file.endswith(CUT)]
    title = indent + (path[path.rstrip("/").rfind("/") + 1 :] if len(path) > 1 else path)
    if list(files) == [CUT]:
        return [f"{title} (too large to be listed)"]
    is_long = bool(depth) and len(whole) > longest
    if is_long and path.casefold().rstrip("/") in in_full and len(whole) <= MOST_LISTED:
        return [title, *(f"{indent}  {file}" for file in whole)]
    if is_long and (depth > 1 or any("/" not in file for file in whole)):
        or_more = " or more" if len(whole) < len(files) else ""
        return [f"{title} ({len(whole)}{or_more}: {whole[0]} ..)"]
    children: dict[str, list[str]] = {}
    for file in files:
        name, _, rest = file.partition("/")
        children.setdefault(name, []).append(rest)
    lines = [title]
    for name, below in children.items():
        is_file = below == [""]
        lines += [f"{indent}  {name}"] if is_file else _drawn(below, f"{path}{name}/", depth + 1, longest, in_full)
    return lines


class NameIndex:
    """Files by path, and those below some folders by name and kind: the folder directly below such a root."""

    def __init__(self, files: Iterable[str], roots: Sequence[str]) -> None:
        bases = tuple(root.rstrip("/") + "/" for root in roots)
        self.kind_of: dict[str, str] = {}
        self._named: dict[str, list[str]] = defaultdict(list)
        for path in files:
            self._named[path.casefold()].append(path)
            if base := next((base for base in bases if path.startswith(base)), ""):
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
