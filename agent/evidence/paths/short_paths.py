"""Finds out which paths are short for listed ones: `/Loans.md` for `/docs/Loans.md`.

Some environments accept the name of a file without its folder, and return the file without a
word. An answer must cite the file by its listed path. Listings show which path is short:

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
    """The paths by which one trial has read files, and which may be short."""

    def __init__(self, listings: Listings, own: OwnPaths, aliases: PathAliases) -> None:
        self._listings = listings
        """The paths that listings have shown."""
        self._own = own
        """The paths that the trial wrote, or may have written."""
        self._aliases = aliases
        """Gets the short paths."""
        self._undecided: dict[str, None] = {}
        """The paths that may be short. Only the keys count: it is a set with an order."""

    def learn_read(self, path: str) -> None:
        """Learn that a call read a file by a path, which may be a short one."""
        is_decided = self._decide(path)
        if not is_decided and len(self._undecided) < bounds.MOST_UNLISTED_PATHS:
            self._undecided[path] = None

    def decide_after_listing(self) -> tuple[str, ...]:
        """Decide, by the listings so far, which undecided paths are short.

        Return those that are now known to be cited by another path.
        """
        decided: list[str] = []
        for path in self._undecided:
            if self._decide(path):
                decided.append(path)
        for path in decided:
            del self._undecided[path]
        return tuple(
            path for path in decided if self._aliases.path_to_cite(path) != path
        )

    def _decide(self, path: str) -> bool:
        """Make a path an alias if it is short. Return True if it is known whether it is."""
        if path in self._own or self._listings.paths.has_spelling_of(path):
            return True  # It is a file of its own: the trial wrote it, or it is listed.
        file_path = self._file_of(path)
        if file_path is None:
            return False  # A further listing may show it.
        self._aliases.file_of_alias[path] = file_path
        return True

    def _file_of(self, path: str) -> str | None:
        """Return the file that an unlisted path is short for; None if this is not known.

        It is the only listed file with this name. Also, all entries of the path's own folder
        must be listed: only then is it known that there is no file at the path itself.
        """
        files = self._listings.paths.files_named(base_name(path))
        if len(files) != 1:
            return None
        if not self._listings.folders.is_parent_complete(path):
            return None
        return files[0]
