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
        """Return the path by which to cite the file that a call reached by `path`.

        This takes as long for thousands of files as for one, and is enough for most citations:
        `/Loans.md` -> `/docs/Loans.md`. For others, the caller has to search the whole evidence,
        which has to be collected anew after each call. None is returned for:

        | `path` | because |
        |---|---|
        | `/a.csv#row=7` | it may mean a part of a file |
        | `/new.md` | no call has used this path |
        | `/docs`, a folder | only the files in it can be cited |
        | an alias of an alias of an alias | `path_to_cite` does not follow so many |
        """
        requested = canonical(path)
        may_have_fragment = "#" in path
        is_alias = requested in self.known.aliases.file_of_alias
        if may_have_fragment or not (is_alias or requested in self.accessed):
            return None
        cited = self.path_to_cite(requested)
        if cited not in self.accessed or self.known.is_folder(cited):
            return None
        is_last = self.path_to_cite(cited) == cited
        return cited if is_last else None

    def alias_notes(self, used_paths: Iterable[str]) -> tuple[str, ...]:
        """Return a note for each used path that is an alias: it must be cited by another path."""
        notes: list[str] = []
        for path in used_paths:
            cited = self.path_to_cite(path)
            if cited != path:
                notes.append(f"{quote(path)} is {quote(cited)}: cite it by that path.")
        return tuple(notes)
