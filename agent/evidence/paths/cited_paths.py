"""Looks up the path by which to cite a file that a trial's calls have reached.

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

    def path_if_reached(self, path: str) -> str | None:
        """Return the path by which to cite the file that a call has reached by `path`.

        `/Loans.md` -> `/docs/Loans.md`. None if no call has used this path, in this spelling.
        """
        requested = canonical(path)
        if requested in self.accessed:
            return self.path_to_cite(requested)

        # What a call for an alias did is kept at the path of its file.
        file_path = self.known.aliases.file_of_alias.get(requested)
        if file_path is None or file_path not in self.accessed:
            return None
        # Since that call, a file of its own may have appeared at the alias.
        cited = self.path_to_cite(requested)
        is_same_file = self.path_to_cite(file_path) == cited
        return cited if is_same_file else None

    def alias_notes(self, used_paths: Iterable[str]) -> tuple[str, ...]:
        """Return a note for each used path that is an alias: it must be cited by another path."""
        notes: list[str] = []
        for path in used_paths:
            cited = self.path_to_cite(path)
            if cited != path:
                notes.append(f"{quote(path)} is {quote(cited)}: cite it by that path.")
        return tuple(notes)
