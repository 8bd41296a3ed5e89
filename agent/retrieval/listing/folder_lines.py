"""Writes the lines of one folder in the drawing of a tree.

With at most 4 files a folder, for a request that names `/news`:

    docs/                               small: its files and folders
      rules.md
      logs/ (not listed)                the call that lists files has left its files out
    old/ (312: 2019.md ..)              large: the number of files, and the first one
    news/                               large, but named: all files
      2031/may.md
    records/                            large, but it has only folders: a line for each kind of records
      loans/ (40: l-4.json ..)
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.retrieval.listing.tree_folder import TreeFolder
from controlplane.gates.paths import base_name
from controlplane.sandbox.interface import bounds


@dataclass(frozen=True, slots=True)
class FolderLines:
    """Writes the lines of folders."""

    longest_listing: int
    """A folder with more files than this is large."""
    named_folders: frozenset[str]
    """The keys of the folders that the request names (see `folder_key`)."""

    def lines_of(self, folder: TreeFolder, depth: int) -> list[str]:
        """Return the lines of a folder, `depth` levels below the root."""
        indent = "  " * depth
        title = f"{indent}{base_name(folder.path)}/"
        if folder.is_unlisted:
            return [f"{title} (not listed)"]
        files = folder.listed_files()
        if depth == 0 or len(files) <= self.longest_listing:
            return [title, *self._lines_in(folder, depth)]

        # The folder is large, so it has at least one file.
        is_named = folder_key(folder.path) in self.named_folders
        if is_named and len(files) <= bounds.SHOWN_FOLDER_FILES:
            return [title, *(f"{indent}  {file}" for file in files)]
        # In `/records`, each folder has one kind of records, such as `loans`: all are shown.
        has_only_folders = all("/" in file for file in files)
        if depth == 1 and has_only_folders:
            return [title, *self._lines_in(folder, depth)]
        # Some of its folders may not be listed, so their files are not counted.
        has_unlisted = len(files) < len(folder.paths_below)
        or_more = " or more" if has_unlisted else ""
        return [f"{title} ({len(files)}{or_more}: {files[0]} ..)"]

    def _lines_in(self, folder: TreeFolder, depth: int) -> list[str]:
        """Return a line for each file directly in a folder, and the lines of its folders."""
        indent = "  " * (depth + 1)
        lines: list[str] = []
        for name, subfolder in folder.children().items():
            if subfolder is None:
                lines.append(f"{indent}{name}")
            else:
                lines += self.lines_of(subfolder, depth + 1)
        return lines


def folder_key(folder: str) -> str:
    """Return a key of a folder that ignores case and a slash at its end."""
    return folder.casefold().rstrip("/")
