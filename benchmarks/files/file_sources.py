"""Find the files in the folder that a question is about, read them, and search them for
words.

Nothing outside the folder is read: links are not followed. Hidden files, files listed
in `.gitignore`, binary files and files beyond the limits are left out and counted by
reason.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from codecs import BOM_UTF8
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from controlplane.benchmarks.files.file_versions import (
    families_by_correction,
    families_by_front_matter,
    families_by_name,
)
from controlplane.benchmarks.files.git_ignore import (
    Rules,
    is_ignored,
    rules_above,
    rules_of,
)
from controlplane.sandbox import normal_path
from controlplane.sandbox.files import ListedFiles
from controlplane.sandbox.files.word_ranking import (
    TitledText,
    beginning_of,
    comparable_text,
    ranked_texts,
    words_of,
)
from controlplane.sandbox.interface import CallError, bounds
from controlplane.text_files import decode_text, is_text

MB: Final = 1_000_000
UNNAMED: Final = "its name cannot be used"
SHOWN_NAME_CHARS: Final = 60
TYPE_BYTES: Final = 8_192
"""The number of bytes at the start of a file that show if it is a text or binary."""

# What the suffix of a file's name says about it

_TEXT_SUFFIXES: Final = (
    ".md .txt .rst .log .csv .tsv .json .toml .yaml .yml .xml .ini .cfg .css .sql .sh .py .js .ts .c "
    ".h .go .rs .java"
)
TEXT_SUFFIXES: Final = tuple(_TEXT_SUFFIXES.split())
"""Files with these suffixes are taken for texts without a look at their content."""
MARKUP_SUFFIXES: Final = (".html", ".htm", ".eml", ".mbox")
"""Documents that are converted to plain text, but that can also be read as they are."""
DOCUMENT_SUFFIXES: Final = (
    ".docx",
    ".xlsx",
    ".pdf",
    ".parquet",
    ".sqlite",
    ".sqlite3",
    ".db",
    *MARKUP_SUFFIXES,
)
"""Documents, which are converted to plain text."""
TAB_SUFFIXES: Final = (".tsv", ".tab")
JSON_LINES_SUFFIXES: Final = (".jsonl", ".ndjson")
TABLE_SUFFIXES: Final = (".csv", ".parquet", *TAB_SUFFIXES, *JSON_LINES_SUFFIXES)
"""Files that can be queried as tables."""

# The first lines of tables that a search shows

MAX_TABLE_HEADS: Final = 3
TABLE_HEAD_BYTES: Final = 4_096
"""The number of bytes that are read for the first lines of a table."""
MAX_TABLE_LINE_CHARS: Final = 500

# Files that are left out

JUNK: Final = frozenset({"__pycache__", "node_modules"})
JOURNALS: Final = re.compile(r"\d{8}-\d{6}-[\w.-]+\.jsonl")
"""The name of a journal file: `20270301-101500-answers.jsonl`. Earlier questions and
answers are not sources for the next one."""


@dataclass
class SourceFiles(ListedFiles):
    """The text files below `root`, by their path in it: `/notes/a.md` for `root /
    "notes/a.md"`.

    `find_sources` creates it when a question starts. A file is read on each access;
    texts are not kept in memory.
    """

    root: Path
    paths: dict[str, int] = field(default_factory=dict)
    """The size in bytes of each file, by its path."""
    left_out: defaultdict[str, list[str]] = field(
        default_factory=lambda: defaultdict(list)
    )
    """The paths of files that are left out, by reason."""
    documents: dict[str, str] = field(default_factory=dict)
    """The texts of files that are not read from disk, such as those converted from a
    PDF."""
    parts: dict[str, list[str]] = field(default_factory=dict)
    """The text files that a document was split into, by the document's path."""
    encodings: dict[str, str] = field(default_factory=dict)
    """The encodings of files that were read and are not UTF-8, by path."""
    is_on_disk: bool = True
    """False if all texts are in memory; see `of_texts`."""
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Facts that a document's text does not show, such as merged cells, by path."""
    large: set[str] = field(default_factory=set)
    """Text files larger than `file_mb`. They can only be read in parts."""
    total_bytes: int = 0
    file_mb: float = bounds.MOST_FILE_MB
    """The size limit for files that are read as a whole."""
    total_mb: float = bounds.MOST_TOTAL_MB
    most_files: float = bounds.MOST_FILES

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

        Return None if the file is gone, too large, or replaced by a link.
        """
        document = self.documents.get(path)
        if document is not None:
            data = document.encode("utf-8", "replace")
            return data[:most] if most else data
        real_path = f"{str(self.root).rstrip('/')}{path}"
        try:
            descriptor = os.open(real_path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return None
        try:
            status = os.fstat(descriptor)
            is_same_file = _path_of_open_file(descriptor, real_path) == real_path
            if not stat.S_ISREG(status.st_mode) or not is_same_file:
                return None
            if most:
                return os.read(descriptor, min(most, status.st_size))
            max_mb = bounds.MOST_LARGE_MB if path in self.large else self.file_mb
            if status.st_size > max_mb * MB:
                return None
            return os.read(descriptor, status.st_size)
        except OSError:
            return None
        finally:
            os.close(descriptor)

    @classmethod
    def of_texts(cls, texts: Mapping[str, str]) -> SourceFiles:
        """Return sources whose texts are in memory."""
        sizes = {
            path: len(text.encode("utf-8", "replace"))
            for path, text in sorted(texts.items())
        }
        return cls(
            Path("/"),
            sizes,
            documents=dict(texts),
            total_bytes=sum(sizes.values()),
            is_on_disk=False,
        )

    def files_with_words(self, words: Sequence[str]) -> list[str]:
        """Return the files to search for some case-folded words, best first.

        A file ranks higher if it contains more of the words, and words that fewer files
        contain. The files have at most `MOST_SEARCHED_BYTES` in total.
        """
        # A word's beginning, without its ending, also finds its other forms: `price` in
        # `prices`.
        beginnings = [beginning_of(word) for word in words]
        # `ranked_texts` ranks texts by the words in them. Only the searched words
        # matter, so each file is ranked by a text of the searched words that it
        # contains.
        searched_words: dict[str, TitledText] = {}
        for path in sorted(self.paths.keys() - self.large):
            occurring = self._occurring(path, beginnings)
            if occurring:
                searched_words[path] = TitledText(title="", text=" ".join(occurring))
        chosen_paths: list[str] = []
        remaining_bytes = bounds.MOST_SEARCHED_BYTES
        for path in ranked_texts(searched_words, beginnings):
            if self.paths[path] <= remaining_bytes:
                chosen_paths.append(path)
                remaining_bytes -= self.paths[path]
        return chosen_paths

    def _occurring(self, path: str, beginnings: Sequence[str]) -> list[str]:
        """Return those beginnings of case-folded words that occur in a file's text."""
        if all(beginning.isascii() for beginning in beginnings):
            data = self.for_ascii_search(path)
        else:
            data = self.in_utf_8(path)
        if data.isascii():
            text = data.decode("ascii").lower()
        else:
            text = comparable_text(data.decode("utf-8", "replace"))
        return [beginning for beginning in beginnings if beginning in text]

    def table_heads(self, words: Sequence[str]) -> list[list[str]]:
        """Return the path and first two lines of the tables that best match some
        case-folded words.

        Words are looked for in the names of tables and columns. The result has at most
        `MAX_TABLE_HEADS` items, such as `["/sales.csv", "city,amount\\nBerlin,5"]`.
        """
        beginnings = {beginning_of(word) for word in words}
        heads = []
        for path in self.paths:
            if path.lower().endswith(TABLE_SUFFIXES):
                head = self._table_head(path, beginnings)
                if head.matching_words > 0:
                    heads.append(head)
        heads.sort(key=lambda head: head.matching_words, reverse=True)
        return [[head.path, head.text] for head in heads[:MAX_TABLE_HEADS]]

    def _table_head(self, path: str, beginnings: Set[str]) -> _TableHead:
        """Return the first two lines of a table, and how well its names match some
        words."""
        data = self.bytes_of(path, TABLE_HEAD_BYTES) or b""
        whole_lines = data.rpartition(b"\n")[0] or data
        lines = decode_text(whole_lines).text.split("\n")
        names = f"{Path(path).with_suffix('')} {lines[0]}".replace("_", " ").replace(
            "-", " "
        )
        matching_words = 0
        for name in words_of(names):
            if beginning_of(name) in beginnings:
                matching_words += 1
        shown_lines = [line[:MAX_TABLE_LINE_CHARS] for line in lines[:2]]
        return _TableHead(path, "\n".join(shown_lines), matching_words)

    def in_utf_8(self, path: str) -> bytes:
        """Return a file's text in UTF-8."""
        data = self.bytes_of(path) or b""
        if _is_plain(data) and _is_utf_8(data):
            return data
        return decode_text(data).text.encode("utf-8", "replace")

    def for_ascii_search(self, path: str) -> bytes:
        """Return a file's text in UTF-8, or in another encoding that extends ASCII,
        such as Latin-1.

        A search for ASCII characters has the same result in all these encodings, and is
        faster if the text is not converted.
        """
        data = self.bytes_of(path) or b""
        return data if _is_plain(data) else self.in_utf_8(path)

    @property
    def digest(self) -> str:
        """A hash that changes if the files change."""
        digest = hashlib.sha256()
        # To read the content of large sources would take too long. Their files are
        # known by size and time of modification. Converted documents are known by the
        # files that they come from.
        is_small = self.total_bytes <= bounds.MOST_SEARCHED_BYTES
        for path, size in self.paths.items():
            digest.update(f"{path}\0{size}\0".encode("utf-8", "surrogateescape"))
            if is_small:
                digest.update(self.bytes_of(path) or b"")
            elif path not in self.documents:
                digest.update(str(os.lstat(f"{self.root}{path}").st_mtime_ns).encode())
        return digest.hexdigest()[:12]

    def left_out_text(self) -> str:
        """Return one line on which files are left out and why; empty if there are
        none."""
        reasons = dict(self.left_out)
        if self.large:
            reason = (
                f"above {self.file_mb:g} MB, read in part and as tables, not searched"
            )
            reasons[reason] = sorted(self.large)
        parts = []
        for reason in sorted(reasons):
            parts.append(f"{reason} ({_shortened_names(reasons[reason])})")
        return f"skipped: {'; '.join(parts)}" if parts else ""

    @property
    def has_tables(self) -> bool:
        """True if a file can be queried as a table by its suffix."""
        return any(path.lower().endswith(TABLE_SUFFIXES) for path in self.paths)

    def reason_of(self, path: str) -> str:
        """Return why a file was left out; empty if it was not."""
        for reason, paths in self.left_out.items():
            if path in paths:
                return reason
        return ""

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


