"""The environment of a question about files: it carries out the calls of scripts.

Reading and writing files, and what is known of all files, is done in this process. The
search for passages and queries of tables run in the trial's worker process.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from controlplane.agent.opening.ranking import (
    TitledText,
    beginning_of,
    comparable_text,
    ranked_texts,
    words_of,
)
from controlplane.benchmarks.files.files_runtime import PASSAGES
from controlplane.benchmarks.files.question_schema import (
    EARLIER,
    HAS_TABLES,
    READ,
    READ_MANY,
    SOURCES,
    TABLE,
    FilesQuestion,
    tool_schema_of,
)
from controlplane.benchmarks.files.sources.file_sources import SourceFiles, is_plain
from controlplane.benchmarks.files.sources.file_suffixes import is_document, is_table
from controlplane.file_changes import ChangeRefused, FileChange
from controlplane.sandbox import FileTree, normal_path
from controlplane.sandbox.files import WorldFiles, sha256_of
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes
from controlplane.sandbox.interface.json_documents import json_bytes
from controlplane.text_files import decode_text
from controlplane.tool_benchmark.environments import LocalEnvironment

# Facts that the text of a file does not show, such as merged cells or its encoding.
#
# Results of calls tell them as notes, such as `read as windows-1252`. Without the note, a model
# could take a wrongly decoded letter for the author's.


def _notes_of(path: str, sources: SourceFiles, tree: FileTree) -> list[str]:
    """Return the facts about a file, or about all parts of a document, such as a PDF's pages."""
    notes: list[str] = []
    for part in sources.parts.get(path, [path]):
        notes += sources.notes.get(part, ())
    # A file that a script has written is a text in memory: nothing was decoded.
    if path not in tree.changes and path in sources.encodings:
        notes.append(f"read as {sources.encodings[path]}")
    return notes


# What the model is told about a question's files in addition to their names.
#
# These are the files that are left out, too large to read at once, or versions of one
# another, and notes on what the texts of documents cannot show. A model that does not know that
# `/fees 2025.md` is an old version might answer by it.

_SHOWN_FAMILIES: Final = 30
_SHOWN_FILES_OF_FAMILY: Final = 30
_SHOWN_NOTES: Final = 50
"""The number of documents whose notes are shown."""
_MOST_UNREAD: Final = 1_000
"""The number of documents that could not be read and are named with the reason."""
_SHOWN_LINES: Final = 1_000
"""The number of lines in the example call for a large file."""


def _overview(sources: SourceFiles) -> dict[str, Plain]:
    """Return the result of the call `sources`.

    `{"left_out": ["hidden (.git)"], "versions": [["/plan-v2.md", "/plan-v1.md"]],
    "notes": ["/a.xlsx/sheet-A.csv: the sheet is hidden"], "unread": {}, "truncated": False}`
    """
    # A line on the files that are skipped, and a line for each large file.
    left_out = [sources.left_out_text] if sources.left_out_text else []
    for path in sorted(sources.large)[: bounds.SHOWN_FILES]:
        left_out.append(f"{path}: {_part_calls(path, _SHOWN_LINES)} opens a part of it")
    # Files that are versions of one another, the newest first.
    families = sources.versions[:_SHOWN_FAMILIES]
    versions = [list[Plain](family[:_SHOWN_FILES_OF_FAMILY]) for family in families]
    # What the texts of documents cannot show.
    notes = []
    for path in list(sources.notes)[:_SHOWN_NOTES]:
        notes += [f"{path}: {note}" for note in sources.notes[path]]
    # Why documents could not be read.
    unread: dict[str, Plain] = {}
    for reason, paths in sources.left_out.items():
        unread |= dict.fromkeys(filter(is_document, paths), reason)
    shown_unread = list(unread.items())[:_MOST_UNREAD]
    is_cut = (
        len(sources.large) > bounds.SHOWN_FILES
        or len(sources.versions) > _SHOWN_FAMILIES
        or any(len(family) > _SHOWN_FILES_OF_FAMILY for family in sources.versions)
        or len(sources.notes) > _SHOWN_NOTES
    )
    return {
        "left_out": list[Plain](left_out),
        "versions": list[Plain](versions),
        "notes": list[Plain](notes),
        "unread": dict(shown_unread),
        "truncated": is_cut,
    }


