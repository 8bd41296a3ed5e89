"""The path by which to cite each file that a trial's calls have reached.

A file may be reached by several paths: `/docs/Loans.md` as listings show it, `/DOCS/loans.md`
in another spelling, or `/Loans.md` if the environment accepts short paths. The answer
cites it by the listed path. The others are its *aliases*:

    cited.path_to_cite("/Loans.md")   -> /docs/Loans.md
    cited.alias_notes(["/Loans.md"])  -> '/Loans.md' is '/docs/Loans.md': cite it by that path.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.gates.paths import canonical
from controlplane.gates.quoting import quote


@dataclass(frozen=True, slots=True)
class CitedPaths:
    """Looks up how the files that one trial's calls have reached are cited."""

    accessed: AccessedPaths
    """What calls did at each path."""
    known: KnownPaths
    """The listed paths and the aliases."""

    def path_to_cite(self, path: str) -> str:
        """Return the path by which to cite the file that a call for `path` reached.

        A path that is not an alias is returned unchanged.
        """
        return self.known.aliases.path_to_cite(path)

    def quick_path_to_cite(self, path: str) -> str | None:
        """Return `path` if it is sure, without a search, that it is cited as it is.

        Most citations name a file by the listed path by which a call reached it. For any other,
        None is returned, and the caller has to search the whole evidence, which takes longer.
        """
        requested = canonical(path)
        may_have_fragment = "#" in path  # `/a.csv#row=7` may mean a part of `/a.csv`.
        if may_have_fragment or requested not in self.accessed:
            return None
        if self.known.is_folder(requested):
            return None  # Only the files in it can be cited.
        is_cited_as_it_is = self.path_to_cite(requested) == requested
        return requested if is_cited_as_it_is else None

    def alias_notes(self, used_paths: Iterable[str]) -> tuple[str, ...]:
        """Return a note for each used path that is an alias: it must be cited by another path."""
        notes: list[str] = []
        for path in used_paths:
            cited = self.path_to_cite(path)
            if cited != path:
                notes.append(f"{quote(path)} is {quote(cited)}: cite it by that path.")
        return tuple(notes)
