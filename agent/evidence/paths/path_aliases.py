"""Finds out which file a path means.

A file may have several paths. For example, listings show `/docs/Loans.md`, and a call
reaches it by `/DOCS/loans.md`. Some environments also accept the short path `/Loans.md`
(`short_paths.py`). A citation always uses the listed path. The others are *aliases*.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.paths.listings import Listings
from controlplane.agent.evidence.paths.own_paths import OwnPaths
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Plain, bounds

MOST_ALIASES_IN_A_ROW: Final = 2
"""How many aliases are followed to find a file. The limit is needed: aliases can form a circle."""


class PathAliases:
    """The aliases that a trial has learnt from its calls.

    A path is an *alias* if a call reached a file by it that listings show at another path:
    `/Loans.md` for `/docs/Loans.md`. But if the trial wrote a file at this path, or a
    listing shows it, the path is not an alias: it is a file of its own.
    """

    def __init__(self, listings: Listings, own: OwnPaths) -> None:
        self._listings = listings
        """The paths that listings have shown. These and all others are canonical: `/docs/a.md`,
        not `/docs//a.md`."""
        self._own = own
        """The paths that the trial wrote, or may have written."""
        self.file_of_alias: dict[str, str] = {}
        """By alias, the path of the file that the call reached. Entries stay, even if a later
        listing shows that the path is a file of its own: `path_to_cite` looks at that, too."""

    def learn_result_path(self, requested_path: str, result_path: Plain) -> str:
        """Return the path that a call reached: the one in its result, or else the requested one.

        If the two differ, learn that the requested path is an alias. Example: a call for
        `/DOCS/loans.md` has the result `{"path": "/docs/Loans.md", "content": …}`.
        """
        if not isinstance(result_path, str) or not result_path.startswith("/"):
            return requested_path
        if len(result_path) > bounds.MOST_PATH_CHARS:
            return requested_path
        reached_path = canonical(result_path)
        if reached_path != requested_path:
            self.file_of_alias[requested_path] = reached_path
        return reached_path

    def path_to_cite(self, path: str) -> str:
        """Return the path by which to cite the file that a call for `path` reached.

        The path of the file may be an alias in turn: `/loans.md` may lead to
        `/DOCS/loans.md`, and this to `/docs/Loans.md`.
        """
        for _ in range(MOST_ALIASES_IN_A_ROW):
            is_alias = path in self.file_of_alias and path not in self._own
            if not is_alias or self._listings.paths.has(path):
                break  # The path is a file of its own.
            path = self.file_of_alias[path]
        if path in self._own:
            return path  # It is cited as the trial has spelled it.
        return self._listings.paths.spelling_of(path)