def _too_large(path: str, text: str) -> str:
    """Return the message for a file that is too large to be read as a whole."""
    lines = text.count("\n") + 1
    fitting_lines = bounds.MOST_READ_CHARS * lines // len(text)
    if fitting_lines > 1_000:
        fitting_lines -= fitting_lines % 1_000  # Round down to thousands.
    calls = _part_calls(path, max(fitting_lines, 1))
    return (
        f"{path} has {lines:,} lines and {len(text):,} characters: {calls} opens a part"
    )


def _part_calls(path: str, end_line: int) -> str:
    """Return the calls that open a part of a large file, such as its lines up to `end_line`."""
    calls = [
        f"harness.read({path!r}, start_line=1, end_line={end_line})",
        f"harness.read({path!r}, start_char=1)",
    ]
    if HAS_TABLES and is_table(path):
        calls.append(f"harness.table({path!r}, where=...)")
    else:
        calls.append(f"harness.search(pattern, root={path!r})")
    return " or ".join(calls)


# Parts of a text that fit in the result of one call.
#
# A text of a million characters is read in several calls, each of which says where the next one
# begins. Scripts count lines and characters from 1. In the code here, a position counts from 0.


@dataclass(frozen=True, slots=True)
class _TextPart:
    """A part of a text that fits in one result, and where the next part begins."""

    text: str
    first_line: int
    """The line on which the part begins, counted from 1."""
    next_char: int
    """The first character after the part, counted from 1; 0 if nothing was cut."""


def text_part(
    text: str, start_line: int = 0, end_line: int = 0, start_char: int = 0
) -> _TextPart:
    """Return the requested lines of a text, or all, as far as one result can hold.

    Lines count from 1, and so do characters, from the beginning of the whole text; 0 means no
    limit. With the `next_char` of an earlier part as `start_char`, the text goes on after that
    part: of the lines `one`, `two`, `three` with `start_char=5`, from `two` on.
    """
    # Positions, which count from 0.
    start = max(_end_of_lines(text, start_line - 1), start_char - 1)
    end = _end_of_lines(text, end_line) if end_line else len(text)

    part = text[start : min(end, start + bounds.MOST_READ_CHARS)]
    part = part[: _fitting_chars(part)]
    part_end = start + len(part)
    is_cut = part_end < end
    return _TextPart(
        text=part,
        first_line=text.count("\n", 0, start) + 1,
        next_char=part_end + 1 if is_cut else 0,
    )


def _json_size(value: object) -> int:
    """Return the number of bytes of a value in a result."""
    return len(json_bytes(value))


def _end_of_lines(text: str, line_count: int) -> int:
    """Return the position after this number of lines: 4 after the line `one`.

    It is 0 for no lines, and the end of the text if it has fewer. Only a line feed ends a line.
    """
    position = 0
    for _ in range(line_count):
        line_end = text.find("\n", position)
        if line_end < 0:
            return len(text)
        position = line_end + 1
    return position


def _fitting_chars(text: str) -> int:
    """Return how many characters of a text surely fit in one result.

    Characters outside ASCII need more bytes, so their number is reduced until they fit.
    """
    chars = len(text)
    while _json_size(text[:chars]) > bounds.MOST_RESULT_BYTES:
        chars = chars * 2 // 3
    return chars


def _check_range(start_line: int, end_line: int, start_char: int) -> None:
    """Raise `CallError` for a negative number, or if the end is before the start."""
    is_reversed = 0 < end_line < start_line
    if is_reversed or min(start_line, end_line, start_char) < 0:
        msg = (
            f"lines {start_line} to {end_line}, from character {start_char}, are no range "
            "(they count from 1)"
        )
        raise CallError(error_codes.INVALID_ARGUMENT, msg)


# The call `read_many`: the texts of several files in one result.
#
# `harness.read_many("*.md")` saves a script a call for each file. If the texts do not fit in one
# result, it says where the next call starts.

_ENTRY_BYTES: Final = 36
"""Bytes of a file in a `read_many` result besides its path and text: keys, line and JSON syntax."""


