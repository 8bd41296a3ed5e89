"""What the gates get to know of the paths that a trial's calls have reached.

The *gates*, the rules that each answer must pass, see each file once, by the path by which an
answer cites it. A script has read `/Loans.md`, an alias of `/docs/Loans.md`, and has listed
`/docs`, which shows the file and `/docs/fees.md`:

    accesses()                    {"/docs/Loans.md": Access(read, its text)}
    cited_path_by_alias()         {"/Loans.md": "/docs/Loans.md"}
    paths_by_spelling(accesses)   {"/docs/loans.md": ("/docs/Loans.md",), ...}
    folders()                     {"/docs"}
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.gates.paths import spelling_key
from controlplane.gates.trial.accesses import Access


@dataclass(frozen=True, slots=True)
class CollectedPaths:
    """Collects what is known of the paths of one trial."""

    accessed: AccessedPaths
    known: KnownPaths
    """The listed paths and the aliases."""

    def folders(self) -> frozenset[str]:
        """Return the paths that listings have shown to be folders."""
        return frozenset(self.known.listings.folders.paths)

    def accesses(self) -> dict[str, Access]:
        """Return what calls did at each file, by whichever path, under the path to cite."""
        accesses: dict[str, Access] = {}
        for path, accessed in self.accessed.items():
            cited_path = self.known.aliases.path_to_cite(path)
            actions = frozenset(accessed.actions)
            seen = tuple(accessed.texts)
            if cited_path in accesses:  # by another path of the same file
                actions |= accesses[cited_path].actions
                seen = accesses[cited_path].seen + seen
            accesses[cited_path] = Access(cited_path, actions, seen)
        return accesses

    def cited_path_by_alias(self) -> dict[str, str]:
        """Return the path to cite for each path of a call that is cited by another one."""
        aliases = self.known.aliases
        cited_paths: dict[str, str] = {}
        for path in chain(aliases.file_of_alias, self.accessed):
            cited_path = aliases.path_to_cite(path)
            if cited_path != path:
                cited_paths[path] = cited_path
        return cited_paths

    def paths_by_spelling(
        self, cited_paths: Iterable[str]
    ) -> dict[str, tuple[str, ...]]:
        """Return all known paths by their spelling key: those in listings, and `cited_paths`.

        A spelling key is the same for all spellings of a path: `/a.md` for `/A.md`.
        """
        paths_by_key = dict(self.known.listings.paths.by_key)
        for path in cited_paths:
            key = spelling_key(path)
            spellings = paths_by_key.get(key, ())
            if path not in spellings:
                paths_by_key[key] = (*spellings, path)
        return paths_by_key
