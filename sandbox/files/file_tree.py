"""The files of an environment in memory, and the operations of scripts on them.

The texts at the start (the base) never change. Changes are stored apart from them, and found first.
Results are deterministic: listings are sorted. Failures are `CallError`s.

These calls run in the parent process on behalf of untrusted scripts, so each takes
time linear in the size of the files.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import islice
from posixpath import basename, dirname
from types import MappingProxyType
from typing import Final, TypeAlias

from controlplane.sandbox.files.file_paths import (
    DirectoryIndex,
    check_glob,
    content_type,
    normal_path,
    paths_matching,
    suggestion,
)
from controlplane.sandbox.files.search import SEARCH_S, LineSearch, search_files
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    FAILED_PRECONDITION,
    INVALID_ARGUMENT,
    NOT_FOUND,
    PERMISSION_DENIED,
    RESOURCE_EXHAUSTED,
    CallError,
)
from controlplane.sandbox.interface.operations import Plain

_KINDS: Final = ("all", "files", "dirs")

_OnChange: TypeAlias = Callable[[str, str | None], None]

# `list` is an operation within the class below.
_Paths: TypeAlias = list[str]
_Entries: TypeAlias = list[Plain]


# Files whose paths are known from the start, and whose texts are fetched when they are needed.


class TextFiles(Mapping[str, str]):
    """A mapping of paths to texts.

    A subclass sets `paths`, and fetches a text in `__getitem__`.
    """

    paths: Mapping[str, object]
    large: Collection[str] = ()
    """Files that are searched only if the root of the search is the file itself."""

    def in_utf_8(self, path: str) -> bytes:
        """Return a file's text in UTF-8, for a search."""
        return self[path].encode("utf-8", "surrogatepass")

    def __contains__(self, path: object) -> bool:
        return path in self.paths

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)