@dataclass(frozen=True, slots=True)
class _TableHead:
    path: str
    text: str
    """The first two lines."""
    matching_words: int
    """The number of words in the names of the table and its columns that are searched
    for."""


def _is_plain(data: bytes) -> bool:
    """Return True if the data has neither a byte order mark nor the null bytes of
    UTF-16."""
    return b"\0" not in data and not data.startswith(BOM_UTF8)


def _is_utf_8(data: bytes) -> bool:
    """Return True if the data is UTF-8. This is ten times as fast as `decode_text`."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _shortened_names(paths: Sequence[str]) -> str:
    """Return a few of the paths, shortened at the start, and the number of the
    others."""
    names = []
    for path in paths[: bounds.SHOWN_FEW]:
        name = path.lstrip("/")
        if len(name) > SHOWN_NAME_CHARS:
            name = f"…{name[-SHOWN_NAME_CHARS:]}"
        names.append(name)
    if len(paths) > bounds.SHOWN_FEW:
        names.append(f"{len(paths) - bounds.SHOWN_FEW:,} more")
    return ", ".join(names)


def _path_of_open_file(descriptor: int, path: str) -> str:
    """Return the path of an open file, with all links resolved. `path` is how it was
    opened."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115 - a quarter of pathlib's time, for 10,000 files
    except OSError:  # A system without /proc.
        return os.path.realpath(path)


