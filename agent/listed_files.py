"""The files that trees show, and the drawing of such a tree."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from controlplane.sandbox.interface import Plain, bounds

CUT: Final = "\0"
"""Stands for the files of a folder whose content no tree shows."""


@dataclass(slots=True)
class ListedFiles:
    """The files that trees show, in the order of the trees."""

    files: list[str] = field(default_factory=list)
    """Their paths; `CUT` in a folder whose content no tree shows."""
    _roots: list[str] = field(default_factory=list)

    def add(self, root: str, paths: Iterable[str]) -> None:
        """Add all files of a folder, at most `MOST_FOLDER_FILES`."""
        base = root.rstrip("/")
        self._roots.append(f"{base}/")
        remaining = iter(paths)
        self.files += islice(remaining, bounds.MOST_FOLDER_FILES)
        has_more = next(remaining, None) is not None
        if has_more:
            self.files.append(f"{base}/{CUT}")

    def below(self, folder: str) -> list[str] | None:
        """Return all files below a folder, sorted; None if no tree shows whether these are all."""
        base = folder.rstrip("/") + "/"
        for path in self.files:
            cut_folder = path.rstrip(CUT)
            is_cut = path.endswith(CUT)
            if is_cut and (base.startswith(cut_folder) or cut_folder.startswith(base)):
                return None
        if not any(base.startswith(root) for root in self._roots):
            return None
        return sorted(path for path in self.files if path.startswith(base))

    def drawn(self, longest: int, *, root: str = "/", in_full: Collection[str] = ()) -> str:
        """Return the drawing: a folder with more than `longest` files is one line, with their number and the first.

        A folder that holds only folders is drawn, one line each; the folders in `in_full` are listed up to
        `SHOWN_FOLDER_FILES`.
        """
        base = root.rstrip("/") + "/"
        files = [file.removeprefix(base) for file in self.files if file.startswith(base)]
        listed = {folder.casefold().rstrip("/") for folder in in_full}
        return "\n".join(_drawn(files, base, 0, longest, listed))


def paths_of_tree(node: Mapping[str, Plain], path: str, level: int) -> list[str]:
    """Return the files of a tree that shows `level` levels below `path`, as `ListedFiles` holds them."""
    children = node.get("children", [])
    if not node.get("is_dir"):
        return [path]
    if level == 0 or not isinstance(children, list):
        return [f"{path}/{CUT}"]
    paths: list[str] = []
    for child in children:
        if isinstance(child, dict):
            paths += paths_of_tree(child, f"{path}/{child.get('name', '')}", level - 1)
    return paths


def _drawn(
    files: Sequence[str], path: str, depth: int, longest: int, in_full: Collection[str]
) -> list[str]:
    """Return the lines of a folder, whose files are relative to its path."""
    indent = "  " * depth
    name = path[path.rstrip("/").rfind("/") + 1 :] if len(path) > 1 else path
    title = f"{indent}{name}"
    if list(files) == [CUT]:
        return [f"{title} (too large to be listed)"]

    shown = [file for file in files if not file.endswith(CUT)]
    is_long = depth > 0 and len(shown) > longest
    is_asked = path.casefold().rstrip("/") in in_full
    if is_long and is_asked and len(shown) <= bounds.SHOWN_FOLDER_FILES:
        return [title, *(f"{indent}  {file}" for file in shown)]
    holds_files = any("/" not in file for file in shown)
    if is_long and (depth > 1 or holds_files):
        or_more = " or more" if len(shown) < len(files) else ""
        return [f"{title} ({len(shown)}{or_more}: {shown[0]} ..)"]

    children: dict[str, list[str]] = {}
    for file in files:
        child, _, rest = file.partition("/")
        if child != CUT:
            children.setdefault(child, []).append(rest)
    lines = [title]
    for child, below in children.items():
        if below == [""]:
            lines.append(f"{indent}  {child}")
        else:
            lines += _drawn(below, f"{path}{child}/", depth + 1, longest, in_full)
    return lines
