"""The tool schema of a question about files.

It declares the calls of scripts, and those whose results are in the initial prompt.
"""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from typing import Final

from controlplane.benchmarks.files.conversation import Earlier
from controlplane.benchmarks.files.files_operations import (
    EARLIER,
    PASSAGES,
    READ,
    READ_MANY,
    SEARCH,
    SOURCES,
    TABLE,
)
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.sandbox import normal_path
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Effect,
    InitialCall,
    NamedFiles,
    Operation,
    Plain,
    ToolSchema,
    bounds,
)

HAS_TABLES: Final = bool(find_spec("duckdb") and find_spec("fsspec"))
MAX_DRAWN_ENTRIES: Final = 400
"""The most files and folders in the initial prompt's tree. It is drawn as deep as that allows."""
MAX_LISTED_FILES: Final = 20
"""The most files of one folder in that tree. A larger folder shows its first files and a count."""
MAX_QUESTION_CHARS: Final = 1_000
"""The most characters of the question that are searched for before the first step."""
SHOWN_PASSAGES: Final = 12


def tool_schema_of(
    sources: SourceFiles, question: str, writable: str, earlier: Earlier | None
) -> ToolSchema:
    """Return the tool schema of a trial. Scripts may write only in the folder `writable`."""
    operations = _file_operations(writable)
    operations += [READ_MANY, SEARCH, PASSAGES, SOURCES]
    if HAS_TABLES and (sources.has_tables or writable):
        operations.append(TABLE)
    if earlier:
        operations.append(EARLIER)
    depth = _depth_that_fits(sources)
    return ToolSchema(
        operations=tuple(operations),
        initial_calls=tuple(_initial_calls(sources, question, earlier, depth)),
        named_files=_named_files(sources) if depth else None,
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


def _initial_calls(
    sources: SourceFiles, question: str, earlier: Earlier | None, depth: int
) -> list[InitialCall]:
    """Return the calls whose results appear in the initial prompt."""
    calls = []
    if earlier:
        calls.append(InitialCall(EARLIER.name))
    if sources.left_out or sources.large or sources.versions or sources.notes:
        calls.append(InitialCall(SOURCES.name))
    calls += _listing_calls(sources, depth)
    search: dict[str, Plain] = {
        "words": question[:MAX_QUESTION_CHARS],
        "limit": SHOWN_PASSAGES,
    }
    calls.append(InitialCall(PASSAGES.name, search))
    if earlier:
        # An answer can cite only files read in its own trial. So the files that earlier
        # answers cite, if they have not changed, are read again.
        for path in earlier.unchanged(sources):
            calls.append(InitialCall(READ.name, {"path": path}))
    return calls


def _listing_calls(sources: SourceFiles, depth: int) -> list[InitialCall]:
    """Return the calls that show names of files: a tree of this depth, or some files if it is 0."""
    calls = []
    if depth:
        tree: dict[str, Plain] = {"root": "/", "level": depth}
        calls.append(InitialCall("tree", tree, longest_listing=MAX_LISTED_FILES))
    else:
        calls.append(_find("*", bounds.SHOWN_FILES))
    # A citation may be `a.md#12`, line 12 of `a.md`. Names with `#` are listed, so that
    # `a#b.txt` is understood as a file, and not as the place `b.txt` in a file `a`.
    if any("#" in path for path in sources.paths):
        calls.append(_find("*#*", bounds.MOST_NAMED_AMONG))
    return calls


def _find(name: str, limit: int) -> InitialCall:
    """Return the call that lists the files whose names match a glob."""
    return InitialCall(
        "find", {"name": name, "root": "/", "kind": "files", "limit": limit}
    )


def _depth_that_fits(sources: SourceFiles) -> int:
    """Return the depth to which the tree is drawn; 0 if its first level is already too large."""
    entries = set()
    for path in sources.paths:
        names = path.split("/")
        for length in range(2, len(names) + 1):
            entries.add("/".join(names[:length]))
    entries_at_depth = Counter(entry.count("/") for entry in entries)

    drawn = 0
    fitting_depth = 0
    for depth in sorted(entries_at_depth):
        drawn += entries_at_depth[depth]
        if drawn > MAX_DRAWN_ENTRIES:
            break
        fitting_depth = depth
    return fitting_depth


def _named_files(sources: SourceFiles) -> NamedFiles | None:
    """Return the top folders, in which the initial prompt finds files that the question names.

    Return None if there are no folders, or too many files to look for names.
    """
    if len(sources.paths) > bounds.MOST_NAMED_AMONG:
        return None
    roots = set()
    for path in sources.paths:
        if path.count("/") > 1:
            roots.add("/" + path.split("/")[1])
    return NamedFiles(tuple(sorted(roots))) if roots else None
