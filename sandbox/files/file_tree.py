"""The one in-memory file tree: read, list, tree, find, search, stat, write, delete, with an overlay over a base.

Answers are deterministic (listings are sorted), and failures have the error codes of `CallError`. The base is never
altered. Every call takes time linear in the texts and names, so that the trusted side may make it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, MutableSequence, Sequence
from fnmatch import fnmatchcase
from itertools import takewhile
from types import MappingProxyType
from typing import Final

from sandbox.files.file_paths import (
    MAX_CHANGES_BYTES,
    bytes_of_change,
    content_type,
    join,
    lines_of,
    normal_path,
    parent,
    sha256_of,
    whole_file,
)
from sandbox.files.patterns import LineSearch
from sandbox.interface import error_codes as codes
from sandbox.interface.error_codes import CallError
from sandbox.interface.operations import Plain

KINDS: Final = ("all", "files", "dirs")
MAX_GLOB_CHARS: Final = 255
MAX_COMPARED: Final = 200
"""Max names of a directory that are compared with a missing one, to suggest the nearest."""
LEAST_SHARED: Final = 0.7
"""The least share of two names that their common beginning and end make up, for one to be taken for the other."""
MAX_MATCHES: Final = 1_200
"""Max lines that a search returns; one call's result can hold no more."""
MAX_MATCH_CHARS: Final = 2_000_000
"""Max characters of all lines that a search returns: as many as an answer can carry."""


