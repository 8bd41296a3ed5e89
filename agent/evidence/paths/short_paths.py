"""Recognises short paths, such as `/Loans.md` for the file `/docs/Loans.md`.

Some environments accept a short path, and return the file without a word about it. An answer
must cite the file by its listed path. Which one this is follows from listings: if `/` has no
`Loans.md`, and only one listed file has this name, the short path is an *alias* of this
file. The listings may come after the call with the short path.
"""

from __future__ import annotations

from controlplane.agent.evidence.paths.listings import Listings
from controlplane.agent.evidence.paths.own_paths import OwnPaths
from controlplane.agent.evidence.paths.path_aliases import PathAliases
from controlplane.gates.paths import base_name
from controlplane.sandbox.interface import bounds


class ShortPaths:
    """Finds the short paths among those that one trial has read."""

    def __init__(self, listings: Listings, own: OwnPaths, aliases: PathAliases) -> None:
        self._listings = listings
        """The paths that listings have shown."""
        self._own = own
        """The paths that the trial wrote, or may have written."""
        self._aliases = aliases
        """Gets the short paths that are found."""
        self._undecided: dict[str, None] = {}
        """The paths that were read, and may be short: a later listing may show it. Only the
        keys count: the dictionary is an ordered set."""

    def add_read(self, path: str) -> None:
        """Learn that a call read a file by a path. Now or after later listings, see if it is short."""
        is_decided = self._try_to_decide(path)
        has_room = len(self._undecided) < bounds.MOST_UNLISTED_PATHS
        if not is_decided and has_room:
            self._undecided[path] = None

    def decide_earlier_paths(self) -> tuple[str, ...]:
        """Decide about earlier paths after a listing. Return those that turn out to be aliases.

        Such a path must be cited by another one.
        """
        decided = [path for path in self._undecided if self._try_to_decide(path)]
        cited_by_another: list[str] = []
        for path in decided:
            del self._undecided[path]
            if self._aliases.path_to_cite(path) != path:
                cited_by_another.append(path)
        return tuple(cited_by_another)

    def _try_to_decide(self, path: str) -> bool:
        """Find out if a path is short. If it is, keep it as an alias of its file.

        Return False if this cannot be decided before further listings.
        """
        if path in self._own or self._listings.paths.has_spelling_of(path):
            return True  # A path that is listed, in any spelling, is not short.
        file_path = self._file_of_short_path(path)
        if file_path is None:
            return False
        self._aliases.file_of_alias[path] = file_path
        return True

    def _file_of_short_path(self, path: str) -> str | None:
        """Return the file that an unlisted path means; None if the listings do not show it.

        `/Loans.md` -> `/docs/Loans.md`, if a listing showed all entries of `/`, and
        `/docs/Loans.md` is the only listed file with this name.
        """
        files = self._listings.paths.files_named(base_name(path))
        if len(files) != 1:
            return None
        # If all entries of its folder are listed, the path itself, which is not listed, is
        # known not to be a file.
        if not self._listings.folders.have_all_beside(path):
            return None
        return files[0]
