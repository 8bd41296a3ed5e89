"""What a trial has learnt about paths from its calls.

An answer that cites `/Loans.md` for the file `/docs/Loans.md` is wrong, and so is one that cites
what its own script wrote. Each question about a path has a part that answers it:

| question | part |
|---|---|
| Has a listing shown it? Is it a folder? | `listings` |
| May there be a file? | `files` |
| Did the trial write it? | `own` |
| By which path is the file cited? | `aliases` |
| Is it short for a listed path? | `short_paths`, which adds it to the aliases |
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.paths.existing_files import ExistingFiles
from controlplane.agent.evidence.paths.listings import Listings
from controlplane.agent.evidence.paths.own_paths import OwnPaths
from controlplane.agent.evidence.paths.path_aliases import PathAliases
from controlplane.agent.evidence.paths.short_paths import ShortPaths
from controlplane.sandbox.interface import Plain


class KnownPaths:
    """The paths that one trial has learnt from its calls. All are canonical: not `/docs//a.md`."""

    def __init__(self) -> None:
        self.listings = Listings()
        self.files = ExistingFiles(self.listings)
        self.own = OwnPaths()
        self.aliases = PathAliases(self.listings, self.own)
        self.short_paths = ShortPaths(self.listings, self.own, self.aliases)

    def learn_listing(
        self, requested_path: str, result: Mapping[str, Plain]
    ) -> tuple[str, ...]:
        """Learn the paths in a listing. Return earlier paths that turn out to be aliases.

        `/Loans.md`, which was read before, is one if only `/docs/Loans.md` is listed.
        """
        self.listings.learn(requested_path, result)
        return self.short_paths.decide_after_listing()

    def learn_path(self, path: str) -> None:
        """Learn that there is something at a path, such as the result of a call."""
        self.listings.paths.add(path)

    def learn_written(self, path: str) -> None:
        """Learn that the trial wrote a file, which exists from now on."""
        self.own.add(path)
        self.files.learn_written(path)

    def is_own(self, path: str) -> bool:
        """Return True if a call for `path` may reach a file that the trial wrote.

        | the trial wrote | listings show `/Fees.md` | `is_own("/Fees.md")` |
        |---|---|---|
        | `/Fees.md` | | True |
        | `/fees.md` | yes: it is another file | False |
        | `/fees.md` | no: it may be the same file | True |
        """
        if path in self.own:
            return True
        return self.own.has_spelling_of(path) and not self.listings.paths.has(path)

    def spelling_of(self, path: str) -> str:
        """Return a path as listings spell it; unchanged if they show no spelling or several."""
        return self.listings.paths.spelling_of(path)