def read_many(tree: FileTree, files: str, root: str, start: int) -> dict[str, Plain]:
    """Return the texts of files below `root`: as many as fit in one result.

    `files` is a glob, such as `*.md`. `start` is the index of the first file to
    return: 0, or `next` of the call before. In the result, `cut` has the paths of
    files that are too long for one call, of which only the first part is returned.
    """
    paths = tree.paths(root, files)
    start = max(start, 0)
    entries: list[Plain] = []
    cut: list[Plain] = []
    remaining_bytes = bounds.MOST_RESULT_BYTES
    for path in paths[start:]:
        text = tree.text(path) or ""
        first_part = text_part(text)  # As much as one result can hold.
        remaining_bytes -= _json_size([path, first_part.text]) + _ENTRY_BYTES
        # Return at least one file, so that each call makes progress. Alone, its first part
        # fits in a result.
        if remaining_bytes < 0 and entries:
            break
        entries.append({"path": path, "line": 1, "text": first_part.text})
        if first_part.next_char:
            cut.append(path)

    end = start + len(entries)
    has_more = end < len(paths)
    return {
        "files": entries,
        "total": len(paths),
        "next": end if has_more else 0,
        "cut": cut,
        "truncated": has_more or bool(cut),
    }


# Chooses the files of a question that are searched for some words.
#
# A search compares passages in the worker process, which can take only some of many files.
# So the files that most likely have the words are found here first, by a fast look at all: a file
# with "open" and "invoices" comes before one with only "open".

# A word is searched for by its beginning, without its ending, which also finds its
# other forms: `beginning_of("prices")` is `pric`, which is in `price`, too. Words are
# case-folded.


def files_with_words(sources: SourceFiles, words: Sequence[str]) -> list[str]:
    """Return the files to search for some words, best first.

    A file ranks higher if it contains more of the words, and words that fewer files
    contain. The files have at most `MOST_SEARCHED_BYTES` in total.
    """
    beginnings = [beginning_of(word) for word in words]
    # The rank needs only to know which of the words a file has. So a text of their
    # beginnings stands for the file: `pric invoi`. The real texts may not fit in memory.
    texts: dict[str, TitledText] = {}
    for path in sorted(sources.paths.keys() - sources.large):
        occurring = _occurring(sources, path, beginnings)
        if occurring:
            texts[path] = TitledText(title="", text=" ".join(occurring))

    chosen: list[str] = []
    remaining_bytes = bounds.MOST_SEARCHED_BYTES
    for path in ranked_texts(texts, beginnings):
        size = sources.paths[path]
        if size <= remaining_bytes:
            chosen.append(path)
            remaining_bytes -= size
    return chosen


def _occurring(sources: SourceFiles, path: str, beginnings: Sequence[str]) -> list[str]:
    """Return those beginnings of words that occur in a file's text.

    `["pric", "lamp"]`, "The price is 5 EUR." -> `["pric"]`. An ASCII text only needs small
    letters to be compared; the full folding (`comparable_text`) takes longer.
    """
    if all(beginning.isascii() for beginning in beginnings):
        data = _for_ascii_search(sources, path)
    else:
        data = sources.in_utf_8(path)
    if data.isascii():
        text = data.decode("ascii").lower()
    else:
        text = comparable_text(data.decode("utf-8", "replace"))
    return [beginning for beginning in beginnings if beginning in text]


def _for_ascii_search(sources: SourceFiles, path: str) -> bytes:
    """Return a file's text in UTF-8, or in another encoding that extends ASCII, such as Latin-1.

    A search for ASCII characters has the same result in all these encodings, and is
    faster if the text is not converted.
    """
    data = sources.bytes_of(path) or b""
    return data if is_plain(data) else sources.in_utf_8(path)


# Finds the tables of a question whose names or columns have its words.
#
# "Which city has the largest amount?" is answered by `/sales.csv` with the columns `city` and
# `amount`. The search for passages shows lines with words of the question, and would miss this
# table, whose rows have only values. So its first two lines are shown, too.

