"""The files of an environment in memory, and the operations of scripts on them.

Results are deterministic: listings are sorted. Failures are `CallError`s.

These calls run in the parent process on behalf of untrusted scripts, so each takes
time linear in the size of the files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from controlplane.sandbox.files.changed_files import ChangedFiles
from controlplane.sandbox.files.tree_paths import TreePaths, files_at
from controlplane.sandbox.files.tree_texts import TreeTexts
from controlplane.sandbox.files.tree_views import TreeViews
from controlplane.sandbox.files.tree_writer import OnChange, TreeWriter


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
        on_change: OnChange = lambda path, text: None,
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
        views = TreeViews(self._paths, writable)
        self.list = views.list
        self.tree = views.tree
        self.find = views.find
        self.stat = views.stat

        texts = TreeTexts(self._files, self._paths)
        self.read = texts.read
        self.search = texts.search

        self._writer = TreeWriter(self._files, self._paths, writable, on_change)
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

    def watch_changes(self, on_change: OnChange) -> None:
        """Call `on_change(path, text)` before each change from now on, in place of the present one."""
        self._writer.on_change = on_change
