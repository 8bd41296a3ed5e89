"""Which paths may be files, as far as a trial's calls have shown.

A program has printed `/docs/fees.md`. Before its output counts as the text of this file, it is
asked whether there may be such a file:

    may_be_file("/docs/fees.md")    -> True: nothing is known of it
    learn_missing("/docs/fees.md")  a call found no file there
    may_be_file("/docs/fees.md")    -> False

A listing that shows all entries of `/docs` tells the same of all others: they are missing.
"""

from __future__ import annotations

from controlplane.agent.evidence.paths.listings import Listings


class ExistingFiles:
    """Knows of some paths of one trial that they are not files."""

    def __init__(self, listings: Listings) -> None:
        self._listings = listings
        """The paths that listings have shown."""
        self._missing: set[str] = set()
        """The paths at which a call found no file."""

    def learn_missing(self, path: str) -> None:
        """Learn that a call found no file at `path`."""
        self._missing.add(path)

    def learn_written(self, path: str) -> None:
        """Learn that the trial wrote a file, which exists from now on."""
        self._missing.discard(path)
        self._listings.paths.add(path)

    def forget_missing(self) -> None:
        """Forget which paths have no file, because a tool may have created files anywhere."""
        self._missing.clear()
        self._listings.folders.forget_complete()

    def may_be_file(self, path: str) -> bool:
        """Return True unless it is known that `path` is not a file."""
        if path in self._missing or path in self._listings.folders.paths:
            return False
        if self._listings.paths.has_spelling_of(path):
            return True
        # If a listing has shown all files of its folder, there are no others.
        return not self._listings.folders.is_parent_complete(path)
