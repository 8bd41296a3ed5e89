"""The files that an initial prompt's trees show, and the drawing of such a tree."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

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
    """Their paths; `CUT` in a folder whose content no tree shows."""
    _roots: list[str] = field(default_factory=list)

    def add(self, root: str, paths: Iterable[str]) -> None:
        """Add all files of a folder, at most `MOST_NODES`."""
        base, paths = root.rstrip("/"), iter(paths)
        self._roots.append(f"{base}/")
        self.files += islice(paths, MOST_NODES)
        self.files += [f"{base}/{CUT}"] * (next(paths, None) is not None)

    def below(self, folder: str) -> list[str] | None:
        """Return all files below a folder, sorted; None if no tree shows whether these are all."""
        base = folder.rstrip("/") + "/"
        cut = [path.rstrip(CUT) for path in self.files if path.endswith(CUT)]
        if any(base.startswith(path) or path.startswith(base) for path in cut):
            return None
        is_shown = any(base.startswith(root) for root in self._roots)
        return sorted(path for path in self.files if path.startswith(base)) if is_shown else None

    def drawn(self, longest: int, *, root: str = "/", in_full: Collection[str] = ()) -> str:
        """Return the drawing: a folder with more than `longest` files is one line, with their number and the first.

        A folder that holds only folders is drawn, one line each; the folders in `in_full` are listed up to
        `MOST_LISTED`.
        """
        base, listed = root.rstrip("/") + "/", {folder.casefold().rstrip("/") for folder in in_full}
        files = [file.removeprefix(base) for file in self.files if file.startswith(base)]
        return "\n".join(_drawn(files, base, 0, longest, listed))


def paths_of_tree(node: Mapping[str, Plain], path: str, level: int) -> Iterator[str]:
    """Yield the files of a tree that shows `level` levels below `path`, as `ListedFiles` holds them."""
    children = node.get("children", [])
    if not node.get("is_dir"):
        yield path
    elif level == 0 or not isinstance(children, list):
        yield f"{path}/{CUT}"
    else:
        for child in children:
            if isinstance(child, dict):
                yield from paths_of_tree(child, f"{path}/{child.get('name', '')}", level - 1)


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
        if name != CUT:
            children.setdefault(name, []).append(rest)
    lines = [title]
    for name, below in children.items():
        is_file = below == [""]
        lines += [f"{indent}  {name}"] if is_file else _drawn(below, f"{path}{name}/", depth + 1, longest, in_full)
    return lines
