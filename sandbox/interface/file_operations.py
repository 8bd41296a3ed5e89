"""The file operations, as every environment with files declares them.

The fields of `Operation` are explained there. The summaries are short,
because every system prompt contains them next to the signatures. `FileTree`
implements all of them except `exec`, and takes further parameters of `search`,
which some environments declare.
"""

from __future__ import annotations

from typing import Final

from controlplane.sandbox.interface.operations import (
    Effect,
    Operation,
    Parameter,
    ResultField,
)

# harness.read("/docs/a.md", 2, 3).content  ->  "line 2\nline 3\n"
READ: Final = Operation(
    name="read",
    parameters=(
        Parameter("path", "str"),
        Parameter("start_line", "int", 0),
        Parameter("end_line", "int", 0),
    ),
    fields=(
        ResultField("path"),
        ResultField("content"),
        ResultField("truncated"),
        ResultField("sha256"),
    ),
    summary="a file's text, or those lines",
    effect=Effect.READS,
    json_field="content",
    from_line="start_line",
)

# harness.list("/docs").entries[0].name  ->  "a.md"
LIST: Final = Operation(
    name="list",
    parameters=(Parameter("path", "str", "/"),),
    fields=(ResultField("entries", ("name", "path", "is_dir")),),
    summary="what a directory holds",
    effect=Effect.LISTS,
)

# print(harness.tree("/docs"))  ->  an indented tree of names
_TREE: Final = Operation(
    name="tree",
    parameters=(Parameter("root", "str", "/"), Parameter("level", "int", 2)),
    fields=(
        ResultField("name"),
        ResultField("is_dir"),
        ResultField("children", ("name", "is_dir", "children")),
    ),
    summary="what is below, level deep (0: all)",
    effect=Effect.LISTS,
    subject="root",
    drawn_as_tree=True,
)

# harness.find("*.md", root="/docs").paths  ->  ["/docs/a.md"]
FIND: Final = Operation(
    name="find",
    parameters=(
        Parameter("name", "str"),
        Parameter("root", "str", "/"),
        Parameter("kind", "str", "all"),
        Parameter("limit", "int", 10),
    ),
    fields=(ResultField("paths"), ResultField("truncated")),
    summary="paths whose base name fits a glob; kind: all, files, dirs",
    effect=Effect.LISTS,
    subject="root",
)

# harness.search("at most [0-9]+ days").matches[0].line  ->  12
SEARCH: Final = Operation(
    name="search",
    parameters=(
        Parameter("pattern", "str"),
        Parameter("root", "str", "/"),
        Parameter("limit", "int", 10),
    ),
    fields=(ResultField("matches", ("path", "line", "text")), ResultField("truncated")),
    summary="lines that match an RE2 pattern",
    effect=Effect.LISTS,
    subject="root",
)

# harness.stat("/docs").is_dir  ->  True
STAT: Final = Operation(
    name="stat",
    parameters=(Parameter("path", "str"),),
    fields=(
        ResultField("path"),
        ResultField("is_dir"),
        ResultField("content_type"),
        ResultField("writable"),
    ),
    summary="what a path is",
    effect=Effect.LISTS,
)

# harness.write("/docs/a.md", "# Rules").path  ->  "/docs/a.md"
WRITE: Final = Operation(
    name="write",
    parameters=(
        Parameter("path", "str"),
        Parameter("content", "str"),
        Parameter("if_match_sha256", "str", ""),
    ),
    fields=(ResultField("path"),),
    # With `if_match_sha256`, the file is replaced only if its present text has this hash. Without
    # it, any file is.
    summary="make or replace a file, if it has that hash",
    effect=Effect.WRITES,
)

# harness.delete("/docs/a.md").path  ->  "/docs/a.md"
DELETE: Final = Operation(
    name="delete",
    parameters=(Parameter("path", "str"),),
    fields=(ResultField("path"),),
    summary="remove a file",
    effect=Effect.DELETES,
)

# harness.exec("/bin/count", ["--lines"], stdin="a\nb").stdout  ->  "2\n"
_EXEC: Final = Operation(
    name="exec",
    parameters=(
        Parameter("path", "str"),
        Parameter("args", "list[str]", []),
        Parameter("stdin", "str", ""),
    ),
    fields=(ResultField("stdout"), ResultField("stderr"), ResultField("exit_code")),
    # `check` is a further argument of every operation with an `exit_field` (`operations.CHECK`).
    summary="run a tool; check: raise unless it exits with 0",
    effect=Effect.EXECUTES,
    exit_field="exit_code",
)

FILE_OPERATIONS: Final = (READ, LIST, _TREE, FIND, SEARCH, STAT, WRITE, DELETE, _EXEC)
