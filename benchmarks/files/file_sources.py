"""Lists the files below the folder that a question is about, reads them when asked, and finds those that hold a word.

Nothing outside the folder is read: links are not followed. Files that `.gitignore` names, hidden files, binaries, and
files beyond the bounds are left out, and counted with their reason.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from codecs import BOM_UTF8
from collections import defaultdict
from collections.abc import Mapping, Sequence
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
from controlplane.benchmarks.files.git_ignore import Rules, is_ignored, rules_above, rules_of
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
HEAD_BYTES: Final = 8_192
"""The beginning of a file by which a text is told from other data."""
_TEXT_SUFFIXES: Final = (
    ".md .txt .rst .log .csv .tsv .json .toml .yaml .yml .xml .ini .cfg .css .sql .sh .py .js .ts .c "
    ".h .go .rs .java"
)
TEXT_SUFFIXES: Final = tuple(_TEXT_SUFFIXES.split())
"""Files with these suffixes are taken for texts without a look at their content."""
TEXTUAL: Final = (".html", ".htm", ".eml", ".mbox")
"""Documents that can also be read as they are."""
DOCUMENT_SUFFIXES: Final = (
    ".docx",
    ".xlsx",
    ".pdf",
    ".parquet",
    ".sqlite",
    ".sqlite3",
    ".db",
    *TEXTUAL,
)
TAB_SUFFIXES: Final = (".tsv", ".tab")
JSON_LINES_SUFFIXES: Final = (".jsonl", ".ndjson")
TABLE_SUFFIXES: Final = (".csv", ".parquet", *TAB_SUFFIXES, *JSON_LINES_SUFFIXES)
MAX_HEADS: Final = 3
"""Tables whose heads a search shows."""
MAX_HEAD_BYTES: Final = 4_096
MAX_HEAD_LINE_CHARS: Final = 500
JUNK: Final = frozenset({"__pycache__", "node_modules"})
JOURNALS: Final = re.compile(r"\d{8}-\d{6}-[\w.-]+\.jsonl")
"""The name of a journal: earlier questions and answers are not sources of the next question."""


@dataclass
class SourceFiles(ListedFiles):
    """The files below `root` by absolute path, the root being `/`. Texts are read when asked for, and not kept."""

    root: Path
    paths: dict[str, int] = field(default_factory=dict)
    """The size of each file in bytes."""
    left_out: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    documents: dict[str, str] = field(default_factory=dict)
    parts: dict[str, list[str]] = field(default_factory=dict)
    """The files that a document became, by its path."""
    encodings: dict[str, str] = field(default_factory=dict)
    """The encodings of files that were read and are not in plain UTF-8, by path."""
    is_on_disk: bool = True
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By path, what a document's text cannot show, as merged cells."""
    large: set[str] = field(default_factory=set)
    """Texts above `file_mb`."""
    total_bytes: int = 0
    file_mb: float = bounds.MOST_FILE_MB
    """Larger files are left out."""
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
        """Return the first bytes of a file; None if a link has taken its place, or the file is gone or too large."""
        document = self.documents.get(path)
        if document is not None:
            data = document.encode("utf-8", "replace")
            return data[:most] if most else data
        place = f"{str(self.root).rstrip('/')}{path}"
        try:
            descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return None
        try:
            size = self._readable_size(descriptor, path, place, is_whole=not most)
            if size is None:
                return None
            return os.read(descriptor, min(most, size) if most else size)
        except OSError:
            return None
        finally:
            os.close(descriptor)

    def _readable_size(
        self, descriptor: int, path: str, place: str, *, is_whole: bool
    ) -> int | None:
        """Return the size of an open file; None if it may not be read, or not as a whole."""
        status = os.fstat(descriptor)
        most_mb = bounds.MOST_LARGE_MB if path in self.large else self.file_mb
        if is_whole and status.st_size > most_mb * MB:
            return None
        if not stat.S_ISREG(status.st_mode) or _place_of(descriptor, place) != place:
            return None
        return status.st_size

    @classmethod
    def of_texts(cls, texts: Mapping[str, str]) -> SourceFiles:
        """Return sources that lie in memory."""
        sizes = {path: len(text.encode("utf-8", "replace")) for path, text in sorted(texts.items())}
        return cls(
            Path("/"),
            sizes,
            documents=dict(texts),
            total_bytes=sum(sizes.values()),
            is_on_disk=False,
        )

    def likeliest(self, words: Sequence[str]) -> list[str]:
        """Return the files in which a search for some folded words should look, the best first.

        A file is the better the more of the words it holds, and the rarer they are among all files. Together they have
        at most `MOST_SEARCHED_BYTES`.
        """
        beginnings = [beginning_of(word) for word in words]
        # Each file is ranked by a text that consists only of the words that it holds.
        held_words: dict[str, TitledText] = {}
        for path in sorted(self.paths.keys() - self.large):
            held_beginnings = self._held_beginnings(path, beginnings)
            if held_beginnings:
                held_words[path] = TitledText(title="", text=" ".join(held_beginnings))
        chosen_paths: list[str] = []
        remaining_bytes = bounds.MOST_SEARCHED_BYTES
        for path in ranked_texts(held_words, beginnings):
            if self.paths[path] <= remaining_bytes:
                chosen_paths.append(path)
                remaining_bytes -= self.paths[path]
        return chosen_paths

    def _held_beginnings(self, path: str, beginnings: Sequence[str]) -> list[str]:
        """Return those of some beginnings of folded words that a file's text holds."""
        is_ascii = all(beginning.isascii() for beginning in beginnings)
        data = self.in_utf_8(path, is_ascii=is_ascii)
        if data.isascii():
            text = data.decode("ascii").lower()
        else:
            text = comparable_text(data.decode("utf-8", "replace"))
        return [beginning for beginning in beginnings if beginning in text]

    def table_heads(self, words: Sequence[str]) -> list[list[str]]:
        """Return the path and the first two lines of the tables whose names and columns hold most of some folded words.

        They are at most `MAX_HEADS`, as `[["/sales.csv", "city,amount\\nBerlin,5"]]`.
        """
        beginnings = {beginning_of(word) for word in words}
        counted_heads: list[tuple[int, list[str]]] = []
        for path in self.paths:
            if not path.lower().endswith(TABLE_SUFFIXES):
                continue
            data = self.bytes_of(path, MAX_HEAD_BYTES) or b""
            whole_lines = data.rpartition(b"\n")[0] or data
            lines = decode_text(whole_lines).text.split("\n")
            names = f"{Path(path).with_suffix('')} {lines[0]}".replace("_", " ").replace("-", " ")
            count = 0
            for name in words_of(names):
                if beginning_of(name) in beginnings:
                    count += 1
            if count:
                shown_lines = [line[:MAX_HEAD_LINE_CHARS] for line in lines[:2]]
                counted_heads.append((count, [path, "\n".join(shown_lines)]))
        counted_heads.sort(key=lambda counted: -counted[0])
        return [head for _, head in counted_heads[:MAX_HEADS]]

    def in_utf_8(self, path: str, *, is_ascii: bool = False) -> bytes:
        """Return a file's text in UTF-8.

        If only ASCII is sought in it (`is_ascii`), it may stay in another encoding that contains ASCII, as Latin-1.
        """
        data = self.bytes_of(path) or b""
        if not data:
            return data
        is_plain = b"\0" not in data and not data.startswith(BOM_UTF8)
        if is_plain and (is_ascii or _is_utf_8(data)):
            return data
        return decode_text(data).text.encode("utf-8", "replace")

    @property
    def digest(self) -> str:
        """A hash that changes with the files."""
        digest = hashlib.sha256()
        # Sources up to this size are known by their content, larger ones by size and time of each file.
        by_content = self.total_bytes <= bounds.MOST_SEARCHED_BYTES
        for path, size in self.paths.items():
            digest.update(f"{path}\0{size}\0".encode("utf-8", "surrogateescape"))
            if by_content:
                digest.update(self.bytes_of(path) or b"")
            elif path not in self.documents:
                digest.update(str(os.lstat(f"{self.root}{path}").st_mtime_ns).encode())
        return digest.hexdigest()[:12]

    def left_out_text(self) -> str:
        """Return one line with the reasons to leave files out, each with a few of these files; empty without any."""
        reasons = dict(self.left_out)
        if self.large:
            reason = f"above {self.file_mb:g} MB, read in part and as tables, not searched"
            reasons[reason] = sorted(self.large)
        parts = []
        for reason in sorted(reasons):
            parts.append(f"{reason} ({_shortened_names(reasons[reason])})")
        return f"skipped: {'; '.join(parts)}" if parts else ""

    @property
    def has_tables(self) -> bool:
        return any(path.lower().endswith(TABLE_SUFFIXES) for path in self.paths)

    def reason_of(self, path: str) -> str:
        """Return why a file was left out; empty for any other path."""
        for reason, paths in self.left_out.items():
            if path in paths:
                return reason
        return ""

    @cached_property
    def versions(self) -> list[list[str]]:
        """Return files that are versions of one another, newest first."""
        families = families_by_name(self.paths)
        families += families_by_correction(self.paths)
        families += families_by_front_matter(self.paths, self.bytes_of)
        different = []
        for family in families:
            if family not in different:
                different.append(family)
        return different


