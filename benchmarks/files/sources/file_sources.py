"""The files that a question is about, and what is known about them.

`ask "Which invoices are open?" invoices/` is a question about the files below
`invoices/`. `find_sources` finds them, and `add_documents` then replaces PDFs and the like by
their texts (both in `benchmarks/files/files_benchmark.py`).
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
import unicodedata
from codecs import BOM_UTF8
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from controlplane.benchmarks.files.sources.file_suffixes import is_table
from controlplane.sandbox.files import TextFiles
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.foreign_documents import Unreadable, parse_yaml
from controlplane.text_files import decode_text

# Finds corrected copies of files by words in their names: `fees (corrected).md` and `fees.md`.
#
# The copy and its original form a family, a list of two paths with the copy first. The original
# has mistakes, so an answer must not rest on it.

_CORRECTED: Final = """
    corrected correction revised revision amended amendment updated erratum korrigiert korrektur berichtigt
    ueberarbeitet überarbeitet corrigé corrige rectifié corregido corregida corretto rettificato corrigido
    gecorrigeerd poprawiony poprawione korekta opraveno rättad rettet korrigerad 訂正 訂正版 修正 修正版
"""
_CORRECTED_WORDS: Final = frozenset(_CORRECTED.split())
"""Words that mark a corrected copy in a file's name, in European languages and Japanese."""
_NAME_SIGNS: Final = re.compile(r"[\s_.()\[\]-]+")
"""What stands between the words of a name: ` (` and `).` in `fees (corrected).md`."""


def _families_by_correction(paths: Collection[str]) -> list[list[str]]:
    """Return pairs of a corrected copy and its original, which is in the same folder.

    `["/fees.md", "/fees (corrected).md"]` -> `[["/fees (corrected).md", "/fees.md"]]`
    """
    originals = {}
    for path in paths:
        originals[_words_of_name(path)] = path
    pairs = []
    for path in paths:
        folder, words = _words_of_name(path)
        plain_words = tuple(word for word in words if word not in _CORRECTED_WORDS)
        original = originals.get((folder, plain_words))
        if original is not None and len(plain_words) < len(words):
            pairs.append([path, original])
    return pairs


def _words_of_name(path: str) -> tuple[str, tuple[str, ...]]:
    """Return a path's folder and the words of its name: `/a/Fees 1.md` -> `/a`, `fees 1 md`."""
    folder, _, name = path.rpartition("/")
    words = _NAME_SIGNS.split(unicodedata.normalize("NFC", name).casefold())
    return folder, tuple(word for word in words if word)


# Finds older and newer versions that Markdown files name themselves: `replaces: fees-2025.md`.
#
# Such a line is in the front matter: fields in YAML between `---` and `---` at the start of the
# file. Each pair of a newer and an older file becomes a family, a list with the newer path first.

_OLDER_KEYS: Final = ("replaces", "supersedes")
"""Keys of front matter whose values are older versions."""
_NEWER_KEYS: Final = ("replaced_by", "superseded_by")
"""Keys of front matter whose values are newer versions."""
_MARKDOWN_SUFFIXES: Final = (".md", ".markdown", ".mdx")
_MAX_MARKDOWN_FILES: Final = 5_000
"""If there are more Markdown files, no front matter is read, because it would take too long."""
_FRONT_MATTER_BYTES: Final = 4_096
"""The bytes at the start of a file in which front matter is looked for."""


def _families_by_front_matter(
    paths: Collection[str], first_bytes_of: Callable[[str, int], bytes | None]
) -> list[list[str]]:
    """Return pairs of a newer and an older Markdown file, by lines such as `replaces: fees.md`.

    If `/fees-2026.md` has this line -> `[["/fees-2026.md", "/fees.md"]]`.
    `first_bytes_of(path, count)` returns the first bytes of a file, or None if it cannot be
    read.
    """
    markdown_files = [
        path for path in paths if path.lower().endswith(_MARKDOWN_SUFFIXES)
    ]
    if len(markdown_files) > _MAX_MARKDOWN_FILES:
        return []
    pairs = []
    for path in markdown_files:
        fields = _front_matter(first_bytes_of(path, _FRONT_MATTER_BYTES) or b"")
        for key in (*_OLDER_KEYS, *_NEWER_KEYS):
            names = fields.get(key)
            for name in names if isinstance(names, list) else [names]:
                # Names are relative to the folder of the file: `../fees.md`.
                place = posixpath.normpath(
                    posixpath.join(posixpath.dirname(path), str(name))
                )
                if place in paths and place != path:
                    pairs.append([place, path] if key in _NEWER_KEYS else [path, place])
    return pairs


