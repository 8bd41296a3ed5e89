"""The files that a trial's calls have listed, and what is known of a folder by them.

Calls list trees of folders, such as `/docs`, sometimes only in part:

    listed.add("/docs", ["/docs/a.md", "/docs/old/UNLISTED"])
    listed.below("/docs/new")   -> [], there are no files
    listed.below("/docs/old")   -> None, there may be files that were not listed
    listed.below("/data")       -> None, no call has listed this folder
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from controlplane.agent.retrieval.listing.unlisted_files import UNLISTED, is_unlisted
from controlplane.sandbox.interface import bounds


@dataclass(slots=True)
class ListedFiles:
    """The files in all folder trees that a trial has listed.

    A path such as `/logs/UNLISTED` says that the folder `/logs` may have further files.
    `UNLISTED` is a name that no real file can have.
    """

    files: list[str] = field(default_factory=list)
    """The paths of the files, in the order of the trees, with those that end in `UNLISTED`."""
    _roots: list[str] = field(default_factory=list)
    """The root folders of the trees, each with a slash at its end."""
    _incomplete_folders: list[str] = field(default_factory=list)
    """The folders that may have further files, each with a slash at its end."""

    def add(self, root: str, paths: Iterable[str]) -> None:
        """Add the files below a tree's root, at most `MOST_FOLDER_FILES` of them.

        A file that another tree has listed, too, is not added again.
        """
        base = _with_slash(root)
        self._roots.append(base)
        remaining = iter(paths)
        first_paths = islice(remaining, bounds.MOST_FOLDER_FILES)
        self.files = list(dict.fromkeys((*self.files, *first_paths)))
        has_more = next(remaining, None) is not None
        if has_more:
            self.files.append(base + UNLISTED)
        self._incomplete_folders = [
            path.removesuffix(UNLISTED) for path in self.files if is_unlisted(path)
        ]

    def below(self, folder: str) -> list[str] | None:
        """Return all files below a folder, sorted; None if some of them may be unknown.

        That is the case if no tree includes the folder, or if the folder, a folder above it
        or a folder below it is incomplete.
        """
        base = _with_slash(folder)
        if not any(base.startswith(root) for root in self._roots):
            return None
        for incomplete_folder in self._incomplete_folders:
            if base.startswith(incomplete_folder) or incomplete_folder.startswith(base):
                return None
        return sorted(path for path in self.files if path.startswith(base))

    def is_empty(self, folder: str) -> bool:
        """Return True if it is known that no file is below a folder."""
        return self.below(folder) == []


def _with_slash(folder: str) -> str:
    """Return a folder with a slash at its end: `/docs` -> `/docs/`."""
    return folder.rstrip("/") + "/"
