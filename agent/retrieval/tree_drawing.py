"""Draws the folders of a tree as indented lines, large folders on one line.

    docs/
      rules.md
      old/ (312: 2019.md ..)
      logs/ (too large to be listed)

Among the paths of a tree, `logs/UNLISTED` says that not all files of `logs` are known.
`UNLISTED` is a name that no real file can have.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from controlplane.agent.retrieval.unlisted_files import UNLISTED, is_unlisted
from controlplane.gates.paths import base_name
from controlplane.sandbox.interface import bounds


def drawn_tree(
    files: Iterable[str],
    longest_listing: int,
    *,
    root: str = "/",
    in_full: Iterable[str] = (),
) -> str:
    """Return the drawing of the tree below `root`. `files` has the paths of all files.

    A folder with more than `longest_listing` files below it takes one line. For a folder
    named in `in_full`, up to `SHOWN_FOLDER_FILES` files are listed.
    """
    base = root.rstrip("/") + "/"
    files_below = [file.removeprefix(base) for file in files if file.startswith(base)]
    full_folders = frozenset(_folder_key(folder) for folder in in_full)
    drawing = _TreeDrawing(longest_listing, full_folders)
    return "\n".join(drawing.lines_of(base, files_below, depth=0))


@dataclass(frozen=True, slots=True)
class _TreeDrawing:
    """Draws the folders of one tree."""

    longest_listing: int
    """A folder with more files than this is large."""
    full_folders: frozenset[str]
    """The folders whose files are listed even if there are many, by `_folder_key`."""

    def lines_of(self, folder: str, files: Sequence[str], depth: int) -> list[str]:
        """Return the lines of a folder, such as `/docs/`, `depth` levels below the root.

        The paths of its `files` are relative to it: `rules.md`, `old/2019.md`.

        | folder | lines |
        |---|---|
        | its files are not listed | `logs/ (too large to be listed)` |
        | a large one that the request names | `old/`, and each file: `  2020/may.md` |
        | any other large one | `old/ (312 or more: 2019.md ..)` |
        | the root, or a small one | its name, its files, and the lines of its folders |
        """
        indent = "  " * depth
        title = f"{indent}{base_name(folder)}/"
        if list(files) == [UNLISTED]:
            return [f"{title} (too large to be listed)"]

        listed_files = [file for file in files if not is_unlisted(file)]
        is_root = depth == 0
        is_large = not is_root and len(listed_files) > self.longest_listing
        if is_large and self._is_listed_in_full(folder, listed_files):
            return [title, *(f"{indent}  {file}" for file in listed_files)]
        if is_large and not _holds_kinds(listed_files, depth):
            or_more = " or more" if len(listed_files) < len(files) else ""
            return [f"{title} ({len(listed_files)}{or_more}: {listed_files[0]} ..)"]

        lines = [title]
        for name, files_below in _by_first_part(files).items():
            is_file = not any(files_below)  # Its path ends with this name.
            if is_file:
                lines.append(f"{indent}  {name}")
            else:
                lines += self.lines_of(f"{folder}{name}/", files_below, depth + 1)
        return lines

    def _is_listed_in_full(self, folder: str, files: Sequence[str]) -> bool:
        """Return True if the files of a large folder are listed, because the request names it."""
        is_named = _folder_key(folder) in self.full_folders
        return is_named and len(files) <= bounds.SHOWN_FOLDER_FILES


def _holds_kinds(files: Sequence[str], depth: int) -> bool:
    """Return True for a folder directly below the root that holds only folders.

    An example is `/records` with `loans/` and `cards/`. Even if it is large, each folder in it
    gets a line, because each may hold one kind of records.
    """
    is_directly_below_root = depth == 1
    return is_directly_below_root and all("/" in file for file in files)


def _by_first_part(files: Iterable[str]) -> dict[str, list[str]]:
    """Group the files of a folder by the first part of their paths, and remove this part.

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
