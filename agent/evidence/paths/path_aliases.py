"""Tells by which path an answer has to cite a file that a call reached by another one.

A call for `/Loans.md` may return the file that listings show as `/docs/Loans.md`. An answer that
cites `/Loans.md` would name a file that does not exist. So the path `/Loans.md` is remembered as an
*alias* of the file:

| path of a call | the answer cites | because |
|---|---|---|
| `/Loans.md` | `/docs/Loans.md` | it is an alias of this file |
| `/report.md` | `/report.md` | the trial wrote it, so it is a file of its own |
| `/DOCS/loans.md` | `/docs/Loans.md` | listings show one path that differs only in its case |
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.paths.listings import Listings
from controlplane.agent.evidence.paths.own_paths import OwnPaths

MOST_ALIASES_IN_A_ROW: Final = 2
"""How many aliases are followed to find a file. The limit is needed: aliases can form a circle."""


class PathAliases:
    """The aliases that one trial has learnt. All paths are canonical: not `/docs//a.md`."""

    def __init__(self, listings: Listings, own: OwnPaths) -> None:
        self._listings = listings
        """The paths that listings have shown."""
        self._own = own
        """The paths that the trial wrote, or may have written."""
        self.file_of_alias: dict[str, str] = {}
        """By alias, the path of its file: `{"/Loans.md": "/docs/Loans.md"}`.

        If the trial writes a file `/Loans.md` later, or a listing shows one, the entry stays, but
        is ignored (`_is_file`)."""

    def learn_file(self, path: str, file_path: str) -> None:
        """Learn which file a call for `path` reached: if its path is another, an alias."""
        if path != file_path:
            self.file_of_alias[path] = file_path

    def path_to_cite(self, path: str) -> str:
        """Return the path by which to cite the file that a call for `path` reached.

        The file of an alias may be an alias in turn: `/loans.md` may lead to `/DOCS/loans.md`,
        and this to `/docs/Loans.md`.
        """
        for _ in range(MOST_ALIASES_IN_A_ROW):
            if path not in self.file_of_alias or self._is_file(path):
                break
            path = self.file_of_alias[path]
        if path in self._own:
            return path  # as the trial has spelled it
        return self._listings.paths.spelling_of(path)

    def _is_file(self, path: str) -> bool:
        """Return True if the trial wrote a file at exactly this path, or a listing shows one."""
        return path in self._own or self._listings.paths.has(path)