def _front_matter(head: bytes) -> dict[Any, Any]:
    """Return the fields between the lines `---` at the start of a file that may name versions.

    Example: `{"replaces": "fees-2024.md"}`.
    """
    text = head.decode("utf-8-sig", "replace").replace("\r\n", "\n")
    text_before, _, rest = text.partition("---\n")
    matter, end, _ = rest.partition("\n---")
    # Parsing takes time, so look for the keys first.
    has_key = any(key in matter for key in (*_OLDER_KEYS, *_NEWER_KEYS))
    if text_before == "" and end != "" and has_key:
        with suppress(Unreadable):
            fields = parse_yaml(matter)
            if isinstance(fields, dict):
                return fields
    return {}


# Finds files whose names differ only in a date or a version: `fees 2025.md` and `fees 2026.md`.
#
# They form a family, a list of paths with the newest first. A question about the fees is about
# those of the newest file, unless it says otherwise. A report of a year and a report of a day
# (`report 2025.md`, `report 2025-01-31.md`) are not versions of one another.

_YEAR: Final = r"(?:19|20)\d\d"
_MONTH: Final = r"[01]\d"
_DAY: Final = r"[0-3]\d"
_DATES_AND_VERSIONS: Final = (
    rf"{_YEAR}-{_MONTH}(?:-{_DAY})?",  # 2025-01, 2025-01-31
    rf"{_YEAR}_{_MONTH}(?:_{_DAY})?",
    rf"{_YEAR}\.{_MONTH}(?:\.{_DAY})?",
    rf"{_YEAR}{_MONTH}(?:{_DAY})?",
    _YEAR,
    r"[vV]\d+(?:\.\d+)*",  # v2, v1.4
    r"\d+(?:\.\d+)+",  # 1.4
)
_VERSION: Final = re.compile(
    rf"(?<![0-9A-Za-z])(?:{'|'.join(_DATES_AND_VERSIONS)})(?![0-9A-Za-z])"
)
"""A date or version number in a file's name, not next to another letter or digit."""
_DATE_START: Final = re.compile(_YEAR)
"""The start of a date. A version number does not begin with a year."""


def _families_by_name(paths: Collection[str]) -> list[list[str]]:
    """Return the files of a folder whose names differ only in dates or versions, newest first.

    `["/fees 2025.md", "/fees 2026.md", "/a.md"]` -> `[["/fees 2026.md", "/fees 2025.md"]]`
    """
    families: defaultdict[tuple[str, str], list[tuple[list[list[int]], str]]] = (
        defaultdict(list)
    )
    for path in paths:
        folder, _, name = path.rpartition("/")
        versions = [_version_of(text) for text in _VERSION.findall(name)]
        if versions:
            common_name = "\0".join(
                [*(kind for kind, _ in versions), *_VERSION.split(name)]
            )
            families[folder, common_name].append(
                ([numbers for _, numbers in versions], path)
            )
    return [
        [path for _, path in sorted(family, reverse=True)]
        for family in families.values()
        if len(family) > 1
    ]


def _version_of(text: str) -> tuple[str, list[int]]:
    """Return the kind of a date or a version, and the numbers by which an older one sorts first.

    `v1.4` -> `#v`, `[1, 4]`; `2025-01-31` -> `#date8`, `[20250131]`. The kinds are in the name that a
    family shares. So a report of a year and a report of a day are not versions of one another.
    """
    numbers = re.findall(r"\d+", text)
    if _DATE_START.match(text) is None:
        return "#v", list(map(int, numbers))
    date = "".join(numbers)
    return f"#date{len(date)}", [int(date)]


# Finds files that are versions of one another, so that an answer does not use an old one.
#
# Names may have dates, version numbers, or words such as `corrected`. Or a Markdown file says `replaces: fees-2025.md` (`_front_matter`). Such
# files form a family, a list of paths with the newest first: `["/fees 2026.md", "/fees 2025.md"]`.


def _versions_of(
    paths: Collection[str], first_bytes_of: Callable[[str, int], bytes | None]
) -> list[list[str]]:
    """Return the families of files, each newest first.

    `first_bytes_of(path, count)` returns the first bytes of a file, or None if it cannot
    be read.
    """
    families = _families_by_name(paths)
    families += _families_by_correction(paths)
    families += _families_by_front_matter(paths, first_bytes_of)
    return [
        family
        for place, family in enumerate(families)
        if family not in families[:place]
    ]