_MAX_TABLE_HEADS: Final = 3
"""The most tables whose first lines are shown."""
_HEAD_BYTES: Final = 4_096
"""The number of bytes that are read for the first lines of a table."""
_MAX_LINE_CHARS: Final = 500
"""The characters of a table's line that are shown."""


def table_heads(sources: SourceFiles, words: Sequence[str]) -> list[list[str]]:
    """Return the path and first two lines of the tables whose names match words best.

    The names are those of the table and its columns. The result has at most
    `_MAX_TABLE_HEADS` items, such as `["/sales.csv", "city,amount\\nBerlin,5"]`. It is
    sent to the worker as JSON, which has lists and no tuples.
    """
    beginnings = {beginning_of(word) for word in words}
    heads_by_matches: defaultdict[int, list[list[str]]] = defaultdict(list)
    for path in filter(is_table, sources.paths):
        data = sources.first_bytes_of(path, _HEAD_BYTES) or b""
        whole_lines = data.rpartition(b"\n")[0] or data
        lines = decode_text(whole_lines).text.split("\n")
        names = f"{Path(path).with_suffix('')} {lines[0]}"
        matches = 0
        for name in words_of(names.replace("_", " ").replace("-", " ")):
            if beginning_of(name) in beginnings:
                matches += 1
        if matches:
            shown = "\n".join(line[:_MAX_LINE_CHARS] for line in lines[:2])
            heads_by_matches[matches].append([path, shown])
    best = [
        head
        for matches in sorted(heads_by_matches, reverse=True)
        for head in heads_by_matches[matches]
    ]
    return best[:_MAX_TABLE_HEADS]


RUNTIME: Final = "controlplane.benchmarks.files.files_runtime"
"""The module with the calls that run in the worker process."""
_MAX_SOUGHT_WORDS: Final = 40
"""The most words of one search for passages.

In text without spaces, such as Chinese, each character counts as a word.
"""