class FileTree:
    """The files that a trial's scripts see, in memory: first texts, and all changes of them.

    A script's `harness.read("/docs/a.md")` becomes `tree.read("/docs/a.md")`, which returns
    `{"path": "/docs/a.md", "content": "# Rules", ...}`, or raises `CallError`, for example if the
    path does not exist. The operations have the names that `FILE_OPERATIONS` declares.
    """

    def __init__(
        self,
        base: Mapping[str, str],
        *,
        directories: Iterable[str] = (),
        ignore_case: bool = False,
        writable: Callable[[str], bool] = lambda path: True,
    ) -> None:
        """Take the first texts by absolute path: `base` is `{"/docs/a.md": "# Rules"}`.

        - `directories` exist even if they are empty
        - `ignore_case`: a path that does not exist means the one that differs only in case
        - `writable(path)` says whether a path may be written or deleted; by default any may
        """
        self._base = base
        self._listed_directories = tuple(map(normal_path, directories))
        self._ignore_case = ignore_case
        self._writable = writable
        self._on_change: _OnChange | None = None

        self._changes: dict[str, str | None] = {}
        """The texts of changed files by path; None for a deleted file."""
        self._bytes_of_changes = 0
        """The bytes that all changes together take in a message to a worker."""
        self.version = 0
        """The number of changes so far."""

        # Two caches, computed when they are first needed. A change of a file updates the
        # first one, because nearly every call needs it, and clears the other.
        self._known_index: DirectoryIndex | None = None
        self._spellings: dict[str, str] | None = None
        """Paths by their folded form: `{"/docs/a.md": "/Docs/A.md"}`."""

    # The paths, for scripts

    def stat(self, path: str) -> dict[str, Plain]:
        """Return what a path is, as in `{"path": "/docs/a.md", "is_dir": False, ...}`.

        The content type, such as `text/markdown`, is empty for a directory.
        """
        resolved = self._existing(path)
        is_dir = self._index.is_dir(resolved)
        return {
            "path": resolved,
            "is_dir": is_dir,
            "content_type": "" if is_dir else content_type(resolved),
            "writable": self._writable(resolved),
        }

    def list(self, path: str = "/") -> dict[str, Plain]:
        """Return the entries of a directory, sorted by name. Raises `CallError` for a file.

        Each entry is a mapping: `{"name": "a.md", "path": "/docs/a.md", "is_dir": False}`.
        """
        resolved = self._existing(path)
        if not self._index.is_dir(resolved):
            raise CallError(INVALID_ARGUMENT, f"{resolved} is a file, not a directory")
        entries = self._index.entries_in(resolved)
        shown: _Entries = []
        for entry in entries:
            name = basename(entry.path)
            shown.append({"name": name, "path": entry.path, "is_dir": entry.is_dir})
        return {"entries": shown}

    def tree(self, root: str = "/", level: int = 2) -> dict[str, Plain]:
        """Return a file or directory with everything below it, `level` directories deep (0: all).

        Each node has its `name`, `is_dir` and `children`.
        """
        if level < 0:
            msg = f"level {level} is negative; 0 means all levels"
            raise CallError(INVALID_ARGUMENT, msg)
        # No tree has more levels than this, so it means all of them.
        levels = level or bounds.MOST_FOLDER_LEVELS + 1
        return self._index.tree(self._existing(root), levels)

    def find(
        self, name: str, root: str = "/", kind: str = "all", limit: int = 10
    ) -> dict[str, Plain]:
        """Return the paths below `root` whose name matches the glob `name`, such as `*.md`.

        The result is `{"paths": ["/docs/a.md"], "truncated": False}`: at most `limit` paths
        (0: all), and whether there are more. `kind` is `all`, `files` or `dirs`. An empty
        glob matches every name.
        """
        if kind not in _KINDS:
            msg = f"kind {kind!r} is not one of {', '.join(_KINDS)}"
            raise CallError(INVALID_ARGUMENT, msg)
        check_glob(name)
        found = self._found_paths(name or "*", self._existing(root), kind)
        if limit <= 0:
            return {"paths": [*found], "truncated": False}
        first_paths = [*islice(found, min(limit, sys.maxsize))]
        has_more = next(found, None) is not None
        return {"paths": [*first_paths], "truncated": has_more}

    def _found_paths(self, glob: str, root: str, kind: str) -> Iterator[str]:
        """Yield the paths below `root` that have the kind, and a name that matches the glob."""
        folded_glob = self._folded(glob)
        for entry in self._index.below(root):
            kind_of_entry = "dirs" if entry.is_dir else "files"
            if kind not in ("all", kind_of_entry):
                continue
            if fnmatchcase(self._folded(basename(entry.path)), folded_glob):
                yield entry.path

    # The texts, for scripts

    def read(
        self, path: str, start_line: int = 0, end_line: int = 0
    ) -> dict[str, Plain]:
        """Return the text of a file, or of its lines from `start_line` to `end_line`.

        Lines count from 1, and both are included. 0 means the first or the last line. The
        hash is that of the whole text, so that a later `write` can see if the file is the same.
        """
        resolved = self._existing(path)
        if self._index.is_dir(resolved):
            raise CallError(INVALID_ARGUMENT, f"{resolved} is a directory; list it")
        whole = self.text(resolved)
        if whole is None:
            raise CallError(NOT_FOUND, f"{resolved} cannot be read any more")
        return {
            "path": resolved,
            "content": _lines_from_to(whole, start_line, end_line),
            "truncated": False,
            "sha256": sha256_of(whole),
            "content_type": content_type(resolved),
        }

    def search(
        self,
        pattern: str,
        root: str = "/",
        limit: int = 10,
        files: str = "",
        context: int = 0,
        files_only: bool = False,
    ) -> dict[str, Plain]:
        """Return the lines at or below `root` that match a regular expression of RE2.

        - `limit`: the most lines that are returned; 0 for as many as one result holds
        - `files`: a glob that selects the files to search
        - `context`: lines that are shown before and after each matching line
        - `files_only`: return only the first matching line of each file

        The result has `matches`, `truncated`, and `searched`, a text such as `3 of 10
        files; narrow it by root or files`. Each match has:

        - `path` and `line`: the file, and the number of the matching line
        - `text`: the line, with its context
        - `first`, only with a context: the number of the first line of the text
        - `char`, only if the line is too long to be shown: `text` is then the part
          around the match, and `char` is the number of its first character in the file
        """
        search = LineSearch(pattern, SEARCH_S)
        # A large file is searched only if it is the root itself: the script then asks for it.
        large_files: Collection[str] = ()
        if isinstance(self._base, TextFiles):
            large_files = self._base.large
        paths = []
        for path in self.paths(root, files):
            if path not in large_files or path == normal_path(root):
                paths.append(path)
        texts = ((path, self._in_utf_8(path)) for path in paths)
        return search_files(
            search,
            texts,
            len(paths),
            limit=limit,
            context=context,
            files_only=files_only,
        )

    # Changes, by scripts

    def write(
        self, path: str, content: str, if_match_sha256: str = ""
    ) -> dict[str, Plain]:
        """Write a file, and make missing directories above it. Returns its path.

        With `if_match_sha256`, the file is written only if its present text has that hash,
        so that a change made since the script read it is not lost. Raises `CallError`.
        """
        # An existing file keeps its spelling; a new one has that of `path`.
        target = self.resolve(path) or normal_path(path)
        self._check_target(target)
        if if_match_sha256:
            # A missing file has no hash, so it is refused, too.
            present_text = self.text(target)
            present_sha256 = "" if present_text is None else sha256_of(present_text)
            if present_sha256 != if_match_sha256.lower():
                msg = f"{target} has sha256 {present_sha256 or '(no file)'}; read it again"
                raise CallError(FAILED_PRECONDITION, msg)
        self.apply(target, content)
        return {"path": target}

    def _check_target(self, target: str) -> None:
        """Raise `CallError` if no file may be written at a path.

        That is a directory, a path below a file, or a path that `writable` does not permit.
        """
        if self._index.is_dir(target):
            raise CallError(FAILED_PRECONDITION, f"{target} is a directory")
        folder_above = dirname(target)
        while folder_above != "/":
            if self.text(folder_above) is not None:
                msg = f"{folder_above} is a file; nothing can be written below it"
                raise CallError(FAILED_PRECONDITION, msg)
            folder_above = dirname(folder_above)
        if not self._writable(target):
            raise CallError(PERMISSION_DENIED, f"{target} may not be written")

    def delete(self, path: str) -> dict[str, Plain]:
        """Remove a file, and return its path: `{"path": "/docs/a.md"}`. A directory is refused."""
        resolved = self._existing(path)
        if self._index.is_dir(resolved):
            msg = f"{resolved} is a directory; delete its files one by one"
            raise CallError(FAILED_PRECONDITION, msg)
        if not self._writable(resolved):
            raise CallError(PERMISSION_DENIED, f"{resolved} may not be deleted")
        self.apply(resolved, None)
        return {"path": resolved}

    # For trusted callers

    @property
    def changes(self) -> Mapping[str, str | None]:
        """The changed files: `{"/docs/a.md": "new text", "/docs/old.md": None}` (deleted).

        The mapping is a view, and can only be read.
        """
        return MappingProxyType(self._changes)

    def text(self, path: str) -> str | None:
        """Return the whole text of the file at exactly `path`, or None if there is no file."""
        if path in self._changes:
            return self._changes[path]
        try:
            # Not `get`: `Mapping.get` may call `__getitem__`, which reads the file, twice.
            return self._base[path]
        except KeyError:
            return None

    def resolve(self, path: str) -> str | None:
        """Return the existing path that `path` refers to: `docs/a.md` -> `/docs/a.md`.

        None if there is no such file or directory.
        """
        path = normal_path(path)
        if self._exists(path):
            return path
        if not self._ignore_case:
            return None
        spelling = self._spellings_by_folded_form().get(path.casefold())
        if spelling is not None and self._exists(spelling):
            return spelling
        return None

    def paths(self, root: str = "/", glob: str = "") -> _Paths:
        """Return the paths of all files at or below `root`, sorted.

        A glob such as `*.md` selects files by name; one with a slash, such as
        `docs/*.md`, by path. Raises `CallError` if `root` does not exist.
        """
        check_glob(glob)
        resolved = self._existing(root)
        index = self._index
        if not index.is_dir(resolved):
            return paths_matching([resolved], glob)
        files = [entry.path for entry in index.below(resolved) if not entry.is_dir]
        return paths_matching(files, glob)

    def apply(self, path: str, text: str | None) -> None:
        """Write a file, or delete it if `text` is None, for trusted callers: any path may be changed.

        The function that `watch_changes` was given is called first. Raises what it raises, for
        example because a disk is full, and `CallError` if all changes together would take too many
        bytes. In both cases nothing has changed. A deletion always fits.
        """
        total_bytes = self._bytes_of_changes + _bytes_of_change(path, text)
        if path in self._changes:
            # The new change replaces the earlier one of this file.
            total_bytes -= _bytes_of_change(path, self._changes[path])
        if text is not None and total_bytes > bounds.MOST_WRITTEN_BYTES:
            msg = f"all that is written may take at most {bounds.MOST_WRITTEN_BYTES} bytes"
            raise CallError(RESOURCE_EXHAUSTED, msg)
        if self._on_change is not None:
            self._on_change(path, text)
        self._changes[path] = text
        self._bytes_of_changes = total_bytes
        self.version += 1
        self._spellings = None
        if self._known_index is not None:
            _index_change(self._known_index, path, text)

    def watch_changes(self, on_change: _OnChange) -> None:
        """Call `on_change(path, text)` before each change: before a file is written, or deleted (None)."""
        self._on_change = on_change

    # The existing paths, found by any spelling

    @property
    def _index(self) -> DirectoryIndex:
        """The directories, and the names in each of them."""
        if self._known_index is None:
            self._known_index = DirectoryIndex(self._listed_directories, self._base)
            for path, text in self._changes.items():
                _index_change(self._known_index, path, text)
        return self._known_index

    def _existing(self, path: str) -> str:
        """Return the existing path that `path` refers to, of a file or directory.

        If there is none, raises `CallError`, which suggests a similar path: `there is no
        /docs/adress.md; there is /docs/address.md`.
        """
        resolved = self.resolve(path or "/")
        if resolved is None:
            missing = normal_path(path)
            msg = f"there is no {missing}{suggestion(self._index, missing)}"
            raise CallError(NOT_FOUND, msg)
        return resolved

    def _exists(self, path: str) -> bool:
        """Return True if there is a file or directory at exactly `path`. A deleted file is none."""
        if path in self._changes:
            is_file = self._changes[path] is not None
        else:
            is_file = path in self._base
        return is_file or self._index.is_dir(path)

    def _folded(self, name: str) -> str:
        """Return a name as it is compared: in lower case if case is ignored."""
        return name.casefold() if self._ignore_case else name

    def _spellings_by_folded_form(self) -> dict[str, str]:
        """Return all paths by their form without case: `{"/docs/a.md": "/Docs/A.md"}`."""
        if self._spellings is None:
            # If several paths differ only in case, the first one counts. Backwards, it is
            # the last to be set.
            self._spellings = {}
            for entry in reversed(self._index.below("/")):
                self._spellings[entry.path.casefold()] = entry.path
        return self._spellings

    def _in_utf_8(self, path: str) -> bytes:
        """Return the text of a file in UTF-8, for a search; empty if there is no file."""
        if isinstance(self._base, TextFiles) and path not in self._changes:
            return self._base.in_utf_8(path)  # It may have the bytes already.
        return (self.text(path) or "").encode("utf-8", "surrogatepass")


