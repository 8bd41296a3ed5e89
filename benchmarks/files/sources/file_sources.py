"""The files that a question is about, and what is known about them.

`find_sources` (in `folder_scan`) finds them below a folder. `add_documents` (in
`documents`) then replaces PDFs and the like by their texts.
"""

from __future__ import annotations

import hashlib
import os
from codecs import BOM_UTF8
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

from controlplane.benchmarks.files.sources.file_suffixes import is_table
from controlplane.benchmarks.files.sources.file_versions import (
    families_by_correction,
    families_by_front_matter,
    families_by_name,
)
from controlplane.benchmarks.files.sources.regular_file import read_file
from controlplane.sandbox.files import ListedFiles
from controlplane.sandbox.interface import bounds
from controlplane.text_files import decode_text

MB: Final = 1_000_000
SHOWN_NAME_CHARS: Final = 60


@dataclass(frozen=True, slots=True)
class SourceLimits:
    """The limits for the files of one question."""

    file_mb: float = bounds.MOST_FILE_MB
    """The size of a file that is read as a whole."""
    total_mb: float = bounds.MOST_TOTAL_MB
    most_files: float = bounds.MOST_FILES


class LeftOut(dict[str, list[str]]):
    """The paths of files that are left out, by reason."""

    def add(self, reason: str, path: str) -> None:
        """Record that a file is left out."""
        self.setdefault(reason, []).append(path)

    def reason_of(self, path: str) -> str:
        """Return why a file was left out; empty if it was not."""
        for reason, paths in self.items():
            if path in paths:
                return reason
        return ""


@dataclass
class SourceFiles(ListedFiles):
    """The texts of the files below `root`, by path: `/notes/a.md` for `root / "notes/a.md"`.

    A file is read on each access; its text is not kept in memory.
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
    left_out: LeftOut = field(default_factory=LeftOut)
    encodings: dict[str, str] = field(default_factory=dict)
    """The encodings of files that were read and are not UTF-8, by path."""

    documents: dict[str, str] = field(default_factory=dict)
    """The texts of files that are not read from disk, such as those converted from a PDF."""
    parts: dict[str, list[str]] = field(default_factory=dict)
    """The text files that a document was split into, by the document's path."""
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
        """Add a file of so many bytes."""
        self.paths[path] = size
        self.total_bytes += size

    def add_text(self, path: str, text: str) -> None:
        """Add a file whose text is kept in memory."""
        self.documents[path] = text
        self.add(path, len(text.encode("utf-8", "replace")))

    def remove(self, path: str) -> None:
        """Remove a file."""
        self.total_bytes -= self.paths.pop(path)

    def __getitem__(self, path: str) -> str:
        if path in self.documents:
            return self.documents[path]
        data = self.bytes_of(path) if path in self.paths else None
        if data is None:
            raise KeyError(path)
        decoded = decode_text(data)
        if decoded.encoding != "utf-8":
            self.encodings[path] = decoded.encoding
        return decoded.text

    def bytes_of(self, path: str, most: int = 0) -> bytes | None:
        """Return the first `most` bytes of a file, or all if `most` is 0.

        None means that the file is gone, too large, or replaced by a link.
        """
        document = self.documents.get(path)
        if document is not None:
            data = document.encode("utf-8", "replace")
            return data[:most] if most else data
        real_path = f"{str(self.root).rstrip('/')}{path}"
        max_mb = bounds.MOST_LARGE_MB if path in self.large else self.limits.file_mb
        return read_file(real_path, most, max_mb * MB)

    def in_utf_8(self, path: str) -> bytes:
        """Return a file's text in UTF-8."""
        data = self.bytes_of(path) or b""
        if is_plain(data) and _is_utf_8(data):
            return data
        return decode_text(data).text.encode("utf-8", "replace")

    @property
    def digest(self) -> str:
        """A hash that changes if the files change.

        If the files are too large to read them all, the sizes and modification times
        are hashed instead of the texts. Texts that are not on disk have only a size.
        """
        digest = hashlib.sha256()
        is_small = self.total_bytes <= bounds.MOST_SEARCHED_BYTES
        for path, size in self.paths.items():
            digest.update(f"{path}\0{size}\0".encode("utf-8", "surrogateescape"))
            if is_small:
                digest.update(self.bytes_of(path) or b"")
            elif path not in self.documents:
                digest.update(str(os.lstat(f"{self.root}{path}").st_mtime_ns).encode())
        return digest.hexdigest()[:12]

    def left_out_text(self) -> str:
        """Return one line on which files are left out and why; empty if there are none."""
        reasons = dict(self.left_out)
        if self.large:
            size = f"{self.limits.file_mb:g} MB"
            reasons[f"above {size}, read in part and as tables, not searched"] = sorted(
                self.large
            )
        parts = []
        for reason in sorted(reasons):
            parts.append(f"{reason} ({_shortened_names(reasons[reason])})")
        return f"skipped: {'; '.join(parts)}" if parts else ""

    @property
    def has_tables(self) -> bool:
        """True if a file can be queried as a table by its suffix."""
        return any(is_table(path) for path in self.paths)

    @cached_property
    def versions(self) -> list[list[str]]:
        """The groups of files that are versions of one another, each newest first."""
        families = families_by_name(self.paths)
        families += families_by_correction(self.paths)
        families += families_by_front_matter(self.paths, self.bytes_of)
        different = []
        for family in families:
            if family not in different:
                different.append(family)
        return different


def is_plain(data: bytes) -> bool:
    """Return True if the data has neither a byte order mark nor the null bytes of UTF-16."""
    return b"\0" not in data and not data.startswith(BOM_UTF8)


def _is_utf_8(data: bytes) -> bool:
    """Return True if the data is UTF-8. This is ten times as fast as `decode_text`."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _shortened_names(paths: Sequence[str]) -> str:
    """Return a few of the paths, shortened at the start, and the number of the others."""
    names = []
    for path in paths[: bounds.SHOWN_FEW]:
        name = path.lstrip("/")
        if len(name) > SHOWN_NAME_CHARS:
            name = f"…{name[-SHOWN_NAME_CHARS:]}"
        names.append(name)
    if len(paths) > bounds.SHOWN_FEW:
        names.append(f"{len(paths) - bounds.SHOWN_FEW:,} more")
    return ", ".join(names)