def find_sources(
    root: Path, chosen: Sequence[str] = (), **limits: float
) -> SourceFiles:
    """Return the files below `root`, or only the files and folders that `chosen` names.

    `limits` are fields of `SourceFiles`. Raises `FileNotFoundError` if a chosen name
    does not exist.
    """
    sources = SourceFiles(Path(os.path.realpath(root)), **limits)  # type: ignore[arg-type] # no other field is a number
    for name in chosen or ("",):
        real_path = sources.root / name
        mode = real_path.lstat().st_mode
        if stat.S_ISDIR(mode):
            _walk(sources, real_path, rules_above(real_path))
        else:
            _take(sources, str(real_path))
    sources.paths = dict(sorted(sources.paths.items()))
    return sources


def _walk(sources: SourceFiles, top_folder: Path, rules_above_top: Rules) -> None:
    """Add the files below a folder. `rules_above_top` are the `.gitignore` rules of the
    folders above it."""
    remaining = [(str(top_folder), rules_above_top)]
    while remaining:
        folder, rules_above_folder = remaining.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            _leave_out(sources, "not readable", folder)
            continue
        names = [entry.name for entry in entries]
        # A folder with journals is left out, unless the question is about this very
        # folder.
        is_top_folder = folder == str(top_folder)
        if not is_top_folder and any(JOURNALS.fullmatch(name) for name in names):
            _leave_out(sources, "journals of runs", folder)
            continue

        rules = rules_above_folder
        if ".gitignore" in names:
            rules = (*rules_above_folder, *rules_of(Path(folder)))
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.name.startswith(".") or entry.name in JUNK:
                _leave_out(sources, "hidden", entry.path)
            elif is_ignored(entry.path, rules, is_folder=is_folder):
                _leave_out(sources, "named by .gitignore", entry.path)
            elif is_folder:
                remaining.append((entry.path, rules))
            else:
                _take(sources, entry.path)


