"""The files of an environment in memory, and the operations of scripts on them.

Results are deterministic: listings are sorted. Failures are `CallError`s.

These calls run in the parent process on behalf of untrusted scripts, so each takes
time linear in the size of the files.
"""

from __future__ import annotations

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
)
from controlplane.sandbox.files.tree_paths import Entry, TreePaths, files_at, tree_node
from controlplane.sandbox.files.tree_texts import TreeTexts, sha256_of
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    FAILED_PRECONDITION,
    INVALID_ARGUMENT,
    PERMISSION_DENIED,
    CallError,
)
from controlplane.sandbox.interface.operations import Plain

# What a tree of files contains: its paths, without the texts.

KINDS: Final = ("all", "files", "dirs")


class _TreeViews:
    """The operations by which a script sees the paths of a tree, without the texts.

    `harness.list("/docs")` calls `list`. All methods raise `CallError`, for example if the
    path does not exist.
    """

    def __init__(self, paths: TreePaths, writable: Callable[[str], bool]) -> None:
        """`writable(path)` says whether a path may be written or deleted."""
        self._paths = paths
        self._writable = writable

    def stat(self, path: str) -> dict[str, Plain]:
        """Return what a path is, as in `{"path": "/docs/a.md", "is_dir": False, ...}`.

        The content type, such as `text/markdown`, is empty for a directory.
        """
        resolved = self._paths.existing(path)
        is_dir = self._paths.is_dir(resolved)
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
        if not self._paths.is_dir(resolved):
            raise CallError(INVALID_ARGUMENT, f"{resolved} is a file, not a directory")
        entries = self._paths.index.entries_in(resolved)
        return {"entries": [_shown_entry(entry) for entry in entries]}

    def tree(self, root: str = "/", level: int = 2) -> dict[str, Plain]:
        """Return a file or directory with everything below it, `level` directories deep (0: all).

        Each node has its `name`, `is_dir` and `children`.
        """
        if level < 0:
            msg = f"level {level} is negative; 0 means all levels"
            raise CallError(INVALID_ARGUMENT, msg)
        # No tree has more levels than this, so it means all of them.
        levels = level or bounds.MOST_FOLDER_LEVELS + 1
        return tree_node(self._paths.index, self._paths.existing(root), levels)

    def find(
        self, name: str, root: str = "/", kind: str = "all", limit: int = 10
    ) -> dict[str, Plain]:
        """Return the paths below `root` whose name matches the glob `name`, such as `*.md`.

        The result is `{"paths": ["/docs/a.md"], "truncated": False}`: at most `limit` paths
        (0: all), and whether there are more. `kind` is `all`, `files` or `dirs`. An empty
        glob matches every name.
        """
        if kind not in KINDS:
            msg = f"kind {kind!r} is not one of {', '.join(KINDS)}"
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
            if not _has_kind(entry, kind):
                continue
            if fnmatchcase(folded(base_name(entry.path)), folded_glob):
                yield entry.path


def _has_kind(entry: Entry, kind: str) -> bool:
    """Return True if an entry has one of the `KINDS`: `all`, `files` or `dirs`."""
    match kind:
        case "files":
            return not entry.is_dir
        case "dirs":
            return entry.is_dir
        case _:
            return True


def _shown_entry(entry: Entry) -> dict[str, Plain]:
    """Return an entry of a directory as `list` shows it to a script."""
    return {
        "name": base_name(entry.path),
        "path": entry.path,
        "is_dir": entry.is_dir,
    }


# The changes of a tree of files: files that are written or deleted.

_OnChange: TypeAlias = Callable[[str, str | None], None]
"""Called with the path and the new text of a file, before it is written;
the text is None before it is deleted."""


