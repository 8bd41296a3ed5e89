"""The files of an environment in memory, and the operations of scripts on them.

Results are deterministic: listings are sorted. Failures are `CallError`s.

These calls run in the parent process on behalf of untrusted scripts, so each takes
time linear in the size of the files.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import islice
from posixpath import dirname
from typing import Final, TypeAlias

from controlplane.sandbox.files.changed_files import ChangedFiles
from controlplane.sandbox.files.file_paths import (
    base_name,
    check_glob,
    content_type,
    normal_path,
    paths_matching,
)
from controlplane.sandbox.files.search import SEARCH_S, LineSearch, search_files
from controlplane.sandbox.files.tree_paths import TreePaths
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    FAILED_PRECONDITION,
    INVALID_ARGUMENT,
    NOT_FOUND,
    PERMISSION_DENIED,
    CallError,
)
from controlplane.sandbox.interface.operations import Plain

_KINDS: Final = ("all", "files", "dirs")

_OnChange: TypeAlias = Callable[[str, str | None], None]

# `list` is an operation within the class below.
_Paths: TypeAlias = list[str]
_Entries: TypeAlias = list[Plain]


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
        self._files = ChangedFiles(base)
        self._paths = TreePaths(self._files, directories, ignore_case=ignore_case)
        self._writable = writable
        self._on_change: _OnChange | None = None

    # The paths, for scripts

    def stat(self, path: str) -> dict[str, Plain]:
        """Return what a path is, as in `{"path": "/docs/a.md", "is_dir": False, ...}`.

        The content type, such as `text/markdown`, is empty for a directory.
        """
        resolved = self._paths.existing(path)
        is_dir = self._paths.index.is_dir(resolved)
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
        resolved = self._paths.existing(path)
        if not self._paths.index.is_dir(resolved):
            raise CallError(INVALID_ARGUMENT, f"{resolved} is a file, not a directory")
        entries = self._paths.index.entries_in(resolved)
        shown: _Entries = []
        for entry in entries:
            name = base_name(entry.path)
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
        return self._paths.index.tree(self._paths.existing(root), levels)

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
        found = self._found_paths(name or "*", self._paths.existing(root), kind)
        if limit <= 0:
            return {"paths": [*found], "truncated": False}
        first_paths = [*islice(found, limit)]
        has_more = next(found, None) is not None
        return {"paths": [*first_paths], "truncated": has_more}

    def _found_paths(self, glob: str, root: str, kind: str) -> Iterator[str]:
        """Yield the paths below `root` that have the kind, and a name that matches the glob."""
        folded = self._paths.folded  # In lower case, if the tree ignores case.
        folded_glob = folded(glob)
        for entry in self._paths.index.below(root):
            kind_of_entry = "dirs" if entry.is_dir else "files"
            if kind not in ("all", kind_of_entry):
                continue
            if fnmatchcase(folded(base_name(entry.path)), folded_glob):
                yield entry.path

    # The texts, for scripts

    def read(
        self, path: str, start_line: int = 0, end_line: int = 0
    ) -> dict[str, Plain]:
        """Return the text of a file, or of its lines from `start_line` to `end_line`.

        Lines count from 1, and both are included. 0 means the first or the last line. The
        hash is that of the whole text, so that a later `write` can see if the file is the same.
        """
        resolved = self._paths.existing(path)
        if self._paths.index.is_dir(resolved):
            raise CallError(INVALID_ARGUMENT, f"{resolved} is a directory; list it")
        whole = self._files.text(resolved)
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
        large_files = self._files.large_files()
        paths = []
        for path in self.paths(root, files):
            if path not in large_files or path == normal_path(root):
                paths.append(path)
        texts = ((path, self._files.in_utf_8(path)) for path in paths)
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
        target = self._paths.resolve(path) or normal_path(path)
        self._check_target(target)
        if if_match_sha256:
            # A missing file has no hash, so it is refused, too.
            present_text = self._files.text(target)
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
        if self._paths.index.is_dir(target):
            raise CallError(FAILED_PRECONDITION, f"{target} is a directory")
        folder_above = dirname(target)
        while folder_above != "/":
            if self._files.text(folder_above) is not None:
                msg = f"{folder_above} is a file; nothing can be written below it"
                raise CallError(FAILED_PRECONDITION, msg)
            folder_above = dirname(folder_above)
        if not self._writable(target):
            raise CallError(PERMISSION_DENIED, f"{target} may not be written")

    def delete(self, path: str) -> dict[str, Plain]:
        """Remove a file, and return its path: `{"path": "/docs/a.md"}`. A directory is refused."""
        resolved = self._paths.existing(path)
        if self._paths.index.is_dir(resolved):
            msg = f"{resolved} is a directory; delete its files one by one"
            raise CallError(FAILED_PRECONDITION, msg)
        if not self._writable(resolved):
            raise CallError(PERMISSION_DENIED, f"{resolved} may not be deleted")
        self.apply(resolved, None)
        return {"path": resolved}

    # For trusted callers

    @property
    def changes(self) -> Mapping[str, str | None]:
        """The changed files: `{"/docs/a.md": "new text", "/docs/old.md": None}` (deleted)."""
        return self._files.changes

    @property
    def version(self) -> int:
        """The number of changes so far."""
        return self._files.version

    def text(self, path: str) -> str | None:
        """Return the whole text of the file at exactly `path`, or None if there is no file."""
        return self._files.text(path)

    def resolve(self, path: str) -> str | None:
        """Return the existing path that `path` refers to: `docs/a.md` -> `/docs/a.md`.

        None if there is no such file or directory.
        """
        return self._paths.resolve(path)

    def paths(self, root: str = "/", glob: str = "") -> _Paths:
        """Return the paths of all files at or below `root`, sorted.

        A glob such as `*.md` selects files by name; one with a slash, such as
        `docs/*.md`, by path. Raises `CallError` if `root` does not exist.
        """
        check_glob(glob)
        resolved = self._paths.existing(root)
        index = self._paths.index
        if not index.is_dir(resolved):
            return paths_matching([resolved], glob)
        files = [entry.path for entry in index.below(resolved) if not entry.is_dir]
        return paths_matching(files, glob)

    def apply(self, path: str, text: str | None) -> None:
        """Write a file, or delete it if `text` is None, for trusted callers: any path may be changed.

        The function that `watch_changes` was given is called first. Raises `CallError` if all changes together would take
        too many bytes.
        """
        self._files.change(path, text, self._on_change)
        self._paths.update(path, text)

    def watch_changes(self, on_change: _OnChange) -> None:
        """Call `on_change(path, text)` before each change: before a file is written, or deleted (None)."""
        self._on_change = on_change


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
    return "".join(islice(lines, max(first - 1, 0), last or None))


def sha256_of(text: str) -> str:
    """Return the hex SHA-256 of the text's UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