def _index_change(index: DirectoryIndex, path: str, text: str | None) -> None:
    """Add the path of a written file, or remove that of a deleted one (`text` is None)."""
    if text is None:
        index.remove_file(path)
    else:
        index.add(path)


def _bytes_of_change(path: str, text: str | None) -> int:
    """Return the size of a change in a message to a worker. `text` is None for a deleted file."""
    return len(json.dumps([path, text], ensure_ascii=False).encode("utf-8", "replace"))


def _lines_from_to(text: str, first: int, last: int) -> str:
    """Return the lines of a text from `first` to `last`: of `a\\nb\\nc`, 2 to 3 -> `b\\nc`.

    0 means the first or the last line. Raises `CallError` if `first` is behind `last`.
    """
    if not first and not last:
        return text
    if first < 0 or last < 0 or (last and first > last):
        msg = f"lines {first} to {last} are no range (they count from 1)"
        raise CallError(INVALID_ARGUMENT, msg)
    # `str.splitlines` would also split at other characters than a line feed.
    lines = io.StringIO(text, newline="\n")
    # No text has more lines than characters. `islice` refuses numbers that are far larger.
    lines_before = min(max(first - 1, 0), len(text))
    end = min(last, len(text)) if last else None
    return "".join(islice(lines, lines_before, end))


def sha256_of(text: str) -> str:
    """Return the hex SHA-256 of the text's UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
