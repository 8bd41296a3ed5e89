"""Keeps the files of the trees that calls list, and draws a tree as indented lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from controlplane.gates.paths import base_name
from controlplane.sandbox.interface import Plain, bounds

UNLISTED: Final = "\0"
"""The name that stands for the unlisted files of a folder: the path `/logs/\\0`
means that `/logs` has files that are not listed. No real file can have this name."""


def is_unlisted(path: str) -> bool:
    """Return True if a path stands for the unlisted files of a folder."""
    return path.endswith(UNLISTED)


@dataclass(slots=True)
class ListedFiles:
    """The files in all trees that a trial has listed. `add` is called for each tree."""

    files: list[str] = field(default_factory=list)
    """Paths of files, in the order of the trees. A folder with
    unlisted files has a path that ends with `UNLISTED`."""
    _roots: list[str] = field(default_factory=list)
    """The root folders of the trees, each with a slash at its end."""

    def add(self, root: str, paths: Iterable[str]) -> None:
        """Add the files below a tree's root, at most `MOST_FOLDER_FILES` of them."""
        base = root.rstrip("/") + "/"
        self._roots.append(base)
        remaining = iter(paths)
        self.files += islice(remaining, bounds.MOST_FOLDER_FILES)
        has_more = next(remaining, None) is not None
        if has_more:
            self.files.append(base + UNLISTED)

    def below(self, folder: str) -> list[str] | None:
        """Return all files below a folder, sorted; None if some of them may be unknown.

        Some may be unknown if no tree includes the folder, or if the folder, one above
        it or one below it has unlisted files.
        """
        base = folder.rstrip("/") + "/"
        if not any(base.startswith(root) for root in self._roots):
            return None
        for incomplete_folder in self._incomplete_folders():
            if base.startswith(incomplete_folder) or incomplete_folder.startswith(base):
                return None
        return sorted(path for path in self.files if path.startswith(base))

    def _incomplete_folders(self) -> Iterator[str]:
        """Yield the folders with unlisted files, each with a slash at its end."""
        for path in self.files:
            if is_unlisted(path):
                yield path.removesuffix(UNLISTED)

    def drawn(
        self, longest_listing: int, *, root: str = "/", in_full: Iterable[str] = ()
    ) -> str:
        """Return the drawing of the tree below `root`, such as:

            docs/
              rules.md
              old/ (312: 2019.md ..)

        A folder such as `old`, with more than `longest_listing` files below it,
        takes one line. For a folder named in `in_full`, up to `SHOWN_FOLDER_FILES`
        files are listed.
        """
        base = root.rstrip("/") + "/"
        files = [
            path.removeprefix(base) for path in self.files if path.startswith(base)
        ]
        full_folders = frozenset(_folder_key(folder) for folder in in_full)
        tree = _TreeDrawing(longest_listing, full_folders)
        return "\n".join(tree.lines_of(base, files, depth=0))


def paths_of_tree(node: Mapping[str, Plain], path: str, level: int) -> list[str]:
    """Return the paths of the files of a tree, for `ListedFiles`.

    `node` is the result of a call for `path`, such as `{"is_dir": true, "children":
    [{"name": "a.md"}]}`. It shows only `level` levels below `path`. The files of a
    folder on the last level are unlisted.
    """
    if not node.get("is_dir"):
        return [path]
    children = node.get("children", [])
    if level == 0 or not isinstance(children, list):
        return [f"{path}/{UNLISTED}"]
    paths: list[str] = []
    for child in children:
        if isinstance(child, dict):
            child_path = f"{path}/{child.get('name', '')}"
            paths += paths_of_tree(child, child_path, level - 1)
    return paths


@dataclass(frozen=True, slots=True)
class _TreeDrawing:
    """Draws the folders of one tree."""

    longest_listing: int
    """A folder with more files than this is drawn on one line."""
    full_folders: frozenset[str]
    """The folders whose files are listed even if there are many, in the form of `_folder_key`."""

    def lines_of(self, folder: str, files: Sequence[str], depth: int) -> list[str]:
        """Return the lines of a folder, which is `depth` levels below the root.

        `folder` is such as `/docs/`, and `files` are relative to it: `old/2019.md`.
        """
        indent = "  " * depth
        title = f"{indent}{base_name(folder)}/"
        if list(files) == [UNLISTED]:
            return [f"{title} (too large to be listed)"]

        # 1. A folder with many files: list all of them, or only their number.
        listed_files = [file for file in files if not is_unlisted(file)]
        is_root = depth == 0
        is_large = len(listed_files) > self.longest_listing and not is_root
        if is_large and self._is_shown_in_full(folder, listed_files):
            return [title, *(f"{indent}  {file}" for file in listed_files)]
        if is_large and not _holds_kinds(listed_files, depth):
            or_more = " or more" if len(listed_files) < len(files) else ""
            return [f"{title} ({len(listed_files)}{or_more}: {listed_files[0]} ..)"]

        # 2. Any other folder: draw each file and folder in it.
        lines = [title]
        for name, files_below in _by_first_name(files).items():
            is_file = files_below == [""]  # Nothing follows the name.
            if is_file:
                lines.append(f"{indent}  {name}")
            else:
                lines += self.lines_of(f"{folder}{name}/", files_below, depth + 1)
        return lines

    def _is_shown_in_full(self, folder: str, files: Sequence[str]) -> bool:
        """Return True if the files of a large folder are listed, because the request names it."""
        is_named = _folder_key(folder) in self.full_folders
        return is_named and len(files) <= bounds.SHOWN_FOLDER_FILES


def _holds_kinds(files: Sequence[str], depth: int) -> bool:
    """Return True for a folder directly below the root that holds only folders.

    An example is `/records` with `loans/` and `cards/`. Each folder in it gets a line,
    because each may hold one kind of records.
    """
    is_directly_below_root = depth == 1
    return is_directly_below_root and all("/" in file for file in files)


def _by_first_name(files: Iterable[str]) -> dict[str, list[str]]:
    """Group the files of a folder by the first name in their paths, and remove this name.

    `a.md`, `old/b.md`, `old/c.md` -> `{"a.md": [""], "old": ["b.md", "c.md"]}`. So the
    empty path stands for a file of the folder itself.
    """
    files_below: dict[str, list[str]] = {}
    for file in files:
        name, _, rest = file.partition("/")
        if name != UNLISTED:
            files_below.setdefault(name, []).append(rest)
    return files_below


def _folder_key(folder: str) -> str:
    """Return a key of a folder that ignores case and a slash at its end."""
    return folder.casefold().rstrip("/")
