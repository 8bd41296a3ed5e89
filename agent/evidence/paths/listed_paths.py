"""The paths that listings of a trial have shown, by which similar paths are found.

A script may ask for `/docs/loans.md` where a listing has shown `/docs/Loans.md`. Paths that
differ only in case or in the Unicode form of their letters are *spellings* of one path.
They share a `spelling_key`, here `/docs/loans.md`:

    paths.spelling_of("/docs/loans.md")   -> /docs/Loans.md
    paths.files_named("Loans.md")         -> ["/docs/Loans.md"]
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.gates.paths import canonical, spelling_key
from controlplane.sandbox.interface import bounds


class ListedPaths:
    """The listed paths of one trial, as many as there is room for. All are canonical."""

    def __init__(self) -> None:
        self.by_key: dict[str, tuple[str, ...]] = {}
        """The paths by the key that all spellings share: `{"/a.md": ("/A.md", "/a.md")}`."""
        self._by_name: dict[str, list[str]] = {}
        """The paths by file name: `{"a.md": ["/docs/a.md", "/old/a.md"]}`."""
        self._room_chars = bounds.MOST_PATHS_CHARS
        """How many more characters of paths may be added."""

    def add(self, path: str) -> None:
        """Add a path, if there is room. Ignore a text that is not an absolute path."""
        if path in self.by_key.get(path, ()):
            return  # Most paths are in lower case, and so their own key, which saves time.
        if not path.startswith("/") or not self.may_add(path):
            return
        path = canonical(path)
        key = spelling_key(path)
        spellings = self.by_key.get(key, ())
        if path in spellings:
            return
        self._room_chars -= len(path)
        self.by_key[key] = (*spellings, path)
        name = path.rpartition("/")[2]
        self._by_name.setdefault(name, []).append(path)

    def may_add(self, path: str) -> bool:
        """Return True if there is room for a path, and it is not too long."""
        return (
            self._room_chars > 0
            and len(self.by_key) < bounds.MOST_LISTED_PATHS
            and len(path) <= bounds.MOST_PATH_CHARS
        )

    def has(self, path: str) -> bool:
        """Return True if a listing showed exactly this path."""
        return path in self.by_key.get(spelling_key(path), ())

    def has_spelling_of(self, path: str) -> bool:
        """Return True if a listing showed this path in any spelling."""
        return spelling_key(path) in self.by_key

    def spelling_of(self, path: str) -> str:
        """Return a path as listings spell it; unchanged if they show no spelling or several."""
        spellings = self.by_key.get(spelling_key(path), ())
        return spellings[0] if len(spellings) == 1 else path

    def files_named(self, name: str) -> Sequence[str]:
        """Return the listed paths that end with a file name."""
        return self._by_name.get(name, ())
