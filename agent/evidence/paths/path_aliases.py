"""Finds out which file a path means.

A file may have several paths. For example, listings show `/docs/Loans.md`, and a call
reaches it by `/DOCS/loans.md`. Some workspaces also accept the short path `/Loans.md`.
A citation always uses the listed path. The other paths are *aliases*.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.paths.listings import Listings
from controlplane.agent.evidence.paths.own_paths import OwnPaths
from controlplane.gates.paths import base_name, canonical
from controlplane.sandbox.interface import Plain, bounds

MOST_ALIASES_IN_A_ROW: Final = 2
"""How many aliases are followed to find a file. The limit is needed: aliases can form a circle."""


class PathAliases:
    """The aliases that a trial has learnt from its calls.

    A path is an *alias* if a call reached a file by it that listings show at another path:
    `/Loans.md` for `/docs/Loans.md`. A path that the trial wrote, or that a listing shows,
    is a file of its own. It may have been taken for an alias before.
    """

    def __init__(self, listings: Listings, own: OwnPaths) -> None:
        self._listings = listings
        """The paths that listings have shown. These and all others are canonical: `/docs/a.md`,
        not `/docs//a.md`."""
        self._own = own
        """The paths that the trial wrote, or may have written."""
        self.file_of_alias: dict[str, str] = {}
        """By alias, the path of the file that the call reached. Entries stay, even if it turns
        out later that the path is not an alias."""
        self._unresolved: dict[str, None] = {}
        """The paths that were read, and of which it is not known if they are aliases. A later
        listing may show it. Only the keys count: the dictionary is an ordered set."""

    def learn_reached_path(self, requested_path: str, result_path: Plain) -> str:
        """Return the path that a call reached: the one in its result, or else the requested one.

        If the two differ, learn that the requested path is an alias.
        """
        if not isinstance(result_path, str) or not result_path.startswith("/"):
            return requested_path
        if len(result_path) > bounds.MOST_PATH_CHARS:
            return requested_path
        reached_path = canonical(result_path)
        if reached_path != requested_path:
            self.file_of_alias[requested_path] = reached_path
        return reached_path

    def resolve(self, path: str) -> None:
        """Find out if a path that was read is an alias, now or after later listings."""
        is_known_now = self._try_to_resolve(path)
        has_room = len(self._unresolved) < bounds.MOST_UNLISTED_PATHS
        if not is_known_now and has_room:
            self._unresolved[path] = None

    def resolve_earlier_paths(self) -> tuple[str, ...]:
        """Return the earlier paths that turn out to be aliases, after a further listing."""
        resolved = [path for path in self._unresolved if self._try_to_resolve(path)]
        for path in resolved:
            del self._unresolved[path]
        # Others turn out to be files of their own, which are cited by their paths.
        return tuple(path for path in resolved if self.path_to_cite(path) != path)

    def _try_to_resolve(self, path: str) -> bool:
        """Find out if a path is an alias, and of which file. Return False if it is not known yet.

        Some workspaces accept short paths: `/a.md` for `/docs/a.md`. A path is such an
        alias if a complete listing of its folder does not have it, and listings show
        exactly one other file with the same name.
        """
        # 1. It is not an alias if it is a file of its own.
        if path in self._own or self._listings.paths.has_spelling_of(path):
            return True
        # 2. It is the alias of the only file with its name.
        files = self._listings.paths.files_named(base_name(path))
        if len(files) == 1 and self._listings.have_all_beside(path):
            self.file_of_alias[path] = files[0]
            return True
        return False

    def path_to_cite(self, path: str) -> str:
        """Return the path by which to cite the file that a call for `path` reached.

        The file of an alias may have an alias as its path, too: a short path may lead to a
        path in another spelling.
        """
        for _ in range(MOST_ALIASES_IN_A_ROW):
            is_alias = path in self.file_of_alias and not self._listings.paths.has(path)
            if path in self._own or not is_alias:
                break
            path = self.file_of_alias[path]
        if path in self._own:
            return path
        return self._listings.paths.spelling_of(path)
