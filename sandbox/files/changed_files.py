"""Files in memory: the texts at the start, and all changes of them.

The texts at the start (the base) never change. Changes are stored separately,
and take precedence over the base.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from types import MappingProxyType

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import RESOURCE_EXHAUSTED, CallError

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


class ChangedFiles:
    """The text files of a trial as they are now: the first texts, with all changes over them.

    `base` has the first texts by absolute path, as in `{"/docs/a.md": "# Rules"}`, and is
    never changed. A changed text is kept in memory and found before that of `base`.
    """

    def __init__(self, base: Mapping[str, str]) -> None:
        self.base = base
        self._changes: dict[str, str | None] = {}
        """The texts of changed files by path; None for a deleted file."""
        self._bytes_of_changes = 0
        """The bytes that all changes together take in a message to a worker."""
        self.version = 0
        """The number of changes so far."""

    @property
    def changes(self) -> Mapping[str, str | None]:
        """The changed files: `{"/docs/a.md": "new text", "/docs/old.md": None}`.

        None stands for a deleted file. The mapping is a view, and can only be read.
        """
        return MappingProxyType(self._changes)

    def text(self, path: str) -> str | None:
        """Return the whole text of the file at exactly `path`, or None if there is no file."""
        if path in self._changes:
            return self._changes[path]
        try:
            # Not `get`: `Mapping.get` may call `__getitem__`, which reads the file, twice.
            return self.base[path]
        except KeyError:
            return None

    def has_file(self, path: str) -> bool:
        """Return True if there is a file at exactly `path`. A deleted file is none."""
        if path in self._changes:
            return self._changes[path] is not None
        return path in self.base

    def in_utf_8(self, path: str) -> bytes:
        """Return the text of a file in UTF-8, for a search; empty if there is no file."""
        if isinstance(self.base, TextFiles) and path not in self._changes:
            return self.base.in_utf_8(path)  # It may have the bytes already.
        return (self.text(path) or "").encode("utf-8", "surrogatepass")

    def large_files(self) -> Collection[str]:
        """Return the paths of files that take long to search (`TextFiles.large`).

        A search leaves them out, unless it is for one such file alone.
        """
        if isinstance(self.base, TextFiles):
            return self.base.large
        return ()

    def change(
        self,
        path: str,
        text: str | None,
        on_change: Callable[[str, str | None], None] | None,
    ) -> None:
        """Write a file, or delete it if `text` is None, after calling `on_change(path, text)`, if any.

        Raises `CallError` if all changes together would take too many bytes, and whatever
        `on_change` raises, for example because a disk is full. In both cases nothing has changed.
        A deletion always fits.
        """
        total_bytes = self._bytes_of_changes + _bytes_of_change(path, text)
        if path in self._changes:
            # The new change replaces the earlier one of this file.
            total_bytes -= _bytes_of_change(path, self._changes[path])
        if text is not None and total_bytes > bounds.MOST_WRITTEN_BYTES:
            msg = f"all that is written may take at most {bounds.MOST_WRITTEN_BYTES} bytes"
            raise CallError(RESOURCE_EXHAUSTED, msg)
        if on_change is not None:
            on_change(path, text)
        self._changes[path] = text
        self._bytes_of_changes = total_bytes
        self.version += 1


def _bytes_of_change(path: str, text: str | None) -> int:
    """Return the size of a change in a message to a worker. `text` is None for a deleted file."""
    return len(json.dumps([path, text], ensure_ascii=False).encode("utf-8", "replace"))
