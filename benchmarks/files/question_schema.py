"""The tool schema of a question about files.

It declares the calls that scripts can make, such as `harness.passages(words)`, and the
initial calls: those that are made before the first step, so that the prompt shows their
results. For example, it shows the passages that have the words of the question.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from controlplane.benchmarks.files.context_operations import EARLIER, SOURCES
from controlplane.benchmarks.files.files_question import FilesQuestion
from controlplane.benchmarks.files.listed_files import listing_of
from controlplane.benchmarks.files.reading_operations import READ, READ_MANY
from controlplane.benchmarks.files.search_operations import PASSAGES, SEARCH
from controlplane.benchmarks.files.table_operation import TABLE
from controlplane.sandbox import normal_path
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Effect,
    InitialCall,
    Operation,
    Plain,
    ToolSchema,
)

HAS_TABLES: Final = bool(find_spec("duckdb") and find_spec("fsspec"))
"""True if the libraries that read tables are installed."""
MAX_QUESTION_CHARS: Final = 1_000
"""The first characters of the question, whose words are searched for before the first step."""
SHOWN_PASSAGES: Final = 12
"""The most passages that the initial prompt shows."""


def tool_schema_of(question: FilesQuestion) -> ToolSchema:
    """Return the tool schema of a trial that works on a question."""
    operations = _file_operations(question.writable)
    operations += [READ_MANY, SEARCH, PASSAGES, SOURCES]
    if HAS_TABLES and question.may_have_tables:
        operations.append(TABLE)
    if question.earlier is not None:
        operations.append(EARLIER)

    listing = listing_of(question.sources)
    initial_calls = (
        *_calls_about_context(question),
        *listing.calls,
        *_calls_for_answer(question),
    )
    return ToolSchema(
        operations=tuple(operations),
        initial_calls=initial_calls,
        named_files=listing.named_files,
    )


def _file_operations(writable: str) -> list[Operation]:
    """Return the file operations. Operations that change files need a writable folder."""
    operations = []
    for operation in FILE_OPERATIONS:
        # There are no tools to run (`exec`), and this package has its own `search`.
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


def _calls_about_context(question: FilesQuestion) -> list[InitialCall]:
    """Return the calls that show the earlier conversation, and what is known of the files."""
    calls = []
    if question.earlier is not None:
        calls.append(InitialCall(EARLIER.name))
    sources = question.sources
    if sources.left_out or sources.large or sources.versions or sources.notes:
        calls.append(InitialCall(SOURCES.name))
    return calls


def _calls_for_answer(question: FilesQuestion) -> list[InitialCall]:
    """Return the calls that show passages with words of the question, and files that it may need."""
    search: dict[str, Plain] = {
        "words": question.text[:MAX_QUESTION_CHARS],
        "limit": SHOWN_PASSAGES,
    }
    calls = [InitialCall(PASSAGES.name, search)]
    if question.earlier is not None:
        # An answer can cite only files read in its own trial. So the files that earlier
        # answers cite, if they have not changed, are read again.
        for path in question.earlier.unchanged(question.sources):
            calls.append(InitialCall(READ.name, {"path": path}))
    return calls
