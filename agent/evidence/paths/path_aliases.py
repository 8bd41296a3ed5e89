"""Finds out which file a path means.

A file may have several paths. An answer cites it by the one that listings show. The others are
its *aliases*:

| path of a call | the answer cites | because |
|---|---|---|
| `/DOCS/loans.md` | `/docs/Loans.md` | the call's result says so, or it is the only spelling |
| `/Loans.md` | `/docs/Loans.md` | `/` has no such file, and only this one has the name |
| `/report.md` | `/report.md` | the trial wrote it, so it is a file of its own |

The second is a *short path* (`ShortPaths`).
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

    A path is an *alias* if a call has reached a file by it, and listings show the file at another
    path: `/Loans.md` for `/docs/Loans.md`. All paths are canonical: not `/docs//a.md`.
    """

    def __init__(self, listings: Listings, own: OwnPaths) -> None:
        self._listings = listings
        """The paths that listings have shown."""
        self._own = own
        """The paths that the trial wrote, or may have written."""
        self.file_of_alias: dict[str, str] = {}
        """By alias, the path of its file. The trial may write another file at the alias, or a
        listing show one. The entry stays, but `path_to_cite` ignores it from then on."""

    def path_to_cite(self, path: str) -> str:
        """Return the path by which to cite the file that a call for `path` reached.

        `/Loans.md` -> `/docs/Loans.md`. The file of an alias may be an alias in turn:
        `/loans.md` may lead to `/DOCS/loans.md`, and this to `/docs/Loans.md`.
        """
        for _ in range(MOST_ALIASES_IN_A_ROW):
            if path not in self.file_of_alias:
                break
            if path in self._own or self._listings.paths.has(path):
                break  # By now, there is another file at this path.
            path = self.file_of_alias[path]
        if path in self._own:
            return path  # as the trial has spelled it
        return self._listings.paths.spelling_of(path)

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
