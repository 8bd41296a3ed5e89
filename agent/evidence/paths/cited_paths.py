"""The path by which to cite each file that a trial's calls have reached.

A file may be reached by several paths: `/docs/Loans.md` as listings show it, `/DOCS/loans.md`
in another spelling, or `/Loans.md` if the environment accepts short paths. The answer
cites it by the listed path. The others are its *aliases*.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.gates.paths import canonical, spelling_key
from controlplane.gates.quoting import quote
from controlplane.gates.trial.accesses import Access


@dataclass(frozen=True, slots=True)
class CitedPaths:
    """Looks up how the files that one trial's calls have reached are cited.

    After `read("/Loans.md")`, which is an alias of the listed path `/docs/Loans.md`:

        cited.path_to_cite("/Loans.md")     # -> /docs/Loans.md
        cited.alias_notes(["/Loans.md"])    # -> a note for the model: cite it by that path
        cited.cited_path_by_alias()         # -> {"/Loans.md": "/docs/Loans.md"}
        cited.accesses()                    # -> {"/docs/Loans.md": what was read there}
    """

    accessed: AccessedPaths
    """What calls did at each path."""
    known: KnownPaths
    """The listed paths and the aliases."""

    def path_to_cite(self, path: str) -> str:
        """Return the path by which to cite the file that a call for `path` reached.

        `/Loans.md` -> `/docs/Loans.md`. A path that is not an alias is returned unchanged.
        """
        return self.known.aliases.path_to_cite(path)

    def quick_path_to_cite(self, path: str) -> str | None:
        """Return the path by which to cite a file that a call reached by `path`.

        `/Loans.md` -> `/docs/Loans.md`. This is quick, and enough for most citations. It returns
        None if the caller has to search the whole evidence, which takes longer:

        | `path` | why the evidence is searched |
        |---|---|
        | `/a.csv#row=7` | it may mean a part of a file |
        | `/new.md` | no call used this path |
        | `/docs`, a folder | it is not citable, and a message must say so |
        | an alias of an alias of an alias | `path_to_cite` does not follow so many |
        """
        if "#" in path:
            return None
        requested = canonical(path)
        is_alias = requested in self.known.aliases.file_of_alias
        if not is_alias and requested not in self.accessed:
            return None
        cited = self.path_to_cite(requested)
        is_citable = cited in self.accessed and not self.known.is_folder(cited)
        if not is_citable or self.path_to_cite(cited) != cited:
            return None
        return cited

    def alias_notes(self, used_paths: Iterable[str]) -> tuple[str, ...]:
        """Return a note for each used path that is an alias: it must be cited by another path.

        Example: `'/Loans.md' is '/docs/Loans.md': cite it by that path.`
        """
        notes: list[str] = []
        for path in used_paths:
            cited = self.path_to_cite(path)
            if cited != path:
                notes.append(f"{quote(path)} is {quote(cited)}: cite it by that path.")
        return tuple(notes)

    def accesses(self) -> dict[str, Access]:
        """Return what calls did at each file, by the path to cite."""
        return self.accessed.accesses(self.path_to_cite)

    def cited_path_by_alias(self) -> dict[str, str]:
        """Return the path to cite for each alias, and for each path in another spelling."""
        cited_paths: dict[str, str] = {}
        for path in self.known.aliases.file_of_alias:
            cited_paths[path] = self.path_to_cite(path)
        for path in self.accessed:
            cited = self.path_to_cite(path)
            if cited != path:
                cited_paths[path] = cited
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