class FileTree:
    """Text files by absolute path over `base`, with every change kept in an overlay.

    `directories` names empty directories.
    `ignore_case` resolves a path to the only existing spelling that differs from it in case.
    `writable` says which paths may be written or deleted (default: all).
    `on_change(path, text or None)` is called before each change takes effect.
    """

    def __init__(
        self,
        base: Mapping[str, str],
        *,
        directories: Iterable[str] = (),
        ignore_case: bool = False,
        writable: Callable[[str], bool] = lambda path: True,
        on_change: Callable[[str, str | None], None] = lambda path, text: None,
    ) -> None:
        self._base = base
        self._overlay: dict[str, str | None] = {}
        self._overlay_bytes = 0
        self._ignore_case = ignore_case
        self._writable = writable
        self.on_change = on_change
        self.version = 0
        """The number of changes so far."""
        self._given_directories = tuple(map(normal_path, directories))
        self._index: dict[str, set[str]] | None = None
        self._spellings: dict[str, str] | None = None
        self._walked: dict[str, Sequence[tuple[str, bool]]] = {}
        """Contents of directories, with everything below, as requested since the last change."""

    @property
    def changes(self) -> Mapping[str, str | None]:
        """Written (path to text) and deleted (path to None) files since the start."""
        return MappingProxyType(self._overlay)

    def text(self, path: str) -> str | None:
        """Return the whole text of the file at exactly `path`, or None if there is no file."""
        if path in self._overlay:
            return self._overlay[path]
        return self._base.get(path)

    def resolve(self, path: str) -> str | None:
        """Return the spelling under which listings show `path`, or None if nothing is there."""
        path = normal_path(path)
        if self._exists(path):
            return path
        if not self._ignore_case:
            return None
        if self._spellings is None:
            self._spellings = {}
            for directory, names in self._directories().items():
                for known in sorted((directory, *(join(directory, name) for name in names)), reverse=True):
                    self._spellings[known.casefold()] = known
        found = self._spellings.get(path.casefold())
        return found if found is not None and self._exists(found) else None

    def paths(self) -> list[str]:
        """Return the paths of all files, sorted."""
        return [path for path, is_dir in self._walk("/") if not is_dir]

    def read(self, path: str, start_line: int = 0, end_line: int = 0) -> dict[str, Plain]:
        """Return `path content truncated sha256 content_type`; lines count from 1, both ends included, 0 is open."""
        found = self._there(path)
        if self._is_dir(found):
            raise CallError(codes.INVALID_ARGUMENT, f"{found} is a directory; list it")
        whole = self.text(found)
        if whole is None:
            raise CallError(codes.NOT_FOUND, f"{found} cannot be read any more")
        content = whole
        if start_line or end_line:
            if start_line < 0 or end_line < 0 or (end_line and start_line > end_line):
                msg = f"lines {start_line} to {end_line} are no range (they count from 1)"
                raise CallError(codes.INVALID_ARGUMENT, msg)
            content = "".join(lines_of(whole)[max(start_line - 1, 0) : end_line or None])
        return whole_file(found, whole) | {"content": content}

    def list(self, path: str = "/") -> dict[str, Plain]:
        """Return `entries`, each `name path is_dir`, by name. Raises `CallError` for a file or a missing path."""
        found = self._there(path)
        if not self._is_dir(found):
            raise CallError(codes.INVALID_ARGUMENT, f"{found} is a file, not a directory")
        entries = ((name, join(found, name)) for name in sorted(self._directories()[found]))
        return {"entries": [{"name": name, "path": path, "is_dir": self._is_dir(path)} for name, path in entries]}

    def tree(self, root: str = "/", level: int = 2) -> dict[str, Plain]:
        """Return nested `name is_dir children`, `level` directories deep (0: all); `root` may be a file.

        Every name is a base name, including the root's.
        """
        if level < 0:
            raise CallError(codes.INVALID_ARGUMENT, f"level {level} is negative; 0 means all levels")
        found = self._there(root)
        return self._node(found, found.rsplit("/", 1)[1] or "/", level or -1)

    def find(self, name: str, root: str = "/", kind: str = "all", limit: int = 10) -> dict[str, Plain]:
        """Return `paths` below `root` whose base name fits the glob `name`, sorted, and `truncated`. Limit 0: all.

        An empty name fits everything.
        """
        if kind not in KINDS:
            raise CallError(codes.INVALID_ARGUMENT, f"kind {kind!r} is none of {', '.join(KINDS)}")
        if len(name) > MAX_GLOB_CHARS:
            msg = f"a name to find has at most {MAX_GLOB_CHARS} characters, not {len(name)}"
            raise CallError(codes.INVALID_ARGUMENT, msg)
        fold = str.casefold if self._ignore_case else str
        pattern = fold(name) or "*"
        paths: list[Plain] = []
        for path, is_dir in self._walk(self._there(root)):
            is_of_kind = kind == "all" or is_dir == (kind == "dirs")
            if is_of_kind and fnmatchcase(fold(path.rsplit("/", 1)[1]), pattern):
                if 0 < limit <= len(paths):
                    return {"paths": paths, "truncated": True}
                paths.append(path)
        return {"paths": paths, "truncated": False}

    def search(
        self, pattern: str, root: str = "/", limit: int = 10, *, among: Container[str] | None = None
    ) -> dict[str, Plain]:
        """Return `matches`, each `path line text`, of a regular expression by line, and `truncated`. Limit 0: the most.

        Only files in `among` are searched, if it is given. Raises `CallError`, as `LineSearch` does.
        """
        search = LineSearch(pattern)
        most = limit if 0 < limit < MAX_MATCHES else MAX_MATCHES
        found = self._there(root)
        paths = [path for path, is_dir in self._walk(found) if not is_dir] if self._is_dir(found) else [found]
        matches: list[Plain] = []
        room = MAX_MATCH_CHARS
        for path in paths if among is None else filter(among.__contains__, paths):
            for number, line in search.lines_of(self.text(path) or ""):
                room -= len(line)
                if len(matches) >= most or room < 0:
                    return {"matches": matches, "truncated": True}
                matches.append({"path": path, "line": number, "text": line})
        return {"matches": matches, "truncated": False}

    def stat(self, path: str) -> dict[str, Plain]:
        """Return `path is_dir content_type writable`; the content type of a directory is empty."""
        found = self._there(path)
        is_dir = self._is_dir(found)
        return {
            "path": found,
            "is_dir": is_dir,
            "content_type": "" if is_dir else content_type(found),
            "writable": self._writable(found),
        }

    def write(self, path: str, content: str, if_match_sha256: str = "") -> dict[str, Plain]:
        """Replace or make a file, with missing directories above it. A wrong hash is `failed_precondition`."""
        target = self.resolve(path) or normal_path(path)
        if self._is_dir(target):
            raise CallError(codes.FAILED_PRECONDITION, f"{target} is a directory")
        above = parent(target)
        while above != "/":
            if self.text(above) is not None:
                raise CallError(codes.FAILED_PRECONDITION, f"{above} is a file; nothing can be written below it")
            above = parent(above)
        if not self._writable(target):
            raise CallError(codes.PERMISSION_DENIED, f"{target} may not be written")
        if if_match_sha256:
            present = self.text(target)
            actual = "" if present is None else sha256_of(present)
            if actual != if_match_sha256.lower():
                msg = f"{target} has sha256 {actual or '(no file)'}; read it again"
                raise CallError(codes.FAILED_PRECONDITION, msg)
        self.apply(target, content)
        return {"path": target}

    def delete(self, path: str) -> dict[str, Plain]:
        """Remove a file and return its `path`. A directory is `failed_precondition`."""
        found = self._there(path)
        if self._is_dir(found):
            raise CallError(codes.FAILED_PRECONDITION, f"{found} is a directory; delete its files one by one")
        if not self._writable(found):
            raise CallError(codes.PERMISSION_DENIED, f"{found} may not be deleted")
        self.apply(found, None)
        return {"path": found}

    def apply(self, path: str, text: str | None) -> None:
        """Make one change that is allowed: write a file, or delete it. Raises `CallError` if there is no room."""
        held = self._overlay_bytes + bytes_of_change(path, text)
        if path in self._overlay:
            held -= bytes_of_change(path, self._overlay[path])
        if text is not None and held > MAX_CHANGES_BYTES:
            raise CallError(codes.RESOURCE_EXHAUSTED, f"all that is written may take at most {MAX_CHANGES_BYTES} bytes")
        self.on_change(path, text)
        self.version += 1
        self._overlay_bytes = held
        self._overlay[path] = text
        self._spellings = None
        self._walked.clear()
        if self._index is not None:
            _enter(self._index, path, text)

    def _directories(self) -> dict[str, set[str]]:
        if self._index is None:
            self._index = {"/": set()}
            for path in self._given_directories:
                _add(self._index, path)
                self._index.setdefault(path, set())
            for path in self._base:
                _add(self._index, path)
            for path, text in self._overlay.items():
                _enter(self._index, path, text)
        return self._index

    def _is_dir(self, path: str) -> bool:
        return path in self._directories()

    def _exists(self, path: str) -> bool:
        return (self._overlay[path] is not None if path in self._overlay else path in self._base) or self._is_dir(path)

    def _there(self, path: str) -> str:
        found = self.resolve(path or "/")
        if found is None:
            missing = normal_path(path)
            raise CallError(codes.NOT_FOUND, f"there is no {missing}{self._near(missing)}")
        return found

    def _near(self, missing: str) -> str:
        """Return the note in a message that names the path next to a missing one with the most similar spelling."""
        wanted = missing.rsplit("/", 1)[1].casefold()
        shares = {
            name: _shared_ends(wanted, name.casefold())
            for name in sorted(self._directories().get(parent(missing), ()))[:MAX_COMPARED]
        }
        near = max(shares, key=lambda name: shares[name], default="")
        return f"; there is {join(parent(missing), near)}" if near and shares[near] >= LEAST_SHARED else ""

    def _walk(self, root: str) -> Sequence[tuple[str, bool]]:
        """Return (path, is it a directory) of everything below `root`, parents before children, sorted."""
        if root not in self._walked:
            found: MutableSequence[tuple[str, bool]] = []
            for name in sorted(self._directories().get(root, ())):
                path = join(root, name)
                is_dir = self._is_dir(path)
                found.append((path, is_dir))
                if is_dir:
                    found += self._walk(path)
            self._walked[root] = found
        return self._walked[root]

    def _node(self, path: str, name: str, level: int) -> dict[str, Plain]:
        is_dir = self._is_dir(path)
        children: list[Plain] = []
        if is_dir and level:
            children = [self._node(join(path, below), below, level - 1) for below in sorted(self._directories()[path])]
        return {"name": name, "is_dir": is_dir, "children": children}


def _shared_ends(name: str, other: str) -> float:
    """Return the share of the longer name that their common beginning and end make up."""
    start = _shared_beginning(name, other)
    end = _shared_beginning(name[start:][::-1], other[start:][::-1])
    return (start + end) / max(len(name), len(other), 1)


def _shared_beginning(name: str, other: str) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(name, other, strict=False)))


def _enter(index: dict[str, set[str]], path: str, text: str | None) -> None:
    """Enter a file that was written, or that existed and was deleted: its directory stays."""
    _add(index, path)
    if text is None:
        index[parent(path)].discard(path.rsplit("/", 1)[1])


def _add(index: dict[str, set[str]], path: str) -> None:
    while path != "/":
        above, name = parent(path), path.rsplit("/", 1)[1]
        if above in index:
            index[above].add(name)
            return
        index[above] = {name}
        path = above