def _is_utf_8(data: bytes) -> bool:
    """Return True if some bytes are UTF-8, in a tenth of the time that `decode_text` takes to find the encoding."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _shortened_names(paths: Sequence[str]) -> str:
    """Return a few of the paths, each cut to its end, and the number of the others."""
    names = []
    for path in paths[: bounds.SHOWN_FEW]:
        name = path.lstrip("/")
        if len(name) > SHOWN_NAME_CHARS:
            name = f"…{name[-SHOWN_NAME_CHARS:]}"
        names.append(name)
    if len(paths) > bounds.SHOWN_FEW:
        names.append(f"{len(paths) - bounds.SHOWN_FEW:,} more")
    return ", ".join(names)


def _place_of(descriptor: int, place: str) -> str:
    """Return the path of an open file with all links of its folders resolved."""
    try:
        return os.readlink(f"/proc/self/fd/{descriptor}")  # noqa: PTH115 - a quarter of pathlib's time, for 10,000 files
    except OSError:  # A system without /proc.
        return os.path.realpath(place)


def find_sources(root: Path, chosen: Sequence[str] = (), **limits: float) -> SourceFiles:
    """Return the files below `root`, or only the files and folders in `root` that `chosen` names.

    The limits are those of `SourceFiles`. Raises `FileNotFoundError` for a name that is not there.
    """
    sources = SourceFiles(Path(os.path.realpath(root)), **limits)  # type: ignore[arg-type] # no other field is a number
    for name in chosen or ("",):
        place = sources.root / name
        mode = place.lstat().st_mode
        if stat.S_ISDIR(mode):
            _walk(sources, place, rules_above(place))
        else:
            _take(sources, str(place))
    sources.paths = dict(sorted(sources.paths.items()))
    return sources


def _walk(sources: SourceFiles, folder: Path, rules: Rules) -> None:
    """Take the files below a folder, to which rules of the folders above apply."""
    remaining = [(str(folder), rules)]
    while remaining:
        place, rules = remaining.pop()
        try:
            entries = sorted(os.scandir(place), key=lambda entry: entry.name)
        except OSError:
            _leave_out(sources, "not readable", place)
            continue
        names = [entry.name for entry in entries]
        is_below = place != str(folder)
        if is_below and any(JOURNALS.fullmatch(name) for name in names):
            _leave_out(sources, "journals of runs", place)
            continue
        if ".gitignore" in names:
            rules = (*rules, *rules_of(Path(place)))
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


def _path_in(root: Path, place: str) -> str:
    return "/" + place.removeprefix(str(root)).lstrip("/")


def _take(sources: SourceFiles, place: str) -> None:
    """Add a file to the sources, or leave it out for a reason."""
    path = _path_in(sources.root, place)
    try:
        status = os.lstat(place)
        reason = _reason_against(sources, path, status)
    except OSError:
        reason = "not readable"
    except CallError:  # It is too long, or too deep.
        reason = UNNAMED
    if reason:
        _leave_out(sources, reason, place)
        return
    sources.paths[path] = status.st_size
    sources.total_bytes += status.st_size
    if status.st_size > sources.file_mb * MB:
        sources.large.add(path)


def _leave_out(sources: SourceFiles, reason: str, place: str) -> None:
    sources.left_out[reason].append(
        _path_in(sources.root, place).encode("utf-8", "replace").decode()
    )


def _reason_against(sources: SourceFiles, path: str, status: os.stat_result) -> str:
    """Return the reason to leave a file out; empty if the file is kept. Raises `CallError` for an impossible path."""
    if stat.S_ISLNK(status.st_mode):
        return "a link"
    if not stat.S_ISREG(status.st_mode):
        return "not a file"
    if not path.isprintable() or normal_path(path) != path:
        return UNNAMED

    # A large text can be read in part. A document is read as a whole.
    is_document = path.lower().endswith(DOCUMENT_SUFFIXES)
    max_mb = sources.file_mb if is_document else max(sources.file_mb, bounds.MOST_LARGE_MB)
    if status.st_size > max_mb * MB:
        return f"larger than {max_mb:g} MB, --set file_mb"
    is_too_much = sources.total_bytes + status.st_size > sources.total_mb * MB
    if is_too_much or len(sources.paths) >= sources.most_files:
        most = f"{sources.most_files:,.9g} files or {sources.total_mb:,.6g} MB"
        return f"beyond {most}, --set most_files and total_mb"

    if not is_document and not path.lower().endswith(TEXT_SUFFIXES):
        head = sources.bytes_of(path, HEAD_BYTES)
        if head is None:
            return "not readable"
        if not is_text(head):
            return "binary"
    return ""


def written_value(value: Any) -> str:
    """Return the text of a value of a typed table, as a cell.

    A number with three decimals gets a fourth: 1.234 becomes `1.2340`, since `1.234` may be read as 1,234.
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
