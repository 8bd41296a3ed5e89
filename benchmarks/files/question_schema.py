"""The tool schema of a question about files.

It declares the calls that scripts can make, such as `harness.passages(words)`, and the
initial calls: those that are made before the first step, so that the prompt shows their
results. For example, it shows the passages that have the words of the question.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ConfigDict

from controlplane.benchmarks.files.files_runtime import PASSAGES, SEARCH
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.sandbox import normal_path
from controlplane.sandbox.files import sha256_of
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Effect,
    InitialCall,
    NamedFiles,
    Operation,
    Parameter,
    Plain,
    ResultField,
    ToolSchema,
    bounds,
)
from controlplane.sandbox.interface.outcomes import GENERAL_OUTCOMES, Outcomes

# The calls that tell what surrounds a question: `harness.sources()` and `harness.earlier()`.
#
# A question may continue a conversation, and some files of its folder may be left out or be
# old versions of others. A call is declared by its parameters, the fields of its result, and a
# `summary`, which a model reads in its prompt; `.NAME` in it is a field of the result.

SOURCES: Final = Operation(
    name="sources",
    parameters=(),
    fields=(
        ResultField("left_out"),
        ResultField("versions"),
        ResultField("notes"),
        ResultField("unread"),  # Why a document could not be read, by its path.
        ResultField("truncated"),
    ),
    summary="what was left out or is not searched, "
    "files that are versions of one another, newest first, "
    "and what the texts of documents cannot show",
    effect=Effect.NONE,
)
EARLIER: Final = Operation(
    name="earlier",
    parameters=(),
    fields=(ResultField("shown"), ResultField("scratchpad")),
    summary="the questions and answers before this one; .scratchpad is what the last scratchpad held",
    effect=Effect.NONE,
    is_prose=True,
)


# A question about files, and the conversation that it continues.
#
# `ask --continue "And in March?" invoices/` is about the files below `invoices/`. It needs to know
# what was asked before: the earlier questions and answers, and the files that the answers cite.


@dataclass(frozen=True, slots=True)
class FilesQuestion:
    """A question about files, with all that its trials get."""

    text: str
    sources: SourceFiles
    """The files that it is about."""
    writable: str = ""
    """The folder that scripts may write to, such as `docs`; empty for none."""
    earlier: EarlierQuestions | None = None
    """The conversation that it continues; None for a first question."""
    outcomes: Outcomes = GENERAL_OUTCOMES
    """How a trial may end."""

    @property
    def may_have_tables(self) -> bool:
        """True if scripts may query tables: some of the files, or tables that they write."""
        return self.sources.has_tables or self.writable != ""


class EarlierQuestions(BaseModel):
    """The questions and answers before a question, and what the answers rest on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    """The id of the last run of the conversation."""
    said: tuple[tuple[str, str], ...]
    """Pairs of a question and its answer, in order."""
    scratchpad: dict[str, Any]
    """The scratchpad after the last run."""
    read: dict[str, str]
    """The cited files: the hash of each file's text when it was read, by its path.

    The hash is empty if only a passage of the file was read.
    """

    @property
    def text(self) -> str:
        """The questions and answers as text."""
        blocks = []
        for question, answer in self.said:
            blocks.append(f"Question: {question}\nAnswer: {answer}")
        return "\n\n".join(blocks)

    def unchanged(self, sources: SourceFiles) -> list[str]:
        """Return the cited files that still exist and have not changed since.

        Without a hash, a change cannot be seen, so such files count as unchanged.
        """
        unchanged = []
        for path, known_hash in self.read.items():
            text = sources.get(path)
            if text is None:
                continue
            if known_hash == "" or known_hash == sha256_of(text):
                unchanged.append(path)
        return unchanged


# How the first message of a question lists the files: as a tree, or only some of them.
#
# A model has to know which files there are. A folder of 50 files is shown as a whole, one of
# 50,000 only in part, since its names alone would fill the message.

_MAX_DRAWN_ENTRIES: Final = 400
"""The most files and folders in the tree. It is drawn as deep as that allows."""
_MAX_LISTED_FILES: Final = 20
"""The most files of one folder in the tree. A larger folder shows its first files and a count."""