class _TreeWriter:
    """The operations by which a script changes a tree. All of them raise `CallError`.

    `harness.write("/docs/a.md", "# Rules")` calls `write`.
    """

    def __init__(
        self,
        files: ChangedFiles,
        paths: TreePaths,
        writable: Callable[[str], bool],
        on_change: _OnChange,
    ) -> None:
        """`writable(path)` says whether a path may be written or deleted.

        `on_change(path, text)` is called before each change; the text is None for a deletion.
        """
        self._files = files
        self._paths = paths
        self._writable = writable
        self.on_change = on_change

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
            self._check_hash(target, if_match_sha256)
        self.apply(target, content)
        return {"path": target}

    def delete(self, path: str) -> dict[str, Plain]:
        """Remove a file, and return its path: `{"path": "/docs/a.md"}`. A directory is refused."""
        resolved = self._paths.existing(path)
        if self._paths.is_dir(resolved):
            msg = f"{resolved} is a directory; delete its files one by one"
            raise CallError(FAILED_PRECONDITION, msg)
        if not self._writable(resolved):
            raise CallError(PERMISSION_DENIED, f"{resolved} may not be deleted")
        self.apply(resolved, None)
        return {"path": resolved}

    def apply(self, path: str, text: str | None) -> None:
        """Write a file, or delete it if `text` is None. The path is not checked.

        Raises `CallError` if all changes together would take too many bytes, and whatever
        `on_change` raises. In both cases nothing has changed.
        """
        change = self._files.possible_change(path, text)
        # Before the change is made: this may fail, for example because a disk is full.
        self.on_change(path, text)
        self._files.make(change)
        self._paths.add_change(change)

    def _check_target(self, target: str) -> None:
        """Raise `CallError` if no file may be written at a path.

        That is a directory, a path below a file, or a path that `writable` does not permit.
        """
        if self._paths.is_dir(target):
            raise CallError(FAILED_PRECONDITION, f"{target} is a directory")
        folder_above = dirname(target)
        while folder_above != "/":
            if self._files.text(folder_above) is not None:
                msg = f"{folder_above} is a file; nothing can be written below it"
                raise CallError(FAILED_PRECONDITION, msg)
            folder_above = dirname(folder_above)
        if not self._writable(target):
            raise CallError(PERMISSION_DENIED, f"{target} may not be written")

    def _check_hash(self, target: str, expected_sha256: str) -> None:
        """Raise `CallError` unless the present text of a file has the expected hash.

        A missing file has no hash, so it is refused, too.
        """
        present_text = self._files.text(target)
        actual_sha256 = "" if present_text is None else sha256_of(present_text)
        if actual_sha256 != expected_sha256.lower():
            msg = f"{target} has sha256 {actual_sha256 or '(no file)'}; read it again"
            raise CallError(FAILED_PRECONDITION, msg)


class FileTree:
    """The files that a trial's scripts see, in memory: first texts, and all changes of them.

    A script's `harness.read("/docs/a.md")` becomes `tree.read("/docs/a.md")`, which returns
    `{"path": "/docs/a.md", "content": "# Rules", ...}`, or raises `CallError`.
    """

    def __init__(
        self,
        base: Mapping[str, str],
        *,
        directories: Iterable[str] = (),
        ignore_case: bool = False,
        writable: Callable[[str], bool] = lambda path: True,
        on_change: _OnChange = lambda path, text: None,
    ) -> None:
        """Take the first texts by absolute path: `base` is `{"/docs/a.md": "# Rules"}`.

        - `directories` exist even if they are empty
        - `ignore_case`: a path that does not exist means the one that differs only in case
        - `writable(path)` says whether a path may be written or deleted; by default any may
        - `on_change(path, text)` is called before a file is written, or deleted (None)
        """
        self._files = ChangedFiles(base)
        self._paths = TreePaths(self._files, directories, ignore_case=ignore_case)

        # The operations of scripts, by the names that `FILE_OPERATIONS` declares. Each is a method
        # of one of three objects: one shows the paths, one the texts, one writes.
        views = _TreeViews(self._paths, writable)
        self.list = views.list
        self.tree = views.tree
        self.find = views.find
        self.stat = views.stat

        texts = TreeTexts(self._files, self._paths)
        self.read = texts.read
        self.search = texts.search

        self._writer = _TreeWriter(self._files, self._paths, writable, on_change)
        self.write = self._writer.write
        self.delete = self._writer.delete

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

    def paths(self, root: str = "/", glob: str = "") -> list[str]:
        """Return the paths of all files at or below `root`, sorted.

        A glob such as `*.md` selects files by name; one with a slash, such as
        `docs/*.md`, by path. Raises `CallError` if `root` does not exist.
        """
        return files_at(self._paths, root, glob)

    def apply(self, path: str, text: str | None) -> None:
        """Write a file, or delete it if `text` is None, for trusted callers: any path may be changed.

        `on_change` is called first. Raises `CallError` if all changes together would take
        too many bytes.
        """
        self._writer.apply(path, text)

    def watch_changes(self, on_change: _OnChange) -> None:
        """Call `on_change(path, text)` before each change from now on, in place of the present one."""
        self._writer.on_change = on_change
