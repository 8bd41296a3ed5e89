"""The path by which to cite each file that a trial's calls have reached."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.gates.paths import canonical, spelling_key
from controlplane.gates.submission import quote
from controlplane.gates.trial.accesses import Access


@dataclass(frozen=True, slots=True)
class CitedPaths:
    """Looks up how the accessed paths of one trial are cited."""

    accessed: AccessedPaths
    known: KnownPaths

    def path_to_cite(self, path: str) -> str:
        """Return the path by which to cite the file that a call for `path` reached."""
        return self.known.aliases.path_to_cite(path)

    def used_path_to_cite(self, path: str) -> str:
        """Return the path by which to cite a file that a call reached by `path`.

        Return an empty text if `path` alone does not show it: if no call used it, if it
        is a folder, or if it has a fragment such as `#row=7`.
        """
        requested = canonical(path)
        is_known_alias = requested in self.known.aliases.file_of_alias
        was_used = requested in self.accessed or is_known_alias
        if not was_used or "#" in path:
            return ""
        cited = self.path_to_cite(requested)
        # Two aliases can name each other. The path to cite is then an alias, too.
        is_alias = self.path_to_cite(cited) != cited
        if self.known.is_folder(cited) or is_alias or cited not in self.accessed:
            return ""
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

    def cited_path_of_alias(self) -> dict[str, str]:
        """Return the path to cite for each path that is not cited itself."""
        cited_paths: dict[str, str] = {}
        for path in self.known.aliases.file_of_alias:
            cited_paths[path] = self.path_to_cite(path)
        for path in self.accessed:
            cited = self.path_to_cite(path)
            if cited != path:
                cited_paths[path] = cited
        return cited_paths

    def paths_by_spelling(self, accessed: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the listed and the accessed paths by their spelling key.

        All spellings of a path share this key: `/a.md` for `/A.md`.
        """
        paths_by_key = dict(self.known.listings.paths.by_key)
        for path in accessed:
            key = spelling_key(path)
            spellings = paths_by_key.get(key, ())
            if path not in spellings:
                paths_by_key[key] = (*spellings, path)
        return paths_by_key