class _FileListing(NamedTuple):
    """How the first message lists the files of a question."""

    calls: list[InitialCall]
    """The calls whose results are the listing."""
    named_files: NamedFiles | None
    """Where to look for files that the question names, which are shown as well. None: nowhere."""


def _listing_of(sources: SourceFiles) -> _FileListing:
    """Return the listing as a tree, or that of the first files if even the root has too many."""
    tree_depth = _fitting_tree_depth(sources)
    if tree_depth > 0:
        tree: dict[str, Plain] = {"root": "/", "level": tree_depth}
        calls = [InitialCall("tree", tree, longest_listing=_MAX_LISTED_FILES)]
        # The files that the question names are found by the paths in the tree.
        named_files = _named_files(sources)
    else:
        calls = [_find("*", bounds.SHOWN_FILES)]
        named_files = None
    # The citation `a.md#12` is line 12 of `a.md`. Files whose own names have a `#`, such
    # as `a#12.txt`, are listed, so that citations of them are not taken for such places.
    if any("#" in path for path in sources.paths):
        calls.append(_find("*#*", bounds.MOST_FILES_LOOKED_UP))
    return _FileListing(calls, named_files)


def _find(name: str, limit: int) -> InitialCall:
    """Return the call that lists the files whose names match a glob."""
    return InitialCall(
        "find", {"name": name, "root": "/", "kind": "files", "limit": limit}
    )


def _fitting_tree_depth(sources: SourceFiles) -> int:
    """Return how many levels of folders and files the tree shows.

    Return 0 if already the first level has too many. Then there is no tree.
    """
    entries = set()
    for path in sources.paths:
        names = path.split("/")
        for length in range(2, len(names) + 1):
            entries.add("/".join(names[:length]))
    entries_at_depth = Counter(entry.count("/") for entry in entries)

    drawn = 0
    fitting_depth = 0  # the deepest level that still fits
    for depth in sorted(entries_at_depth):
        drawn += entries_at_depth[depth]
        if drawn > _MAX_DRAWN_ENTRIES:
            break
        fitting_depth = depth
    return fitting_depth


def _named_files(sources: SourceFiles) -> NamedFiles | None:
    """Return the folders below the root, in which files that the question names are looked for.

    The initial prompt shows these files. Return None if there are no folders, or too many
    files to look for names.
    """
    if len(sources.paths) > bounds.MOST_FILES_LOOKED_UP:
        return None
    roots = set()
    for path in sources.paths:
        if path.count("/") > 1:
            roots.add("/" + path.split("/")[1])
    return NamedFiles(tuple(sorted(roots))) if roots else None


# The calls that read files of a question, such as `harness.read("/a.txt", start_line=5)`.
#
# Each is declared by its parameters, the fields of its result, and a `summary`. A model
# reads the summary in its prompt, beside the names of the parameters; `.NAME` in it is a
# field of the result. `effect` tells whether a call reads a file or lists a folder. The path
# of that file or folder is the parameter `path`, or the one that `subject` names.

READ: Final = Operation(
    name="read",
    parameters=(
        Parameter("path", "str"),
        Parameter("start_line", "int", 0),
        Parameter("end_line", "int", 0),
        Parameter("start_char", "int", 0),
    ),
    fields=(
        ResultField("path"),
        ResultField("content"),
        ResultField("truncated"),
        ResultField("next_char"),  # Where `content` ends, if it is truncated; else 0.
        ResultField("line"),  # The line on which `content` begins.
        ResultField("notes"),  # What the text cannot show.
        ResultField("sha256"),
    ),
    summary="a file's text, or those lines, or the text from that character on; "
    ".notes tells what the text cannot show, such as merged cells",
    effect=Effect.READS,
    json_field="content",  # A result has a method `.json()`, which parses this field.
    # A text may be too long for one result. The product then reads on by itself, with
    # `start_char` as the result's `next_char`, so that the script gets all of it.
    from_char="start_char",
)
READ_MANY: Final = Operation(
    name="read_many",
    parameters=(
        Parameter("files", "str"),
        Parameter("root", "str", "/"),
        Parameter("start", "int", 0),
    ),
    fields=(
        ResultField("files", ("path", "line", "text")),
        ResultField("total"),  # The number of files that fit.
        # The value of `start` for the next call; 0 after the last one.
        ResultField("next"),
        # The files whose end is missing, because they are too long.
        ResultField("cut"),
        ResultField("truncated"),
    ),
    summary='the texts of all files below root that a glob fits ("*.txt" or a path), in one call; '
    "if they are too long for it, .truncated is true and .next is the start for the next call "
    "(else 0); .cut names files whose end is missing",
    effect=Effect.LISTS,
    subject="root",
)


