"""Looks up to which file a cited path refers, however it is spelled.

`docs/loans.md#row=7` refers to the file `/docs/Loans.md`, and has the fragment `#row=7`. If the
environment accepts several spellings of a path, the one in its listings is canonical, or else
the one that a read returned.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass

from controlplane.gates.paths import canonical, spelling_key, split_fragment
from controlplane.gates.trial.accesses import Access


@dataclass(frozen=True, slots=True)
class Reference:
    """The file to which a cited string refers, as `Evidence.find` returns it.

    A canonical path is absolute, and spelled as the environment spells it.
    """

    path: str
    """The canonical path of a known file, else the cited path in canonical form."""
    fragment: str
    """The fragment as it is cited, with its `#`: `#row=7`. May be empty."""
    access: Access | None
    """What calls did at the path; None if no call accessed it."""
    is_directory: bool
    is_known: bool
    """True if a call accessed or listed the path."""

    @property
    def citation(self) -> str:
        """The string to cite: canonical path and fragment."""
        return self.path + self.fragment


@dataclass(frozen=True, slots=True)
class KnownPaths:
    """The paths that a trial accessed or listed, found in any spelling.

    `docs/loans.md` refers to `/docs/Loans.md` if no other known path has the same letters.
    """

    accesses: Mapping[str, Access]
    """What calls did at each path: `{"/docs/Loans.md": Access(...)}`."""
    aliases: Mapping[str, str]
    """Other paths that calls used for the same files: `{"/latest.md": "/docs/Loans.md"}`."""
    paths_by_spelling: Mapping[str, tuple[str, ...]]
    """All paths that were accessed or listed, by `spelling_key`, which is in lower case:
    `{"/docs/loans.md": ("/docs/Loans.md",)}`."""
    folders: Set[str]
    """The paths that listings have shown as folders."""

    def find(self, reference: str) -> Reference:
        """Return the file to which a cited string refers: `docs/loans.md#row=7`.

        Looks up the whole string first, because a file's name may contain a `#`. If no
        file has this name, the part from the `#` on is the fragment.
        """
        path = self._path_of(reference)
        if path is not None:
            return self._known_file(path, "")
        base, fragment = split_fragment(reference)
        path = self._path_of(base)
        if path is not None:
            return self._known_file(path, fragment)
        return unknown_reference(reference)

    def _path_of(self, spelling: str) -> str | None:
        """Return the canonical path of a file or folder in any spelling; None if it is unknown."""
        absolute = canonical(spelling.strip())
        path = self.aliases.get(absolute, absolute)
        if path in self.accesses or path in self.folders:
            return path

        # The path was only listed, or it is spelled in another way: `/docs/loans.md`. Then it is
        # known if it can mean only one file.
        similar_paths = self.paths_by_spelling.get(spelling_key(path), ())
        if path in similar_paths:
            return path
        if len(similar_paths) == 1:
            return similar_paths[0]
        return None

    def _known_file(self, path: str, fragment: str) -> Reference:
        """Return the reference to a known file or folder."""
        access = self.accesses.get(path)
        # A document of several parts, such as a PDF with pages, is a folder that can be read.
        is_directory = access is None and path in self.folders
        return Reference(
            path, fragment, access, is_directory=is_directory, is_known=True
        )


def unknown_reference(reference: str) -> Reference:
    """Return the reference to a file that no call accessed or listed. Its path is as cited."""
    base, fragment = split_fragment(reference)
    return Reference(
        canonical(base), fragment, None, is_directory=False, is_known=False
    )
