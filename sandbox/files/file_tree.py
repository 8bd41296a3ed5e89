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
    """The text files of `base` by absolute path, and all changes of them.

    `directories` names directories that exist even if they are empty. With
    `ignore_case`, a path that does not exist refers to the existing path that differs
    only in case. `writable(path)` says whether a path may be written or deleted; the
    default permits all. `on_change(path, text)` is called before a file is written, or
    deleted (`text` is None).
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
        self._files = ChangedFiles(base)
        self._paths = TreePaths(self._files, directories, ignore_case=ignore_case)

        # The operations of scripts, by the names that `FILE_OPERATIONS` declares. Each is a method
        # of one of three objects: those that show the tree, read texts, and write.
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
        """Written (path to text) and deleted (path to None) files since the start."""
        return self._files.changes

    @property
    def version(self) -> int:
        """The number of changes so far."""
        return self._files.version

    def text(self, path: str) -> str | None:
        """Return the whole text of the file at exactly `path`, or None if there is no file."""
        return self._files.text(path)

    def resolve(self, path: str) -> str | None:
        """Return the existing path that `path` refers to, or None if there is none."""
        return self._paths.resolve(path)

    def paths(self, root: str = "/", glob: str = "") -> list[str]:
        """Return the paths of all files at or below `root`, sorted.

        A glob such as `*.md` selects files by name; one with a slash, such as
        `docs/*.md`, by path. Raises `CallError` if `root` does not exist.
        """
        return files_at(self._paths, root, glob)

    def apply(self, path: str, text: str | None) -> None:
        """Write a file, or delete it if `text` is None. Unlike in `write`, the path is not checked.

        Raises `CallError` if all changes together would take too many bytes.
        """
        self._writer.apply(path, text)

    def watch_changes(self, on_change: OnChange) -> None:
        """Call `on_change(path, text)` before each change from now on, in place of the present one."""
        self._writer.on_change = on_change