def _path_in(root: Path, real_path: str) -> str:
    """Return the path of a file in the sources: `/notes/a.md` for
    `/home/ada/notes/a.md` if the root is `/home/ada`."""
    return "/" + real_path.removeprefix(str(root)).lstrip("/")


def _take(sources: SourceFiles, real_path: str) -> None:
    """Add a file to the sources, or record why it is left out."""
    path = _path_in(sources.root, real_path)
    try:
        status = os.lstat(real_path)
        reason = _reason_against(sources, path, status)
    except OSError:
        reason = "not readable"
    except CallError:  # The path is too long or too deep.
        reason = UNNAMED
    if reason:
        _leave_out(sources, reason, real_path)
        return
    sources.paths[path] = status.st_size
    sources.total_bytes += status.st_size
    if status.st_size > sources.file_mb * MB:
        sources.large.add(path)


def _leave_out(sources: SourceFiles, reason: str, real_path: str) -> None:
    path = _path_in(sources.root, real_path)
    sources.left_out[reason].append(path.encode("utf-8", "replace").decode())


def _reason_against(sources: SourceFiles, path: str, status: os.stat_result) -> str:
    """Return the reason to leave a file out; empty to keep it.

    Raises `CallError` if the path is too long or too deep.
    """
    if stat.S_ISLNK(status.st_mode):
        return "a link"
    if not stat.S_ISREG(status.st_mode):
        return "not a file"
    if not path.isprintable() or normal_path(path) != path:
        return UNNAMED

    # A large text can be read in parts; a document cannot.
    is_document = path.lower().endswith(DOCUMENT_SUFFIXES)
    max_mb = (
        sources.file_mb if is_document else max(sources.file_mb, bounds.MOST_LARGE_MB)
    )
    if status.st_size > max_mb * MB:
        return f"larger than {max_mb:g} MB, --set file_mb"
    is_too_much = sources.total_bytes + status.st_size > sources.total_mb * MB
    if is_too_much or len(sources.paths) >= sources.most_files:
        most = f"{sources.most_files:,.9g} files or {sources.total_mb:,.6g} MB"
        return f"beyond {most}, --set most_files and total_mb"

    if not is_document and not path.lower().endswith(TEXT_SUFFIXES):
        beginning = sources.bytes_of(path, TYPE_BYTES)
        if beginning is None:
            return "not readable"
        if not is_text(beginning):
            return "binary"
    return ""


def written_value(value: Any) -> str:
    """Return a value from JSON or a typed table as the text of a cell.

    A number with three decimals gets a fourth: 1.234 becomes `1.2340`, because `1.234`
    could be read as 1,234.
    """
    if isinstance(value, float | Decimal):
        text = str(value)
    else:
        text = json.dumps(value)
    if isinstance(value, dict | list):
        return text
    _, point, decimals = text.rpartition(".")
    has_three_decimals = bool(point) and len(decimals) == 3
    return f"{text}0" if has_three_decimals else text
