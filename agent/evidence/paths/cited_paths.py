"""Looks up the file that a script cites, if a call has reached it by the same path.

A file may be reached by several paths: `/docs/Loans.md` as listings show it, `/DOCS/loans.md`
in another spelling, or `/Loans.md` if the environment accepts short paths. The answer cites it by
the listed path. After `read("/Loans.md")`:

    cited.path_if_reached("/Loans.md")     -> /docs/Loans.md
    cited.path_if_reached("/LOANS.md")     -> None: no call has used this spelling
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.gates.paths import canonical


@dataclass(frozen=True, slots=True)
class CitedPaths:
    """Looks up how the files that one trial's calls have reached are cited."""

    accessed: AccessedPaths
    """What calls did at each path."""
    known: KnownPaths
    """Knows by which path each file is cited."""

    def path_if_reached(self, path: str) -> str | None:
        """Return the path by which to cite the file that a call has reached by `path`.

        None if no call has used this path, in this spelling.
        """
        aliases = self.known.aliases
        requested = canonical(path)
        if requested in self.accessed:
            return aliases.path_to_cite(requested)

        # What `read("/Loans.md")` did is kept at the path that it reached, `/docs/Loans.md`.
        file_path = aliases.file_of_alias.get(requested)
        if file_path is None or file_path not in self.accessed:
            return None
        # Since then, another file may have appeared at `/Loans.md`, which no call has reached.
        # Then `/Loans.md` itself is the path to cite for it.
        cited = aliases.path_to_cite(requested)
        is_same_file = aliases.path_to_cite(file_path) == cited
        return cited if is_same_file else None
