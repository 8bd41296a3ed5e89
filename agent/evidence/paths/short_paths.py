"""Finds out which paths are short for listed ones: `/Loans.md` for `/docs/Loans.md`.

Some environments return a file even if its folder is left out. A script would then cite
`/Loans.md`, which does not exist. Later listings tell which path is short:

    read("/Loans.md")    not known: it may be a file of its own
    list("/")            shows only the folder `/docs`: there is no file `/Loans.md`
    list("/docs")        shows `/docs/Loans.md`, and no other file has this name: this one was read
"""

from __future__ import annotations

from controlplane.agent.evidence.paths.listings import Listings
from controlplane.agent.evidence.paths.own_paths import OwnPaths
from controlplane.agent.evidence.paths.path_aliases import PathAliases
from controlplane.gates.paths import base_name
from controlplane.sandbox.interface import bounds


class ShortPaths:
    """The paths by which one trial has read files, as far as they may be short."""

    def __init__(self, listings: Listings, own: OwnPaths, aliases: PathAliases) -> None:
        self._listings = listings
        """The paths that listings have shown."""
        self._own = own
        """The paths that the trial wrote, or may have written."""
        self._aliases = aliases
        """Gets the short paths, with the files that they mean."""
        self._undecided: dict[str, None] = {}
        """The read paths whose file is not known yet. A `dict`, so each is there once, in order."""

    def learn_read(self, path: str) -> None:
        """Learn that a call read a file by a path, which may be a short one.

        If its file is not known yet, each later listing tries again.
        """
        file_path = self._file_of(path)
        if file_path is not None:
            self._aliases.learn_file(path, file_path)
        elif len(self._undecided) < bounds.MOST_UNLISTED_PATHS:
            self._undecided[path] = None

    def decide_after_listing(self) -> tuple[str, ...]:
        """Find out which file each read path means, as far as the listings so far show it.

        Return the paths that have turned out to be short: `("/Loans.md",)`.
        """
        paths = self._undecided
        self._undecided = {}
        for path in paths:
            self.learn_read(path)
        decided = [path for path in paths if path not in self._undecided]
        return tuple(
            path for path in decided if self._aliases.path_to_cite(path) != path
        )

    def _file_of(self, path: str) -> str | None:
        """Return the path of the file that was read by `path`; None if it is not known yet."""
        if path in self._own or self._listings.paths.has_spelling_of(path):
            return path  # The trial wrote the file, or a listing shows it: it is not short.
        files = self._listings.paths.files_named(base_name(path))
        if len(files) != 1:
            return None  # No listing shows a file with this name, or several have it.
        if not self._listings.folders.is_parent_complete(path):
            return None  # The folder `/` may have a `/Loans.md` that is not listed yet.
        return files[0]
