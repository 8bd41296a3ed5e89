"""The environment of a question about files: the calls for scripts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from controlplane.benchmarks.files.conversation import Earlier
from controlplane.benchmarks.files.files_operations import (
    EARLIER,
    PASSAGES,
    READ,
    READ_MANY,
    SOURCES,
    TABLE,
)
from controlplane.benchmarks.files.question_schema import tool_schema_of
from controlplane.benchmarks.files.source_overview import overview, too_large
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.benchmarks.files.sources.source_search import (
    files_with_words,
    table_heads,
)
from controlplane.benchmarks.files.text_parts import json_size, text_part
from controlplane.file_changes.file_change import ChangeRefused, FileChange
from controlplane.local_benchmark.local_environment import LocalEnvironment
from controlplane.sandbox import FileTree, normal_path
from controlplane.sandbox.files import WorldFiles, sha256_of
from controlplane.sandbox.files.word_ranking import words_of
from controlplane.sandbox.interface import CallError, Plain, bounds, error_codes

RUNTIME: Final = "controlplane.benchmarks.files.files_runtime"
MAX_SOUGHT_WORDS: Final = 40
"""The most words of one search for passages.

In text without spaces, such as Chinese, each character counts as a word.
"""
ENTRY_BYTES: Final = 36
"""Bytes of a file in a `read_many` result besides its path and text: keys, line and JSON syntax."""


class FilesEnvironment(LocalEnvironment):
    """The files of a question, and the calls that scripts make on them. Created for each trial."""

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
        """Return the saved question's time, or the current time, which "today" refers to."""
        return self._clock or datetime.now(UTC)

    def knows_file(self, path: str) -> bool:
        """Return True for a file, even if the trial deleted it, and for a document.

        A document, such as a PDF, is split into files: its parts, such as pages.
        """
        return path in self._sources.parts or super().knows_file(path)

    def _is_writable(self, path: str) -> bool:
        """Return True if scripts may write to a path: in the writable folder, and not hidden."""
        if not self._writable_prefix or "/." in path:
            return False
        return f"{path}/".startswith(self._writable_prefix)

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
            reason = self._sources.left_out.reason_of(path)
            if error.code == error_codes.NOT_FOUND and reason:
                raise CallError(error.code, f"{path} was left out: {reason}") from None
            raise

    def tool_result(
        self, operation: str, arguments: dict[str, Any]
    ) -> dict[str, Plain]:
        """Return the result of a call that is not a plain file operation."""
        if operation == EARLIER.name and self._earlier is not None:
            earlier = self._earlier
            return {"shown": earlier.text, "scratchpad": earlier.scratchpad}
        if operation == SOURCES.name:
            return overview(self._sources)
        if operation == TABLE.name:
            return self._table(arguments)
        if operation == PASSAGES.name:
            return self._passages(arguments)
        return super().tool_result(operation, arguments)

    def _read(
        self, path: str, start_line: int, end_line: int, start_char: int
    ) -> dict[str, Plain]:
        """Return the text of a file, or a part of it.

        Lines and characters count from 1; 0 means no limit. In the result, `line` is the
        first returned line. If the text does not fit in one result, `next_char` is the
        `start_char` for the next call, else 0.
        """
        if min(start_line, end_line, start_char) < 0 or 0 < end_line < start_line:
            msg = (
                f"lines {start_line} to {end_line}, from character {start_char}, are no range "
                "(they count from 1)"
            )
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        resolved, text = self._whole_text(path)
        wants_all = start_line == end_line == start_char == 0
        if wants_all:
            self._refuse_large(resolved, text)
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

    def _refuse_large(self, path: str, text: str) -> None:
        """Raise `CallError` for a file that is too large to be read as a whole.

        `sources.large` has the files above the user's limit, which can be read in parts.
        """
        if path in self._sources.large and len(text) > bounds.MOST_READ_CHARS:
            raise CallError(error_codes.RESOURCE_EXHAUSTED, too_large(path, text))

    def _whole_text(self, path: str) -> tuple[str, str]:
        """Return the text of a file or document, and its path as the workspace spells it."""
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
        """Return facts that a file's text does not show, such as merged cells or its encoding."""
        sources = self._sources
        notes: list[str] = []
        for part in sources.parts.get(path, [path]):
            notes += sources.notes.get(part, ())
        if path not in self.changes and path in sources.encodings:
            notes.append(f"read as {sources.encodings[path]}")
        return notes

    def _read_many(self, files: str, root: str, start: int) -> dict[str, Plain]:
        """Return the texts of files that match the glob `files`: as many as fit, and at least one.

        `start` is the index of the first file to return: 0, or `next` of the call
        before. In the result, `cut` has the paths of files that are too long for one
        call, of which only the first part is returned.
        """
        paths = self.tree.paths(root, files)
        start = max(start, 0)
        entries: list[Plain] = []
        cut: list[Plain] = []
        remaining_bytes = bounds.MOST_RESULT_BYTES
        for path in paths[start:]:
            text = self.tree.text(path) or ""
            # The whole text, or as much of it as fits in one result.
            part = text_part(text, start_line=0, end_line=0, start_char=0)
            remaining_bytes -= json_size([path, part.text]) + ENTRY_BYTES
            if remaining_bytes < 0 and entries:
                break
            entries.append({"path": path, "line": 1, "text": part.text})
            if part.next_char:
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

    def _refuse_impossible_change(self, path: str, content: str | None) -> None:
        """Raise `CallError` if a change to a file cannot be written to disk, such as behind a link.

        Changes stay in memory until the trial ends. Checking now lets the script choose
        another change. `content` is None for a deletion.
        """
        sources = self._sources
        if not sources.is_on_disk or not self._is_writable(path):
            return
        try:
            change = FileChange.of(sources.root, path, content)
            # Texts converted from a PDF or the like have no encoding on disk.
            if path not in sources.documents:
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

    def _passages(self, arguments: dict[str, Any]) -> dict[str, Plain]:
        """Return the passages with some words.

        The worker, the process in which scripts run, looks for them. It does not have
        all files, so it gets those that most likely contain the words.
        """
        words = words_of(arguments["words"])[:MAX_SOUGHT_WORDS]
        if not words:
            msg = "passages(words) needs at least one word"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        likeliest = files_with_words(self._sources, words)
        heads = table_heads(self._sources, words)
        arguments = {**arguments, "likeliest": likeliest, "heads": heads}
        return super().tool_result(PASSAGES.name, arguments)
