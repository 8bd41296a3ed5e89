"""The environment of a question about files: calls for scripts, and the initial
prompt's data."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from controlplane.benchmarks.files.file_sources import TABLE_SUFFIXES, SourceFiles
from controlplane.benchmarks.files.files_operations import (
    EARLIER,
    PASSAGES,
    READ,
    READ_MANY,
    SEARCH,
    SOURCES,
    TABLE,
)
from controlplane.benchmarks.files.text_parts import json_size, text_part
from controlplane.local_environment import LocalEnvironment
from controlplane.sandbox import FileTree, normal_path
from controlplane.sandbox.files import WorldFiles, sha256_of
from controlplane.sandbox.files.word_ranking import words_of
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Effect,
    InitialCall,
    NamedFiles,
    Operation,
    Plain,
    ToolSchema,
    bounds,
    error_codes,
)
from controlplane.text_files import ChangeRefused, FileChange

RUNTIME: Final = "controlplane.benchmarks.files.files_runtime"
HAS_TABLES: Final = bool(find_spec("duckdb") and find_spec("fsspec"))

# Bounds of the initial prompt
MAX_DRAWN_ENTRIES: Final = 400
"""The most files and folders in the initial prompt's tree. They determine how deep it
is drawn."""
MAX_LISTED_FILES: Final = 20
"""The most files of one folder in that tree. A larger folder shows its first files and
a count."""
MAX_QUESTION_CHARS: Final = 1_000
"""The most characters of the question that are searched for before the first step."""
SHOWN_PASSAGES_AT_FIRST: Final = 12

# Bounds of the calls
MAX_SOUGHT_WORDS: Final = 40
"""The most words of one search for passages. In text without spaces, such as Chinese,
each character counts as a word."""
SHOWN_FAMILIES: Final = 30
"""The most groups of file versions that `sources` names, and the most versions of one
group."""
SHOWN_NOTES: Final = 50
SHOWN_PART_LINES: Final = 1_000
"""The number of lines in the example call that `sources` shows for a large file."""
ENTRY_BYTES: Final = 36
"""Bytes of a file in a `read_many` result besides its path and text: keys, line and
JSON syntax."""


class Earlier(BaseModel):
    """The conversation that a question continues."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    """The id of the last run of the conversation."""
    said: tuple[tuple[str, str], ...]
    """Every question with its answer, in order."""
    scratchpad: dict[str, Any]
    """The scratchpad after the last run."""
    read: dict[str, str]
    """The files that the answers cite: the hash of each by its path. If an answer cites
    a passage of a file that was not read, the hash is empty."""


# The tool schema


def tool_schema_of(
    sources: SourceFiles, question: str, writable: str, earlier: Earlier | None
) -> ToolSchema:
    """Return the tool schema of a trial. Scripts may write only in the folder
    `writable`."""
    operations = _file_operations(writable)
    operations += [READ_MANY, SEARCH, PASSAGES, SOURCES]
    if HAS_TABLES and (sources.has_tables or writable):
        operations.append(TABLE)
    if earlier:
        operations.append(EARLIER)
    return ToolSchema(
        operations=tuple(operations),
        initial_calls=tuple(_initial_calls(sources, question, earlier)),
        named_files=_named_files(sources),
    )


def _file_operations(writable: str) -> list[Operation]:
    """Return the file operations. Operations that change files need a writable
    folder."""
    operations = []
    for operation in FILE_OPERATIONS:
        # There are no tools to run, and `search` is replaced by this package's own.
        if operation.name in ("exec", SEARCH.name):
            continue
        if operation.name == READ.name:
            operations.append(READ)
        elif operation.effect not in (Effect.WRITES, Effect.DELETES):
            operations.append(operation)
        elif writable:
            summary = f"{operation.summary}; below {normal_path(writable)} alone"
            operations.append(operation._replace(summary=summary))
    return operations


def _initial_calls(
    sources: SourceFiles, question: str, earlier: Earlier | None
) -> list[InitialCall]:
    """Return the calls whose results appear in the initial prompt."""
    calls = []
    # 1. The conversation so far, and what is to be known about the files.
    if earlier:
        calls.append(InitialCall(EARLIER.name))
    if sources.left_out or sources.large or sources.versions or sources.notes:
        calls.append(InitialCall(SOURCES.name))

    # 2. The names of files: as a tree or, if that is too large, some of them.
    depth = _depth_that_fits(sources)
    if depth:
        tree: dict[str, Plain] = {"root": "/", "level": depth}
        calls.append(InitialCall("tree", tree, longest_listing=MAX_LISTED_FILES))
    else:
        calls.append(_find("*", bounds.SHOWN_FILES))
    if any("#" in path for path in sources.paths):
        # A citation may be `a.md#12`, line 12 of `a.md`. The names with `#` are listed,
        # so that `a#b.txt` is understood as a file, and not as the place `b.txt` in a
        # file `a`.
        calls.append(_find("*#*", bounds.MOST_NAMED_AMONG))

    # 3. The passages that fit the question, and the files that earlier answers cite.
    search: dict[str, Plain] = {
        "words": question[:MAX_QUESTION_CHARS],
        "limit": SHOWN_PASSAGES_AT_FIRST,
    }
    calls.append(InitialCall(PASSAGES.name, search))
    if earlier:
        # Read the files that earlier answers cite again, so that this answer can cite
        # them, too.
        for path in _unchanged(earlier.read, sources):
            calls.append(InitialCall(READ.name, {"path": path}))
    return calls


def _find(name: str, limit: int) -> InitialCall:
    """Return the call that lists the files whose names match a glob."""
    return InitialCall(
        "find", {"name": name, "root": "/", "kind": "files", "limit": limit}
    )


def _unchanged(hashes: dict[str, str], sources: SourceFiles) -> list[str]:
    """Return the files that still exist and that have not changed since an earlier
    answer cited them. Files without a hash are taken for unchanged."""
    unchanged = []
    for path, known_hash in hashes.items():
        text = sources.get(path)
        if text is None:
            continue
        if known_hash == "" or known_hash == sha256_of(text):
            unchanged.append(path)
    return unchanged


def _depth_that_fits(sources: SourceFiles) -> int:
    """Return the depth to which the tree is drawn; 0 if its first level is already too
    large."""
    entries = set()
    for path in sources.paths:
        names = path.split("/")
        for length in range(2, len(names) + 1):
            entries.add("/".join(names[:length]))
    entries_at_depth = Counter(entry.count("/") for entry in entries)

    drawn_entries = 0
    fitting_depth = 0
    for depth in sorted(entries_at_depth):
        drawn_entries += entries_at_depth[depth]
        if drawn_entries > MAX_DRAWN_ENTRIES:
            break
        fitting_depth = depth
    return fitting_depth


def _named_files(sources: SourceFiles) -> NamedFiles | None:
    """Return the top folders, in which the initial prompt finds files that the question
    names.

    Return None if there are no folders, or if there are too many files to show a tree
    or to look for names.
    """
    if not _depth_that_fits(sources) or len(sources.paths) > bounds.MOST_NAMED_AMONG:
        return None
    roots = set()
    for path in sources.paths:
        if path.count("/") > 1:
            roots.add("/" + path.split("/")[1])
    return NamedFiles(tuple(sorted(roots))) if roots else None


# The calls


class FilesEnvironment(LocalEnvironment):
    """The files of a question, and the calls that scripts make on them. Created for
    each trial."""

    def __init__(
        self,
        sources: SourceFiles,
        question: str,
        writable: str,
        earlier: Earlier | None,
        clock: datetime | None = None,
    ) -> None:
        self._writable_prefix = (
            normal_path(writable).rstrip("/") + "/" if writable else ""
        )
        tree = FileTree(sources, writable=self._is_writable)
        tool_schema = tool_schema_of(sources, question, writable, earlier)
        super().__init__(tool_schema, WorldFiles(sources, RUNTIME), tree, clock)
        self._earlier = earlier
        self._sources = sources

    def now(self) -> datetime | None:
        """Return the saved question's time, or the current time, which "today" refers
        to."""
        return self._clock or datetime.now(UTC)

    def knows_file(self, path: str) -> bool:
        """Return True for a file, also one that was deleted in the trial, and for a
        document that was split into files."""
        return path in self._sources.parts or super().knows_file(path)

    def result_of(self, operation: str, arguments: dict[str, Any]) -> dict[str, Plain]:
        """Return the result of a call."""
        path = normal_path(str(arguments.get("path", "")))
        try:
            if operation == READ.name:
                return self._read(**arguments)
            if operation == READ_MANY.name:
                return self._read_many(**arguments)
            if operation == "write":
                self._refuse_impossible_change(path, str(arguments["content"]))
            if operation == "delete":
                self._refuse_impossible_change(path, None)
            return super().result_of(operation, arguments)
        except CallError as error:
            reason = self._sources.reason_of(path)
            if error.code == error_codes.NOT_FOUND and reason:
                raise CallError(error.code, f"{path} was left out: {reason}") from None
            raise

    def tool_result(
        self, operation: str, arguments: dict[str, Any]
    ) -> dict[str, Plain]:
        """Return the result of a call that is not a plain file operation.

        Most of these calls run in the worker, which does not have all files. A call for
        passages therefore gets the files that most likely contain them.
        """
        if operation == EARLIER.name and self._earlier is not None:
            return _earlier_questions(self._earlier)
        if operation == SOURCES.name:
            return self._about_sources()
        if operation == TABLE.name:
            return self._table(arguments)
        if operation == PASSAGES.name:
            words = words_of(arguments["words"])[:MAX_SOUGHT_WORDS]
            if not words:
                msg = "passages(words) needs at least one word"
                raise CallError(error_codes.INVALID_ARGUMENT, msg)
            arguments = {
                **arguments,
                "likeliest": self._sources.files_with_words(words),
                "heads": self._sources.table_heads(words),
            }
        return super().tool_result(operation, arguments)

    def _is_writable(self, path: str) -> bool:
        """Return True if scripts may write to a path: in the writable folder, and not
        hidden."""
        if not self._writable_prefix or "/." in path:
            return False
        return f"{path}/".startswith(self._writable_prefix)

    def _read(
        self, path: str, start_line: int, end_line: int, start_char: int
    ) -> dict[str, Plain]:
        """Return the text of a file, or a part of it. The parts of a document are
        joined.

        Lines and characters count from 1; 0 means no limit. If the text does not fit in
        one result, `next_char` is the `start_char` for the next call, else 0. `line` is
        the first returned line.
        """
        has_negative = min(start_line, end_line, start_char) < 0
        ends_before_start = 0 < end_line < start_line
        if has_negative or ends_before_start:
            msg = (
                f"lines {start_line} to {end_line}, from character {start_char}, are no range "
                "(they count from 1)"
            )
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        resolved, text = self._whole_text(path)
        # A script gets a long text as a whole by several calls. A file above the limit
        # for whole files (`large`) would take too many of them.
        wants_all = start_line == end_line == start_char == 0
        is_large = resolved in self._sources.large
        if wants_all and is_large and len(text) > bounds.MOST_READ_CHARS:
            raise CallError(error_codes.RESOURCE_EXHAUSTED, _too_large(resolved, text))
        part = text_part(text, start_line, end_line, start_char)
        return {
            "path": resolved,
            "content": part.text,
            "truncated": part.next_char > 0,
            "next_char": part.next_char,
            "line": part.first_line,
            "notes": list[Plain](self._notes_of(resolved)),
            "sha256": sha256_of(text),
        }

    def _whole_text(self, path: str) -> tuple[str, str]:
        """Return the text of a file or document, and its path as the workspace spells
        it."""
        document = normal_path(path)
        parts = self._sources.parts.get(document)
        if parts is not None:
            return document, self._joined(document, parts)
        file = self.tree.read(path)
        return str(file["path"]), str(file["content"])

    def _joined(self, document: str, parts: list[str]) -> str:
        """Return the text of a document of several parts, each under its name."""
        texts = []
        for part in parts:
            name = part.removeprefix(f"{document}/")
            texts.append(f"[{name}]\n{self._sources[part]}")
        return "\n\n".join(texts)

    def _notes_of(self, path: str) -> list[str]:
        """Return facts that a file's text does not show, such as merged cells or its
        encoding."""
        notes: list[str] = []
        for part in self._sources.parts.get(path, [path]):
            notes += self._sources.notes.get(part, ())
        if path not in self.changes and path in self._sources.encodings:
            notes.append(f"read as {self._sources.encodings[path]}")
        return notes

    def _read_many(self, files: str, root: str, start: int) -> dict[str, Plain]:
        """Return the texts of files that match the glob `files`: as many as fit, and at
        least one.

        `start` is the index of the first file to return: 0, or `next` of the call
        before.
        """
        paths = self.tree.paths(root, files)
        start = max(start, 0)
        entries: list[Plain] = []
        cut_paths: list[Plain] = []
        remaining_bytes = bounds.MOST_RESULT_BYTES
        for path in paths[start:]:
            text = self.tree.text(path) or ""
            part = text_part(text, start_line=0, end_line=0, start_char=0)
            remaining_bytes -= json_size([path, part.text]) + ENTRY_BYTES
            if remaining_bytes < 0 and entries:
                break
            entries.append({"path": path, "line": 1, "text": part.text})
            if part.next_char:
                cut_paths.append(path)
        next_start = start + len(entries)
        has_more = next_start < len(paths)
        return {
            "files": entries,
            "total": len(paths),
            "next": next_start if has_more else 0,
            "cut": cut_paths,
            "truncated": has_more or bool(cut_paths),
        }

    def _refuse_impossible_change(self, path: str, content: str | None) -> None:
        """Raise `CallError` if a change to a file cannot be written to disk, such as
        behind a link.

        Changes stay in memory until the trial ends. Checking now lets the script choose
        another change. `content` is None for a deletion.
        """
        if not self._sources.is_on_disk or not self._is_writable(path):
            return
        try:
            change = FileChange.of(self._sources.root, path, content)
            # `documents` are texts converted from a PDF or the like. They have no
            # encoding on disk.
            if path not in self._sources.documents:
                # Raises if the file's encoding lacks a character of the text.
                _ = change.new_bytes
        except ChangeRefused as error:
            raise CallError(error_codes.FAILED_PRECONDITION, str(error)) from None

    def _table(self, arguments: dict[str, Any]) -> dict[str, Plain]:
        """Return rows of a table, with notes on how its file was read."""
        result = super().tool_result(TABLE.name, arguments)
        path = str(result["path"])
        notes: list[Plain] = [f"{path}: {note}" for note in self._notes_of(path)]
        assumed = result["assumed"]
        assert isinstance(assumed, list)
        return {**result, "assumed": notes + assumed}

    def _about_sources(self) -> dict[str, Plain]:
        """Return what the initial prompt shows about the files in addition to their
        names."""
        sources = self._sources
        left_out: list[Plain] = []
        text = sources.left_out_text().removeprefix("skipped: ")
        if text:
            left_out.append(text)
        for path in sorted(sources.large)[: bounds.SHOWN_FILES]:
            left_out.append(
                f"{path}: {_part_calls(path, SHOWN_PART_LINES)} opens a part of it"
            )
        versions: list[Plain] = []
        for family in sources.versions[:SHOWN_FAMILIES]:
            versions.append(list[Plain](family[:SHOWN_FAMILIES]))
        notes: list[Plain] = []
        for path in list(sources.notes)[:SHOWN_NOTES]:
            for note in sources.notes[path]:
                notes.append(f"{path}: {note}")
        is_cut = (
            len(sources.large) > bounds.SHOWN_FILES
            or len(sources.versions) > SHOWN_FAMILIES
            or any(len(family) > SHOWN_FAMILIES for family in sources.versions)
            or len(sources.notes) > SHOWN_NOTES
        )
        return {
            "left_out": left_out,
            "versions": versions,
            "notes": notes,
            "truncated": is_cut,
        }


def _earlier_questions(earlier: Earlier) -> dict[str, Plain]:
    """Return the conversation so far as text, and the last scratchpad."""
    blocks = []
    for question, answer in earlier.said:
        blocks.append(f"Question: {question}\nAnswer: {answer}")
    return {"shown": "\n\n".join(blocks), "scratchpad": earlier.scratchpad}


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
    """Return the calls that open a part of a large file, such as its lines up to
    `end_line`."""
    is_table = HAS_TABLES and path.lower().endswith(TABLE_SUFFIXES)
    calls = [
        f"harness.read({path!r}, start_line=1, end_line={end_line})",
        f"harness.read({path!r}, start_char=1)",
    ]
    if is_table:
        calls.append(f"harness.table({path!r}, where=...)")
    else:
        calls.append(f"harness.search(pattern, root={path!r})")
    return " or ".join(calls)
