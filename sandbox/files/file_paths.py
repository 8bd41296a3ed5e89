"""Absolute paths of files, such as `/docs/a.md`, and the directories of a tree of files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase
from posixpath import basename, commonprefix, dirname, join, normpath, split, splitext
from typing import Final, NamedTuple

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import INVALID_ARGUMENT, CallError
from controlplane.sandbox.interface.operations import Plain

_CONTENT_TYPES: Final = {
    ".json": "application/json",
    ".md": "text/markdown",
    ".csv": "text/csv",
}


def normal_path(path: str) -> str:
    """Return an absolute path in its normal form: `docs//./a.md` -> `/docs/a.md`.

    Raises `CallError` for a NUL, and for a path that is too long or too deep.
    """
    if "\x00" in path:
        raise CallError(INVALID_ARGUMENT, "a path holds no NUL character")
    if len(path) > bounds.MOST_PATH_CHARS:
        raise CallError(
            INVALID_ARGUMENT,
            f"a path has at most {bounds.MOST_PATH_CHARS} characters, not {len(path)}",
        )
    normal = normpath("/" + path.lstrip("/"))
    levels = normal.count("/") if normal != "/" else 0
    if levels > bounds.MOST_FOLDER_LEVELS:
        raise CallError(
            INVALID_ARGUMENT,
            f"a path leads at most {bounds.MOST_FOLDER_LEVELS} levels deep, not {levels}",
        )
    return normal


def content_type(path: str) -> str:
    """Return the media type of a file by its suffix: `/a.json` -> `application/json`."""
    return _CONTENT_TYPES.get(splitext(path)[1].lower(), "text/plain")


# Globs


def check_glob(glob: str) -> None:
    """Raise `CallError` for a glob that is longer than a name may be."""
    if len(glob) > bounds.MOST_GLOB_CHARS:
        msg = f"a glob has at most {bounds.MOST_GLOB_CHARS} characters, not {len(glob)}"
        raise CallError(INVALID_ARGUMENT, msg)


def paths_matching(paths: list[str], glob: str) -> list[str]:
    """Return the paths that a glob selects; all of them for an empty one.

    A glob such as `*.md` selects by name; one with a slash, such as `docs/*.md`, by path.
    """
    if not glob:
        return paths
    if "/" not in glob:
        return [path for path in paths if fnmatchcase(basename(path), glob)]
    if not glob.startswith("*"):
        glob = normal_path(glob)  # `docs/*.md` -> `/docs/*.md`
    # `*/a.md` matches at any depth, since `*` also matches slashes.
    return [path for path in paths if fnmatchcase(path, glob)]


# The directories of a tree of files, and the names in each of them.


class Entry(NamedTuple):
    """A file or directory."""

    path: str
    is_dir: bool


class DirectoryIndex:
    """Finds what is in a directory, among files that have only their absolute paths.

    Of the file `/docs/a.md`, the index keeps the names in each directory:
    `{"/": {"docs"}, "/docs": {"a.md"}}`. It keeps no texts.
    """

    def __init__(self, directories: Iterable[str], files: Iterable[str]) -> None:
        """Add the paths of all `files`, and `directories`, which exist even if they are empty."""
        self._names: dict[str, set[str]] = {"/": set()}
        """The names in each directory, by the directory's path."""
        self._entries_below: dict[str, Sequence[Entry]] = {}
        """A cache: what `below` returned since the last change, by directory."""
        for path in directories:
            self.add(path)
            self._names.setdefault(path, set())
        for path in files:
            self.add(path)

    def add(self, path: str) -> None:
        """Add a path, and all directories above it that are missing.

        For `/docs/a.md`: `a.md` to the names in `/docs`, and `docs` to the names in `/`.
        """
        self._entries_below.clear()
        while path != "/":
            above, name = split(path)
            if above in self._names:
                # All directories above this one have been added, too.
                self._names[above].add(name)
                return
            self._names[above] = {name}
            path = above

    def remove_file(self, path: str) -> None:
        """Remove a file. Its directory stays, even if it has no other file."""
        # So its directory is in the index, and `_entries_below` is cleared.
        self.add(path)
        self._names[dirname(path)].discard(basename(path))

    def is_dir(self, path: str) -> bool:
        """Return True if there is a directory at exactly `path`."""
        return path in self._names

    def names_in(self, directory: str) -> Collection[str]:
        """Return the names in a directory; none if it does not exist."""
        return self._names.get(directory, ())

    def entries_in(self, directory: str) -> list[Entry]:
        """Return the entries of a directory, sorted by name: `[Entry("/docs/a.md", False)]`."""
        entries = []
        for name in sorted(self.names_in(directory)):
            path = join(directory, name)
            entries.append(Entry(path, self.is_dir(path)))
        return entries

    def below(self, root: str) -> Sequence[Entry]:
        """Return everything below `root`, at any depth, each directory before its content."""
        if root not in self._entries_below:
            below: list[Entry] = []
            for entry in self.entries_in(root):
                below.append(entry)
                if entry.is_dir:
                    below += self.below(entry.path)
            self._entries_below[root] = below
        return self._entries_below[root]

    def tree(self, path: str, levels: int) -> dict[str, Plain]:
        """Return a file or directory with what is up to `levels` levels below it.

        For `/docs` and one level:

            {"name": "docs", "is_dir": True, "children": [
                {"name": "a.md", "is_dir": False, "children": []},
            ]}
        """
        children: list[Plain] = []
        if levels:
            for entry in self.entries_in(path):
                children.append(self.tree(entry.path, levels - 1))
        return {
            "name": basename(path) or "/",
            "is_dir": self.is_dir(path),
            "children": children,
        }


# The name that somebody probably meant who named a file that does not exist.

# Similar names

_MIN_SIMILARITY: Final = 0.7
"""A name is suggested for a missing one if they are at least this similar,
from 0 to 1, such as `adress.md` and `address.md` (`_similarity`)."""


def _most_similar_name(missing: str, names: list[str]) -> str | None:
    """Return the name that is most similar to a missing one; None if none is similar."""
    best_name = None
    best_similarity = 0.0
    for name in names:
        similarity = _similarity(missing.casefold(), name.casefold())
        if similarity > best_similarity:
            best_name = name
            best_similarity = similarity
    if best_similarity < _MIN_SIMILARITY:
        return None
    return best_name


def _similarity(name: str, other: str) -> float:
    """Return how similar two names are, from 0 to 1.

    It is the share of the longer name that their common beginning and end make up.
    `adress` and `address` have `ad` and `ress` in common: 6 of 7 characters.
    """
    shared_start = len(commonprefix([name, other]))
    name_rest = name[shared_start:]
    other_rest = other[shared_start:]
    shared_end = len(commonprefix([name_rest[::-1], other_rest[::-1]]))
    return (shared_start + shared_end) / max(len(name), len(other), 1)


_MOST_COMPARED_NAMES: Final = 200
"""Names of a directory that are compared with a missing one, to suggest the nearest."""


def suggestion(index: DirectoryIndex, missing: str) -> str:
    """Return a suggestion for a missing path: `; there is /docs/address.md`.

    It is the most similar name in the same directory; empty if none is similar.
    """
    folder = dirname(missing)
    names = sorted(index.names_in(folder))[:_MOST_COMPARED_NAMES]
    similar_name = _most_similar_name(basename(missing), names)
    if similar_name is None:
        return ""
    return f"; there is {join(folder, similar_name)}"