class FilesEnvironment(LocalEnvironment):
    """The files of a question, and the calls that scripts make on them. Created for each trial.

    The tree has the files as scripts see them, with the changes that they have made. `ask --write
    docs` lets them write files below `docs`. At the end, the user decides whether the changes are
    written to disk.
    """

    def __init__(self, question: FilesQuestion, clock: datetime | None = None) -> None:
        """Create the environment of one trial.

        `clock` is the time of a saved question. None: the present time.
        """
        self._question = question
        self._sources = question.sources
        self._writable_prefix = ""
        """The folder in which scripts may change files: `/docs/`; empty if they may not."""
        if question.writable:
            self._writable_prefix = normal_path(question.writable).rstrip("/") + "/"
        tree = FileTree(question.sources, writable=self._is_writable)
        world = WorldFiles(question.sources, RUNTIME)
        super().__init__(tool_schema_of(question), world, tree, clock)

    def now(self) -> datetime | None:
        """Return the saved question's time, or the current time, which "today" refers to."""
        return self._clock or datetime.now(UTC)

    def knows_file(self, path: str) -> bool:
        """Return True for a file, even if the trial deleted it, and for a document.

        A document, such as a PDF, is split into files: its parts, such as pages.
        """
        return path in self._sources.parts or super().knows_file(path)

    def result_of(self, operation: str, arguments: dict[str, Any]) -> dict[str, Plain]:
        """Return the result of a call. For a file that was left out, the error says why.

        `{"path": "/big.zip"}` -> "/big.zip was left out: binary"
        """
        path = normal_path(str(arguments.get("path", "")))
        try:
            return self._result_for_path(path, operation, arguments)
        except CallError as error:
            reason = self._sources.left_out.reason_of(path)
            if error.code == error_codes.NOT_FOUND and reason:
                raise CallError(error.code, f"{path} was left out: {reason}") from None
            raise

    def _result_for_path(
        self, path: str, operation: str, arguments: dict[str, Any]
    ) -> dict[str, Plain]:
        """Return the result of a call. `path` is the argument of this name; `/` without one."""
        match operation:
            case READ.name:
                return self._read(**arguments)
            case READ_MANY.name:
                return read_many(self.tree, **arguments)
            case SOURCES.name:
                return _overview(self._sources)
            case EARLIER.name if self._question.earlier is not None:
                earlier = self._question.earlier
                return {"shown": earlier.text, "scratchpad": earlier.scratchpad}
            case TABLE.name:
                table = super().result_of(operation, arguments)
                table_path = str(table["path"])
                # How the file itself was read comes before how its rows were: a sheet may hide
                # some of them.
                notes = [
                    f"{table_path}: {note}"
                    for note in _notes_of(table_path, self._sources, self.tree)
                ]
                for field in ("assumed", "told"):
                    lines = table[field]
                    assert isinstance(lines, list)
                    table[field] = [*notes, *lines]
                return table
            case PASSAGES.name:
                arguments = _with_files_to_search(arguments, self._sources)
            case "write":
                self._check_change(path, str(arguments["content"]))
            case "delete":
                self._check_change(path, None)
        # The tree of files makes the call or, for a table or passages, the worker does.
        return super().result_of(operation, arguments)

    def _read(
        self, path: str, start_line: int, end_line: int, start_char: int
    ) -> dict[str, Plain]:
        """Return the text of a file, or a part of it.

        A document, such as a PDF, was split into parts, which are files of their own:
        `/report.pdf/page-1`. It can be read as a whole, too. Lines and characters count from 1; 0
        means no limit. In the result, `line` is the first returned line. If the text does not fit in
        one result, `next_char` is the `start_char` for the next call, else 0.
        """
        _check_range(start_line, end_line, start_char)
        resolved = normal_path(path)
        parts = self._sources.parts.get(resolved)
        if parts is None:
            file = self.tree.read(path)
            resolved, text = str(file["path"]), str(file["content"])
        else:
            texts = []
            for place in parts:
                name = place.removeprefix(f"{resolved}/")
                texts.append(f"[{name}]\n{self._sources[place]}")
            text = "\n\n".join(texts)
        # `sources.large` has the files above the user's limit, which can be read in parts.
        wants_all = start_line == end_line == start_char == 0
        is_large = (
            resolved in self._sources.large and len(text) > bounds.MOST_READ_CHARS
        )
        if wants_all and is_large:
            raise CallError(error_codes.RESOURCE_EXHAUSTED, _too_large(resolved, text))
        part = text_part(text, start_line, end_line, start_char)
        return {
            "path": resolved,
            "content": part.text,
            "truncated": part.next_char > 0,
            "next_char": part.next_char,
            "line": part.first_line,
            "notes": list[Plain](_notes_of(resolved, self._sources, self.tree)),
            "sha256": sha256_of(text),
        }

    def _is_writable(self, path: str) -> bool:
        """Return True if scripts may write to a path: in their folder, and not hidden."""
        is_hidden = "/." in path  # In `/docs/.git/config`, a folder is hidden.
        if not self._writable_prefix or is_hidden:
            return False
        return f"{path}/".startswith(self._writable_prefix)

    def _check_change(self, path: str, content: str | None) -> None:
        """Raise `CallError` if a change could not be written to disk, as below a link.

        Changes stay in memory until the trial ends. Checking them now lets the script choose
        another change. `content` is the file's new text, or None for a deletion.
        """
        if not self._sources.is_on_disk or not self._is_writable(path):
            return
        try:
            change = FileChange.of(self._sources.root, path, content)
            # Texts converted from a PDF or the like have no encoding on disk.
            has_encoding = path not in self._sources.texts_in_memory
            if has_encoding:
                # Raises if the file's encoding lacks a character of the text.
                _ = change.new_bytes
        except ChangeRefused as error:
            raise CallError(error_codes.FAILED_PRECONDITION, str(error)) from None


def _with_files_to_search(
    arguments: dict[str, Any], sources: SourceFiles
) -> dict[str, Any]:
    """Return the arguments of a search for passages, with the files that it should look at.

    The worker, the process in which scripts run, looks for the passages. It does not have
    all files, so it gets those that most likely contain the words.
    """
    words = words_of(arguments["words"])[:_MAX_SOUGHT_WORDS]
    if not words:
        msg = "passages(words) needs at least one word"
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
    return {
        **arguments,
        "paths": files_with_words(sources, words),
        "table_heads": table_heads(sources, words),
    }
