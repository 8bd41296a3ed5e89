"""The environment of a question about files: the calls for scripts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from controlplane.benchmarks.files.conversation import Earlier
from controlplane.benchmarks.files.file_reader import FileReader
from controlplane.benchmarks.files.files_operations import (
    EARLIER,
    PASSAGES,
    READ,
    READ_MANY,
    SOURCES,
    TABLE,
)
from controlplane.benchmarks.files.question_schema import tool_schema_of
from controlplane.benchmarks.files.source_overview import overview
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.benchmarks.files.sources.source_search import (
    files_with_words,
    table_heads,
)
from controlplane.file_changes.file_change import ChangeRefused, FileChange
from controlplane.local_benchmark.local_environment import LocalEnvironment
from controlplane.sandbox import FileTree, normal_path
from controlplane.sandbox.files import WorldFiles
from controlplane.sandbox.files.word_ranking import words_of
from controlplane.sandbox.interface import CallError, Plain, error_codes

RUNTIME: Final = "controlplane.benchmarks.files.files_runtime"
MAX_SOUGHT_WORDS: Final = 40
"""The most words of one search for passages.

In text without spaces, such as Chinese, each character counts as a word.
"""


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
        self._reader = FileReader(sources, tree)

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
                return self._reader.read(**arguments)
            if operation == READ_MANY.name:
                return self._reader.read_many(**arguments)
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
        notes: list[Plain] = [f"{path}: {note}" for note in self._reader.notes_of(path)]
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
