"""The environment of a question about files: it carries out the calls of scripts.

Reading and writing files, and what is known of all files, is done in this process. The
search for passages and queries of tables run in the trial's worker process.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from controlplane.benchmarks.files.context_operations import EARLIER, SOURCES
from controlplane.benchmarks.files.file_reader import FileReader
from controlplane.benchmarks.files.files_question import FilesQuestion
from controlplane.benchmarks.files.many_files import read_many
from controlplane.benchmarks.files.question_schema import tool_schema_of
from controlplane.benchmarks.files.reading_notes import with_notes
from controlplane.benchmarks.files.reading_operations import READ, READ_MANY
from controlplane.benchmarks.files.search_operations import PASSAGES
from controlplane.benchmarks.files.source_overview import overview
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.benchmarks.files.sources.source_search import files_with_words
from controlplane.benchmarks.files.sources.table_heads import table_heads
from controlplane.benchmarks.files.table_operation import TABLE
from controlplane.benchmarks.files.writable_folder import WritableFolder
from controlplane.local_benchmark.local_environment import LocalEnvironment
from controlplane.sandbox import FileTree, normal_path
from controlplane.sandbox.files import WorldFiles
from controlplane.sandbox.files.text_words import words_of
from controlplane.sandbox.interface import CallError, Plain, error_codes

RUNTIME: Final = "controlplane.benchmarks.files.files_runtime"
"""The module with the calls that run in the worker process."""
MAX_SOUGHT_WORDS: Final = 40
"""The most words of one search for passages.

In text without spaces, such as Chinese, each character counts as a word.
"""


class FilesEnvironment(LocalEnvironment):
    """The files of a question, and the calls that scripts make on them. Created for each trial."""

    def __init__(self, question: FilesQuestion, clock: datetime | None = None) -> None:
        """Create the environment of one trial.

        `clock` is the time of a saved question. None: the present time.
        """
        self._question = question
        self._sources = question.sources
        self._folder = WritableFolder(question.writable)
        tree = FileTree(question.sources, writable=self._folder.allows)
        world = WorldFiles(question.sources, RUNTIME)
        super().__init__(tool_schema_of(question), world, tree, clock)
        self._reader = FileReader(question.sources, tree)

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
                return self._reader.read(**arguments)
            case READ_MANY.name:
                return read_many(self.tree, **arguments)
            case SOURCES.name:
                return overview(self._sources)
            case EARLIER.name if self._question.earlier is not None:
                earlier = self._question.earlier
                return {"shown": earlier.text, "scratchpad": earlier.scratchpad}
            case TABLE.name:
                table = super().result_of(operation, arguments)
                return with_notes(table, self._sources, self.tree)
            case PASSAGES.name:
                arguments = _with_files_to_search(arguments, self._sources)
            case "write":
                content = str(arguments["content"])
                self._folder.check_change(self._sources, path, content)
            case "delete":
                self._folder.check_change(self._sources, path, None)
        # The tree of files makes the call or, for a table or passages, the worker does.
        return super().result_of(operation, arguments)


def _with_files_to_search(
    arguments: dict[str, Any], sources: SourceFiles
) -> dict[str, Any]:
    """Return the arguments of a search for passages, with the files that it should look at.

    The worker, the process in which scripts run, looks for the passages. It does not have
    all files, so it gets those that most likely contain the words.
    """
    words = words_of(arguments["words"])[:MAX_SOUGHT_WORDS]
    if not words:
        msg = "passages(words) needs at least one word"
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
    return {
        **arguments,
        "paths": files_with_words(sources, words),
        "table_heads": table_heads(sources, words),
    }
