"""The files that a question is about, and what is known about them.

`ask "Which invoices are open?" invoices/` is a question about the files below
`invoices/`. `find_sources` (in `folder_scan`) finds them. `add_documents` (in
`documents`) then replaces PDFs and the like by their texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from controlplane.benchmarks.files.sources.file_suffixes import is_table
from controlplane.benchmarks.files.sources.file_versions import versions_of
from controlplane.benchmarks.files.sources.left_out import LeftOut
from controlplane.benchmarks.files.sources.regular_file import (
    read_first_bytes,
    read_regular_file,
)
from controlplane.benchmarks.files.sources.utf_8_text import in_utf_8
from controlplane.sandbox.files import ListedFiles
from controlplane.sandbox.interface import bounds
from controlplane.text_files import decode_text

MB: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class SourceLimits:
    """The limits for the files of one question. Each is an option, such as `--set file_mb=50`."""

    file_mb: float = bounds.MOST_FILE_MB
    """The largest size of a file that is read as a whole, in megabytes (1,000,000 bytes).
    A larger text is read in parts; a larger document is left out."""
    total_mb: float = bounds.MOST_TOTAL_MB
    """The largest size of all files together. Files beyond it are left out."""
    most_files: float = bounds.MOST_QUESTION_FILES
    """The largest number of files. Further ones are left out."""


@dataclass
class SourceFiles(ListedFiles):
    """The texts of the files of a question, by path: `/notes/a.md` for `root / "notes/a.md"`.

    Most are read from disk on each access. A document, such as a PDF, is replaced by text files
    for its parts, which are kept in memory. For `notes.md` and a `fees.pdf` of two pages:

        paths            {"/notes.md": 812, "/fees.pdf/page-1": 9, "/fees.pdf/page-2": 7}
        texts_in_memory  {"/fees.pdf/page-1": "Fees 2026", "/fees.pdf/page-2": "12 euros"}
        parts            {"/fees.pdf": ["/fees.pdf/page-1", "/fees.pdf/page-2"]}
    """

    root: Path
    limits: SourceLimits = field(default_factory=SourceLimits)
    is_on_disk: bool = True
    """False if all texts are in memory; see `of_texts`."""

    paths: dict[str, int] = field(default_factory=dict)
    """The size in bytes of each file, by its path."""
    total_bytes: int = 0
    """The size of all files."""
    large: set[str] = field(default_factory=set)
    """Text files that are too large to be read as a whole, only in parts."""
    texts_in_memory: dict[str, str] = field(default_factory=dict)
    """The texts of files that are not read from disk."""
    parts: dict[str, list[str]] = field(default_factory=dict)
    """The files that a document was split into, by the document's path."""

    left_out: LeftOut = field(default_factory=LeftOut)
    encodings: dict[str, str] = field(default_factory=dict)
    """The encodings of files that are not UTF-8, by path. Each is noted when the file is read."""
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Facts that a document's text does not show, such as merged cells, by path."""

    @classmethod
    def of_texts(cls, texts: Mapping[str, str]) -> SourceFiles:
        """Return sources whose texts are in memory."""
        sources = cls(Path("/"), is_on_disk=False)
        for path, text in sorted(texts.items()):
            sources.add_text(path, text)
        return sources

    def add(self, path: str, size: int) -> None:
        """Add a file on disk, of so many bytes."""
        self.paths[path] = size
        self.total_bytes += size

    def add_text(self, path: str, text: str) -> None:
        """Add a file whose text is kept in memory."""
        self.texts_in_memory[path] = text
        self.add(path, len(text.encode("utf-8", "replace")))

    def remove(self, path: str) -> None:
        """Remove a file on disk."""
        self.total_bytes -= self.paths.pop(path)

    def __getitem__(self, path: str) -> str:
        """Return the text of a file. Raises `KeyError` if there is none, or if it cannot be read."""
        if path in self.texts_in_memory:
            return self.texts_in_memory[path]
        data = self.bytes_of(path) if path in self.paths else None
        if data is None:
            raise KeyError(path)
        decoded = decode_text(data)
        if decoded.encoding != "utf-8":
            self.encodings[path] = decoded.encoding
        return decoded.text

    def bytes_of(self, path: str) -> bytes | None:
        """Return a file's content; None if it is gone, too large, or replaced by a link."""
        text = self.texts_in_memory.get(path)
        if text is not None:
            return text.encode("utf-8", "replace")
        max_mb = bounds.MOST_LARGE_MB if path in self.large else self.limits.file_mb
        return read_regular_file(self._path_on_disk(path), max_mb * MB)

    def first_bytes_of(self, path: str, count: int) -> bytes | None:
        """Return the first bytes of a file of any size; None if it is gone or became a link."""
        text = self.texts_in_memory.get(path)
        if text is not None:
            return text.encode("utf-8", "replace")[:count]
        return read_first_bytes(self._path_on_disk(path), count)

    def _path_on_disk(self, path: str) -> str:
        return f"{str(self.root).rstrip('/')}{path}"

    def in_utf_8(self, path: str) -> bytes:
        """Return a file's text in UTF-8; empty if the file is gone."""
        return in_utf_8(self.bytes_of(path) or b"")

    @property
    def has_tables(self) -> bool:
        """True if a file can be queried as a table by its suffix."""
        return any(is_table(path) for path in self.paths)

    @cached_property
    def versions(self) -> list[list[str]]:
        """The families of files that are versions of one another, each newest first."""
        return versions_of(self.paths, self.first_bytes_of)