# The call that queries files as tables: `harness.table("/sales.csv", where="amount > 5")`.
#
# A call is declared by its parameters, the fields of its result, and a `summary`, which a model
# reads in its prompt. `.NAME` in it is a field of the result. The summary is long, because a
# wrong reading of numbers or dates (`1,500`, `3.4.2025`) makes a wrong answer.

TABLE: Final = Operation(
    name="table",
    parameters=(
        Parameter("path", "str"),
        # The clauses of a query. Or a whole query in `sql`.
        Parameter("where", "str", ""),
        Parameter("columns", "str", "*"),
        Parameter("group", "str", ""),
        Parameter("order", "str", ""),
        Parameter("limit", "int", 100),
        Parameter("sql", "str", ""),
        # How numbers and dates are written, if the file leaves that open. For example,
        # `decimal comma` says that `1,500` is one and a half.
        Parameter("form", "str", ""),
    ),
    fields=(
        ResultField("path"),
        ResultField("content"),  # The rows as CSV.
        ResultField("rows"),  # The rows as dicts.
        ResultField("columns"),  # All columns of the file.
        ResultField("lines"),  # The line of the file for each row.
        # The number of all rows. `rows` may have only the first of them.
        ResultField("total"),
        ResultField("truncated"),
        ResultField(
            "forms"
        ),  # What each column was read as, and how many of its cells.
        ResultField("assumed"),  # How the file was read, such as its delimiter.
        ResultField("doubts"),  # What may be read wrongly, such as the header.
        # What of it matters for this query. The step shows it, whatever the script prints.
        ResultField("told"),
    ),
    summary="rows of a CSV, TSV, JSONL or sheet as dicts, by DuckDB: "
    'where="amount > 5", columns="city, sum(x)", group="city", '
    """or sql="select ... from t join '/b.csv' b using (id)"; """
    "at most 1,000 of .total rows; .content has them as CSV, .lines their lines in the file, "
    ".forms tells what each column was read as "
    "($1,200 is 1200, 3.4.2025 is 2025-04-03, NA is null), "
    ".assumed and .doubts what was taken for the header and the rows. "
    'Where a form is not certain, say form="decimal comma", "decimal point", "day first" or "month first", '
    'or query the column "COLUMN as number" or "COLUMN as written"',
    effect=Effect.READS,
    told_field="told",
)


HAS_TABLES: Final = bool(find_spec("duckdb") and find_spec("fsspec"))
"""True if the libraries that read tables are installed."""
_MAX_QUESTION_CHARS: Final = 1_000
"""The first characters of the question, whose words are searched for before the first step."""
_SHOWN_PASSAGES: Final = 12
"""The most passages that the initial prompt shows."""


def tool_schema_of(question: FilesQuestion) -> ToolSchema:
    """Return the tool schema of a trial that works on a question."""
    operations = _file_operations(question.writable)
    operations += [READ_MANY, SEARCH, PASSAGES, SOURCES]
    if HAS_TABLES and question.may_have_tables:
        operations.append(TABLE)
    if question.earlier is not None:
        operations.append(EARLIER)

    listing = _listing_of(question.sources)
    initial_calls = (
        *_calls_about_context(question),
        *listing.calls,
        *_calls_for_answer(question),
    )
    return ToolSchema(
        operations=tuple(operations),
        initial_calls=initial_calls,
        named_files=listing.named_files,
        outcomes=question.outcomes,
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
        "words": question.text[:_MAX_QUESTION_CHARS],
        "limit": _SHOWN_PASSAGES,
    }
    calls = [InitialCall(PASSAGES.name, search)]
    if question.earlier is not None:
        # An answer can cite only files read in its own trial. So the files that earlier
        # answers cite, if they have not changed, are read again.
        for path in question.earlier.unchanged(question.sources):
            calls.append(InitialCall(READ.name, {"path": path}))
    return calls