# The files below a question's folder that are not read, by reason.
#
# Why a file is left out matters twice: the user is told before the question is asked, and a
# script that names the file anyway gets the reason.


class _LeftOut(dict[str, list[str]]):
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


# Reads a file below a folder without following links.
#
# A link in the folder of a question could lead to any file of the user's, such as a private key,
# whose text would then be sent to a model.


def _read_file(path: str, most_bytes: float, *, first_bytes: bool) -> bytes | None:
    """Return the content of a file, or only its first bytes.

    Return None if it is larger than `most_bytes` and wanted as a whole. Also return None if the file
    is gone, is not a regular file, or lies behind a link. `path` has no link itself.
    """
    try:
        # O_NONBLOCK: do not wait for somebody to write, if it is a pipe.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        # If a folder in the path is a link, the open file has another path.
        is_usable = stat.S_ISREG(status.st_mode) and _resolved(descriptor, path) == path
        is_too_large = status.st_size > most_bytes and not first_bytes
        if not is_usable or is_too_large:
            return None
        # Files of the system, such as those below /proc, have the size 0, and are empty here.
        return os.read(descriptor, int(min(status.st_size, most_bytes)))
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _resolved(descriptor: int, path: str) -> str:
    """Return the path of an open file, with all links resolved."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115 - a quarter of pathlib's time, for 10,000 files
    except OSError:  # A system without /proc.
        return os.path.realpath(path)


# The texts of files in UTF-8, as bytes.
#
# A search over thousands of files is faster on bytes than on texts, since most files are in UTF-8
# already. Files in another encoding, such as UTF-16, are converted first.


def _in_utf_8(data: bytes) -> bytes:
    """Return the text that a file's bytes stand for in UTF-8."""
    if is_plain(data) and _is_utf_8(data):
        return data
    return decode_text(data).text.encode("utf-8", "replace")


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
class SourceFiles(TextFiles):
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

    left_out: _LeftOut = field(default_factory=_LeftOut)
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
        return _read_file(self._path_on_disk(path), max_mb * MB, first_bytes=False)

    def first_bytes_of(self, path: str, count: int) -> bytes | None:
        """Return the first bytes of a file of any size; None if it is gone or became a link."""
        text = self.texts_in_memory.get(path)
        if text is not None:
            return text.encode("utf-8", "replace")[:count]
        return _read_file(self._path_on_disk(path), count, first_bytes=True)

    def _path_on_disk(self, path: str) -> str:
        return f"{str(self.root).rstrip('/')}{path}"

    def in_utf_8(self, path: str) -> bytes:
        """Return a file's text in UTF-8; empty if the file is gone."""
        return _in_utf_8(self.bytes_of(path) or b"")

    @property
    def has_tables(self) -> bool:
        """True if a file can be queried as a table by its suffix."""
        return any(is_table(path) for path in self.paths)

    @property
    def left_out_text(self) -> str:
        """Each reason why files are left out, with the files: `a link (b.md); hidden (.env, .git)`.

        The user sees it before a question is asked, since an answer cannot use these files.
        """
        files_by_reason = dict(self.left_out)
        # A large file can be opened in parts. But searches leave it out, which has to be told.
        if self.large:
            size = f"{self.limits.file_mb:g} MB"
            reason = f"above {size}, read in part and as tables, not searched"
            files_by_reason[reason] = sorted(self.large)
        parts = []
        for reason in sorted(files_by_reason):
            parts.append(f"{reason} ({_shortened_names(files_by_reason[reason])})")
        return "; ".join(parts)

    @cached_property
    def versions(self) -> list[list[str]]:
        """The families of files that are versions of one another, each newest first."""
        return _versions_of(self.paths, self.first_bytes_of)


_SHOWN_NAME_CHARS: Final = 60


def _shortened_names(paths: Sequence[str]) -> str:
    """Return a few of the paths, shortened at the start, and the number of the others."""
    names = []
    for path in paths[: bounds.SHOWN_EXAMPLES]:
        name = path.lstrip("/")
        if len(name) > _SHOWN_NAME_CHARS:
            name = f"…{name[-_SHOWN_NAME_CHARS:]}"
        names.append(name)
    if len(paths) > bounds.SHOWN_EXAMPLES:
        names.append(f"{len(paths) - bounds.SHOWN_EXAMPLES:,} more")
    return ", ".join(names)
